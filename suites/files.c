/* SPDX-License-Identifier: MIT */

/*
 * files: names, descriptors and contents, all in the kernel's caches.
 *
 * They are made in the working directory, which is private to the process, empty, and on a tmpfs where the daemon may
 * mount; elsewhere it is on the machine's own file system, which fsync then waits for.
 */

#define _GNU_SOURCE 1
#include <benchd/bench.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

BENCH_AREA(files, .about = "names, descriptors and contents of files that are in the kernel's caches");
BENCH_EMBED_SOURCE;

#define PAGE       4096u
#define FILE_BYTES (256u * PAGE)

static char buffer[PAGE];

/* An open file of @bytes written bytes. */
static int file_make(struct bench *b, const char *name, size_t bytes) {
        int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

        if (fd < 0 && (errno == EACCES || errno == EROFS))
                bench_skip(b, "the working directory cannot be written to: %s", strerror(errno));
        if (fd < 0)
                bench_fail(b, "%s: %s", name, strerror(errno));
        memset(buffer, 'x', sizeof buffer);
        for (size_t written = 0; written < bytes; written += sizeof buffer)
                if (write(fd, buffer, sizeof buffer) != sizeof buffer)
                        bench_fail(b, "%s: %s", name, strerror(errno));
        return fd;
}

/* The file system's kind beside the result. */
static void file_label(struct bench *b, int fd) {
        struct statfs system;

        if (fstatfs(fd, &system) == 0)
                bench_label(b, system.f_type == TMPFS_MAGIC ? "tmpfs" : "no tmpfs");
}

/* A file of @bytes, and its system's kind beside the result. */
static void file_make_closed(struct bench *b, const char *name, size_t bytes) {
        int fd = file_make(b, name, bytes);

        file_label(b, fd);
        close(fd);
}

/* ---- names */

BENCH(open_close, .about = "limited by the walk along the path and the making of a struct file") {
        file_make_closed(b, "file", PAGE);
        bench_loop(b)
                close(open("file", O_RDONLY | O_CLOEXEC));
        unlink("file");
}

BENCH(stat, .about = "limited by the walk along the path") {
        struct stat status;

        file_make_closed(b, "file", PAGE);
        bench_loop(b)
                bench_use(stat("file", &status));
        unlink("file");
}

BENCH(access_missing, .about = "limited by an entry for the missing name, which a tmpfs makes and drops each time") {
        close(file_make(b, "file", PAGE));
        bench_loop(b)
                bench_use(access("missing", F_OK));
        unlink("file");
}

