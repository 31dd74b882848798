/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Bodies in a directory on a disk: what it is like, and what they leave there to whoever cleans up.
 */

#define _GNU_SOURCE
#include <benchd/bench.h>

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

static int count_entries(void) {
        DIR *directory = opendir(".");
        int n = 0;

        while (directory && readdir(directory))
                n++;
        if (directory)
                closedir(directory);
        return n;
}

static int make(struct bench *b, const char *path) {
        int fd = open(path, O_CREAT | O_RDWR, 0666);

        if (fd < 0 || write(fd, "x", 1) != 1)
                bench_fail(b, "%s cannot be written", path);
        return fd;
}

BENCH(is_told) {
        const char *temporary = getenv("TMPDIR");
        char path[PATH_MAX], own[PATH_MAX] = "";
        struct statfs system;
        struct stat here, file;
        int fd;

        bench_counter(b, "entries", count_entries() - 2);
        fd = make(b, "file");
        fstat(fd, &file);
        stat(".", &here);
        fstatfs(fd, &system);
        bench_counter(b, "is_tmpfs", system.f_type == 0x01021994);
        bench_counter(b, "uid", file.st_uid);
        bench_counter(b, "mode", here.st_mode & 07777);
        bench_counter(b, "own_uid", geteuid());
        bench_counter(b, "temporary_is_it",
                        getcwd(path, sizeof path) && temporary && realpath(temporary, own) && strcmp(own, path) == 0);
        bench_counter(b, "above", open("../above", O_CREAT | O_WRONLY, 0600) >= 0);
        bench_loop(b)
                if (pwrite(fd, "y", 1, 0) != 1)
                        bench_fail(b, "it cannot be written");
}

/* Closed directories, a deep tree, and a link that leads out. */
BENCH(litters) {
        char name[32];

        for (int i = 0; i < 40; i++) {
                if (mkdir("deep", 0700) < 0 || chdir("deep") < 0)
                        bench_fail(b, "no directory");
                close(make(b, "file"));
        }
        for (int i = 0; i < 100; i++) {
                snprintf(name, sizeof name, "closed-%d", i);
                mkdir(name, 0700);
                close(make(b, "file"));
                chmod(name, 0);
        }
        if (symlink("/etc", "out") < 0)
                bench_fail(b, "no link");
        bench_loop(b)
                bench_clobber();
}

BENCH(stays) {
        close(make(b, "file"));
        puts("here");
        fflush(stdout);
        bench_loop(b)
                pause();
}
