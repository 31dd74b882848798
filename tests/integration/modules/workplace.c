/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Uses what bench.h promises to a body, and says which of it was not to be had. */

#define _GNU_SOURCE
#include <benchd/bench.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define MIB (1 << 20)

static char megabyte[MIB];

/* Ends the benchmark with the error. */
#define NEED(condition)                                                                                                \
 do {                                                                                                                  \
  if (!(condition))                                                                                                    \
   bench_fail(b, "%s: %s", #condition, strerror(errno));                                                               \
 } while (0)

#define TIME_NOTHING()                                                                                                 \
 bench_loop(b)                                                                                                         \
 bench_clobber()

BENCH(memfd) {
        int fd = memfd_create("own", MFD_CLOEXEC);

        NEED(fd >= 0);
        NEED(ftruncate(fd, MIB) == 0);
        NEED(pwrite(fd, megabyte, MIB, 0) == MIB);
        TIME_NOTHING();
}

BENCH(file) {
        int fd = open("file", O_CREAT | O_RDWR, 0600);

        NEED(fd >= 0);
        for (int i = 0; i < 4; i++)
                NEED(write(fd, megabyte, MIB) == MIB);
        NEED(pread(fd, megabyte, MIB, 3 * MIB) == MIB);
        TIME_NOTHING();
}

BENCH(descriptors) {
        for (int i = 0; i < 500; i++)
                NEED(dup(0) >= 0);
        TIME_NOTHING();
}

BENCH(socketpairs) {
        int pair[2];

        for (int i = 0; i < 200; i++)
                NEED(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
        TIME_NOTHING();
}

BENCH(relative) {
        char text[8] = "";
        FILE *file = fopen("note", "w+");

        NEED(file);
        NEED(fputs("kept", file) >= 0 && fflush(file) == 0);
        rewind(file);
        NEED(fgets(text, sizeof text, file) && strcmp(text, "kept") == 0);
        TIME_NOTHING();
}

BENCH(tmpdir) {
        const char *directory = getenv("TMPDIR");
        char path[PATH_MAX], here[PATH_MAX];
        struct stat status;
        FILE *file;

        NEED(directory && getcwd(here, sizeof here) && strcmp(directory, here) == 0);
        NEED(stat(directory, &status) == 0 && status.st_uid == getuid() && (status.st_mode & 07777) == 0700);
        snprintf(path, sizeof path, "%s/fileXXXXXX", directory);
        NEED(mkstemp(path) >= 0);
        snprintf(path, sizeof path, "%s/directoryXXXXXX", directory);
        NEED(mkdtemp(path));
        NEED(chdir(path) == 0);
        file = fopen("inside", "w");
        NEED(file);
        NEED(chdir(directory) == 0);
        TIME_NOTHING();
}

BENCH(tree) {
        char name[32];

        for (int i = 0; i < 200; i++) {
                snprintf(name, sizeof name, "d%d", i);
                NEED(mkdir(name, 0700) == 0 && chdir(name) == 0);
        }
        TIME_NOTHING();
}

BENCH(printing) {
        for (int i = 0; i < 4; i++)
                NEED(write(1, megabyte, MIB) == MIB);
        TIME_NOTHING();
}

/* Files, closed directories and links, in a directory that has to be empty before, but for links to the module and to what came with it. */
BENCH(litter) {
        DIR *here = opendir(".");
        struct dirent *entry;

        NEED(here);
        while ((entry = readdir(here)))
                if (entry->d_name[0] != '.' && entry->d_type != DT_LNK)
                        bench_fail(b, "%s was there already", entry->d_name);
        closedir(here);
        NEED(open("litter", O_CREAT | O_WRONLY, 0) >= 0);
        NEED(mkdir("litter.d", 0700) == 0 && open("litter.d/litter", O_CREAT | O_WRONLY, 0) >= 0);
        NEED(symlink("/", "litter.d/link") == 0 && chmod("litter.d", 0) == 0);
        TIME_NOTHING();
}

/* How much went into @fd until it failed. */
static double fill(int fd, int *ret_error) {
        double written = 0;

        for (;;) {
                ssize_t n = write(fd, megabyte, MIB);

                if (n <= 0)
                        break;
                written += n;
        }
        *ret_error = errno;
        return written;
}

BENCH(one_file) {
        int error = 0, fd = memfd_create("own", MFD_CLOEXEC);

        NEED(fd >= 0);
        bench_counter(b, "written", fill(fd, &error));
        bench_counter(b, "efbig", error == EFBIG);
        TIME_NOTHING();
}

BENCH(many_files) {
        double written = 0;
        int error = 0;

        for (int i = 0; i < 3; i++) {
                char name[] = "file0";
                int fd;

                name[4] += i;
                fd = open(name, O_CREAT | O_WRONLY, 0600);
                NEED(fd >= 0);
                NEED(ftruncate(fd, 1) == 0);
                if (i < 2)
                        for (int k = 0; k < 100; k++, written += MIB)
                                NEED(write(fd, megabyte, MIB) == MIB);
                else
                        written += fill(fd, &error);
        }
        bench_counter(b, "written", written);
        bench_counter(b, "enospc", error == ENOSPC);
        TIME_NOTHING();
}

BENCH(lingers) {
        NEED(mkdir("d", 0700) == 0 && open("d/file", O_CREAT | O_WRONLY, 0600) >= 0);
        NEED(open("ready", O_CREAT | O_WRONLY, 0600) >= 0);
        for (;;)
                pause();
        TIME_NOTHING();
}

BENCH(nowhere) {
        char here[PATH_MAX];

        NEED(getcwd(here, sizeof here) && strcmp(here, "/") == 0);
        NEED(!getenv("TMPDIR"));
        TIME_NOTHING();
}

/* Waits now and then, as a program does that has something else to do: the launcher gets its turn on a machine of one CPU too. */
BENCH(floods) {
        for (int i = 0; i < 300; i++) {
                NEED(write(1, megabyte, MIB) == MIB);
                if (i % 100 == 99)
                        usleep(300000);
        }
        fprintf(stderr, "the last words\n");
        abort();
        TIME_NOTHING();
}