BENCH(create_unlink, .about = "limited by the making and freeing of an inode") {
        int fd = file_make(b, "first", 0);

        file_label(b, fd);
        close(fd);
        unlink("first");
        bench_loop(b) {
                close(open("file", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
                unlink("file");
        }
}

BENCH(mkdir_rmdir, .hidden = 1, .about = "limited by the making and freeing of a directory") {
        int fd = file_make(b, "first", 0);

        file_label(b, fd);
        close(fd);
        unlink("first");
        bench_loop(b) {
                mkdir("directory", 0700);
                rmdir("directory");
        }
}

BENCH(rename, .ops = 2, .about = "to another name and back: limited by locks of the directory and two entries") {
        int fd = file_make(b, "one", 0);

        file_label(b, fd);
        close(fd);
        bench_loop(b) {
                rename("one", "two");
                rename("two", "one");
        }
        unlink("one");
}

#define ENTRIES 100u

BENCH(readdir, .ops = ENTRIES + 2,
                .about = "an entry of 102, with opening and closing: limited by copies to the buffer") {
        char name[32] = "entries"; /* the working directory has what came along with the module too */
        size_t n = 0;

        if (mkdir(name, 0700) < 0 && errno != EEXIST)
                bench_skip(b, "the working directory cannot be written to: %s", strerror(errno));
        for (unsigned i = 0; i < ENTRIES; i++) {
                snprintf(name, sizeof name, "entries/entry-%u", i);
                close(file_make(b, name, 0));
        }
        file_make_closed(b, name, 0);
        bench_loop(b) {
                DIR *directory = opendir("entries");

                if (!directory)
                        bench_fail(b, "opendir: %s", strerror(errno));
                n = 0;
                while (readdir(directory))
                        n++;
                closedir(directory);
        }
        if (n != ENTRIES + 2)
                bench_fail(b, "%zu entries were found, not %u", n, ENTRIES + 2);
}

/* ---- descriptors */

BENCH(fstat, .about = "limited by entry to the kernel and the copy of what it tells") {
        int fd = file_make(b, "file", PAGE);
        struct stat status;

        bench_loop(b)
                bench_use(fstat(fd, &status));
        close(fd);
}

BENCH(lseek, .hidden = 1, .about = "limited by entry to the kernel and the look-up of the descriptor") {
        int fd = file_make(b, "file", PAGE);

        bench_loop(b)
                bench_use(lseek(fd, 0, SEEK_SET));
        close(fd);
}

/* ---- contents */

BENCH(pread_cached, .args = BENCH_ARGS(bytes, 1, 4096),
                .about = "limited by entry and the look-up of the page, then by the copy") {
        int fd = file_make(b, "file", FILE_BYTES);
        size_t bytes = bench_arg(b, 0);

        bench_bytes(b, bytes);
        bench_loop(b)
                bench_use(pread(fd, buffer, bytes, 10 * PAGE));
        close(fd);
}

BENCH(pwrite_cached, .args = BENCH_ARGS(bytes, 4096),
                .about = "over a page that exists: limited by entry, locks and the copy") {
        int fd = file_make(b, "file", FILE_BYTES);
        size_t bytes = bench_arg(b, 0);

        file_label(b, fd);
        bench_bytes(b, bytes);
        bench_loop(b)
                bench_use(pwrite(fd, buffer, bytes, 10 * PAGE));
        close(fd);
}

BENCH(fsync, .samples = 20, .about = "after a write of a page: limited by entry on a tmpfs, by the device elsewhere") {
        int fd = file_make(b, "file", PAGE);

        file_label(b, fd);
        bench_loop(b) {
                bench_use(pwrite(fd, buffer, PAGE, 0));
                fsync(fd);
        }
        close(fd);
}

BENCH(mmap_read,
                .about = "a file's page mapped, read and unmapped: limited by the fault that maps cached pages around it") {
        int fd = file_make(b, "file", FILE_BYTES);

        bench_loop(b) {
                volatile const char *page = mmap(NULL, FILE_BYTES, PROT_READ, MAP_SHARED, fd, 0);

                if (page == MAP_FAILED)
                        bench_fail(b, "mmap: %s", strerror(errno));
                (void)page[10 * PAGE];
                munmap((void *)page, FILE_BYTES);
        }
        close(fd);
}

/* ---- streams */

BENCH(fgetc, .ops = PAGE,
                .about = "a byte of 4096 from a stream's buffer: limited by the call, a compare and the load") {
        FILE *stream = fdopen(file_make(b, "file", PAGE), "r");

        if (!stream)
                bench_fail(b, "fdopen: %s", strerror(errno));
        bench_loop(b) {
                int letter;

                rewind(stream);
                while ((letter = fgetc(stream)) != EOF)
                        bench_use(letter);
        }
        fclose(stream);
}

BENCH(fread, .args = BENCH_ARGS(bytes, 16),
                .about = "from a stream's buffer: limited by the stream's lock and a short copy") {
        size_t bytes = bench_arg(b, 0);
        FILE *stream = fdopen(file_make(b, "file", PAGE), "r");

        if (!stream)
                bench_fail(b, "fdopen: %s", strerror(errno));
        bench_bytes(b, bytes);
        bench_loop(b)
                if (fread(buffer, bytes, 1, stream) != 1)
                        rewind(stream);
        fclose(stream);
}
