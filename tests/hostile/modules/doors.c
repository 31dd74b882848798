/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The doors of a cell: whatever is found in it that leads outside, or that can be written to. Each is printed in a line: its kind, and its
 * path. DOORS, a list of paths joined by a colon, are tried by name besides.
 */

#define _GNU_SOURCE
#include <benchd/bench.h>

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define N_OPEN 32

static int connects(const char *path, int type) {
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        int fd = socket(AF_UNIX, type, 0), r;

        snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
        r = connect(fd, (void *)&address, sizeof address);
        close(fd);
        return r == 0;
}

static int opens(const char *path, int flags) {
        int fd = open(path, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

        if (fd >= 0)
                close(fd);
        return fd >= 0;
}

/* O_RDWR: a FIFO that nobody reads opens for both. */
static const char *kind_of(const char *path, mode_t mode) {
        if (S_ISSOCK(mode))
                return connects(path, SOCK_STREAM) || connects(path, SOCK_DGRAM) ? "socket" : NULL;
        if (S_ISFIFO(mode))
                return opens(path, O_RDWR) || opens(path, O_RDONLY) ? "fifo" : NULL;
        if (S_ISCHR(mode) || S_ISBLK(mode))
                return opens(path, O_RDWR) || opens(path, O_RDONLY) ? "device" : NULL;
        if (S_ISDIR(mode))
                return access(path, W_OK) == 0 ? "directory" : NULL;
        return S_ISREG(mode) && opens(path, O_WRONLY) ? "file" : NULL;
}

static int visit(const char *path, const struct stat *status, int type, struct FTW *place) {
        const char *kind;

        if (type == FTW_D && strcmp(path, "/proc") == 0)
                return FTW_SKIP_SUBTREE;
        kind = type == FTW_NS || type == FTW_SL || type == FTW_SLN ? NULL : kind_of(path, status->st_mode);
        if (kind)
                printf("%s %s\n", kind, path);
        return FTW_CONTINUE;
}

BENCH(walk, .processes = 1) {
        if (nftw("/", visit, N_OPEN, FTW_PHYS | FTW_ACTIONRETVAL) < 0)
                bench_fail(b, "nftw: %m");
        fflush(stdout);
        bench_loop(b)
                bench_clobber();
}

BENCH(named, .processes = 1) {
        char *doors = strdup(getenv("DOORS"));

        for (char *door = strtok(doors, ":"); door; door = strtok(NULL, ":")) {
                struct stat status;

                if (lstat(door, &status) == 0)
                        printf("seen %s\n", door);
                if (opens(door, O_RDONLY) || opens(door, O_WRONLY) || opens(door, O_RDWR) || opens(door, O_PATH))
                        printf("opened %s\n", door);
                if (connects(door, SOCK_STREAM) || connects(door, SOCK_DGRAM))
                        printf("connected %s\n", door);
        }
        free(doors);
        fflush(stdout);
        bench_loop(b)
                bench_clobber();
}

/* The terminals and queues of a run are its own: as many as it makes. */
BENCH(own, .processes = 1) {
        int terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY);
        char name[64] = "";

        bench_counter(b, "terminal",
                        terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0 &&
                                        ptsname_r(terminal, name, sizeof name) == 0 && opens(name, O_RDWR));
        bench_counter(b, "is_first", strcmp(name, "/dev/pts/0") == 0);
        bench_counter(b, "queue", close(creat("/dev/mqueue/own", 0600)) == 0);
        bench_counter(b, "no_tty", open("/dev/tty", O_RDWR) < 0);
        bench_loop(b)
                bench_clobber();
}

/* The first byte of each of DOORS, which is named with --see. */
BENCH(sees, .processes = 1) {
        char *doors = strdup(getenv("DOORS"));

        for (char *door = strtok(doors, ":"); door; door = strtok(NULL, ":")) {
                int fd = open(door, O_RDONLY | O_NONBLOCK);
                char byte = '-';

                if (fd >= 0 && read(fd, &byte, 1) < 0)
                        byte = '/';
                printf("%c %s\n", fd < 0 ? '!' : byte, door);
                if (opens(door, O_WRONLY) || close(open(door, O_WRONLY | O_CREAT, 0600)) == 0)
                        printf("written %s\n", door);
        }
        free(doors);
        fflush(stdout);
        bench_loop(b)
                bench_clobber();
}
