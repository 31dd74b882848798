/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Attempts to get out of a cell, or to keep it from ending. Counters have the errno of each, or 0 where it was permitted.
 */

#define _GNU_SOURCE
#include <benchd/bench.h>

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define FIRST 1 /* process of the cell */

/* As a string with the test's own value. */
#ifndef ABSTRACT
# define ABSTRACT "none"
#endif
#ifndef PATH
# define PATH "/none"
#endif
#ifndef PORT
# define PORT 1
#endif
#ifndef SHM_KEY
# define SHM_KEY 0x62656e63
#endif

#define TIME_NOTHING()                                                                                                 \
 bench_loop(b)                                                                                                         \
 bench_clobber()

static void tell(struct bench *b, const char *name, long result) {
        bench_counter(b, name, result < 0 ? errno : 0);
}

BENCH(first, .processes = 1) {
        for (int signal = 1; signal < 32; signal++)
                kill(FIRST, signal);
        tell(b, "seize", ptrace(PTRACE_SEIZE, FIRST, NULL, NULL));
        tell(b, "attach", ptrace(PTRACE_ATTACH, FIRST, NULL, NULL));
        tell(b, "memory", open("/proc/1/mem", O_RDONLY));
        tell(b, "namespace", open("/proc/1/ns/user", O_RDONLY));
        bench_counter(b, "pid", getpid());
        TIME_NOTHING();
}

/* A child that has its parent stop on its way out, where a signal no longer reaches it, and does not let it go. */
BENCH(traced, .processes = 1) {
        pid_t pid = getpid();
        int ready[2];
        char byte;

        prctl(PR_SET_DUMPABLE, 1);
        prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
        if (pipe(ready) < 0)
                bench_fail(b, "pipe");
        if (fork() == 0) {
                prctl(PR_SET_NAME, "tracer");
                if (ptrace(PTRACE_SEIZE, pid, NULL, PTRACE_O_TRACEEXIT) == 0)
                        (void)!write(ready[1], "x", 1);
                for (;;)
                        pause();
        }
        (void)!read(ready[0], &byte, 1);
        TIME_NOTHING();
}

BENCH(bomb, .processes = 1) {
        prctl(PR_SET_NAME, "bomber");
        for (;;)
                fork();
}

/* It forgets its launcher, opens the other ends of all pipes that it has, and is deaf to signals, as are its children. */
BENCH(deaf, .processes = 1) {
        char path[32];

        for (int fd = 0; fd < 64; fd++) {
                snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
                (void)!open(path, O_WRONLY | O_NONBLOCK);
                (void)!open(path, O_RDONLY | O_NONBLOCK);
        }
        prctl(PR_SET_PDEATHSIG, 0);
        for (int number = 1; number < 32; number++)
                signal(number, SIG_IGN);
        if (fork() == 0)
                setsid();
        prctl(PR_SET_NAME, "deaf");
        for (;;)
                bench_clobber();
}

BENCH(shared_memory, .processes = 1) {
        int id = shmget(SHM_KEY, 1 << 20, IPC_CREAT | IPC_EXCL | 0600);
        void *memory = shmat(id, NULL, 0);

        tell(b, "shmget", id);
        if (memory != (void *)-1) {
                memset(memory, 1, 1 << 20);
                shmdt(memory);
        }
        TIME_NOTHING();
}

BENCH(kills_all, .processes = 1) {
        tell(b, "kill", kill(-1, SIGKILL));
        TIME_NOTHING();
}

BENCH(nests, .processes = 1) {
        tell(b, "unshare", unshare(CLONE_NEWUSER));
        tell(b, "clone", syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, 0ul));
        tell(b, "mount", unshare(CLONE_NEWNS));
        tell(b, "chroot", chroot("."));
        TIME_NOTHING();
}

static int connect_to(const void *address, socklen_t n) {
        int fd = socket(((const struct sockaddr *)address)->sa_family, SOCK_STREAM, 0);
        int r = connect(fd, address, n);

        close(fd);
        return r;
}

static int connect_unix(const char *name, int abstract) {
        struct sockaddr_un address = { .sun_family = AF_UNIX };

        strcpy(address.sun_path + abstract, name);
        return connect_to(&address, offsetof(struct sockaddr_un, sun_path) + abstract + strlen(name));
}

/* A connection to itself, over the loopback interface. */
static int connect_within(void) {
        struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        socklen_t n = sizeof address;

        if (bind(fd, (void *)&address, n) < 0 || listen(fd, 1) < 0 || getsockname(fd, (void *)&address, &n) < 0)
                return -1;
        return connect_to(&address, n);
}

BENCH(reaches, .processes = 1) {
        const struct sockaddr_in outside = {
                .sin_family = AF_INET,
                .sin_port = htons(PORT),
                .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
        };

        tell(b, "tcp", connect_to(&outside, sizeof outside));
        tell(b, "abstract", connect_unix(ABSTRACT, 1));
        tell(b, "path", connect_unix(PATH, 0));
        tell(b, "dbus", connect_unix("/run/dbus/system_bus_socket", 0));
        tell(b, "within", connect_within());
        TIME_NOTHING();
}

static int count(const char *path) {
        DIR *directory = opendir(path);
        struct dirent *entry;
        int n = 0;

        if (!directory)
                return -1;
        while ((entry = readdir(directory)))
                n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
        closedir(directory);
        return n;
}

static int is_number(const struct dirent *entry) {
        return entry->d_name[0] >= '0' && entry->d_name[0] <= '9';
}

BENCH(looks, .processes = 1) {
        struct dirent **processes;
        struct stat status = {};

        bench_counter(b, "in_tmp", count("/tmp"));
        bench_counter(b, "in_var_tmp", count("/var/tmp"));
        bench_counter(b, "in_shm", count("/dev/shm"));
        bench_counter(b, "in_run", count("/run"));
        bench_counter(b, "processes", scandir("/proc", &processes, is_number, NULL));
        tell(b, "shm_open", shm_open("/own", O_CREAT | O_RDWR, 0600));
        tell(b, "etc", open("/etc/own", O_CREAT | O_WRONLY, 0600));
        tell(b, "var_tmp", open("/var/tmp/own", O_CREAT | O_WRONLY, 0600));
        tell(b, "path", open(PATH, O_WRONLY));
        tell(b, "oom", prctl(PR_SET_DUMPABLE, 1) + open("/proc/self/oom_score_adj", O_WRONLY));
        stat(PATH, &status);
        bench_counter(b, "owner", status.st_uid);
        TIME_NOTHING();
}
