/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Runs that do not want to end: they become many processes, hold on to their runner, hear no signal, or take all memory.
 */

#include <benchd/bench.h>

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <unistd.h>

#define CHUNK        (16u << 20)
#define RUNNERS_PIPE 5 /* to the launcher */

#ifndef PTRACE_O_TRACEEXIT
# define PTRACE_O_TRACEEXIT 0x40
#endif

static void __attribute__((noreturn)) sleep_on(const char *name) {
        prctl(PR_SET_NAME, name);
        for (;;)
                pause();
}

static void __attribute__((noreturn)) eat_all(void) {
        for (;;) {
                char *bytes = mmap(NULL, CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

                if (bytes == MAP_FAILED)
                        sleep_on("full");
                memset(bytes, 1, CHUNK);
        }
}

/* ---- many processes */

BENCH(bomb, .processes = 1) {
        bench_loop(b) {
                for (;;)
                        (void)!fork();
        }
}

/* In sessions of their own, orphans, and each with a child. */
BENCH(daemons, .processes = 1) {
        for (int i = 0; i < 5; i++)
                if (fork() == 0) {
                        setsid();
                        if (fork() != 0)
                                _exit(0);
                        signal(SIGTERM, SIG_IGN);
                        (void)!fork();
                        sleep_on("daemon");
                }
        bench_loop(b) {
                bench_clobber();
        }
}

/* The same, while the run goes on until it is killed. */
BENCH(daemons_and_spin, .processes = 1) {
        for (int i = 0; i < 5; i++)
                if (fork() == 0) {
                        setsid();
                        if (fork() != 0)
                                _exit(0);
                        sleep_on("daemon");
                }
        bench_loop(b) {
                for (;;)
                        bench_clobber();
        }
}

/* ---- holding on */

/* A child stops the runner on its way out, where SIGKILL is of no use. */
BENCH(held_at_exit, .processes = 1) {
        int ready[2];
        char byte;

        prctl(PR_SET_DUMPABLE, 1);
        prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
        if (pipe(ready) == 0) {
                pid_t runner = getpid();

                if (fork() == 0) {
                        ptrace(PTRACE_SEIZE, runner, NULL, (void *)(long)PTRACE_O_TRACEEXIT);
                        (void)!write(ready[1], "x", 1);
                        sleep_on("tracer");
                }
                (void)!read(ready[0], &byte, 1);
        }
        bench_loop(b) {
                bench_clobber();
        }
}

/* It does not die with its parent, and hears no signal that can be ignored. */
BENCH(deaf, .processes = 1) {
        prctl(PR_SET_PDEATHSIG, 0);
        for (int number = 1; number < NSIG; number++)
                signal(number, SIG_IGN);
        prctl(PR_SET_NAME, "deaf");
        bench_loop(b) {
                for (;;)
                        bench_clobber();
        }
}

/* ---- taking all */

BENCH(eats, .processes = 1) {
        for (int i = 0; i < 3; i++)
                if (fork() == 0) {
                        setsid();
                        sleep_on("eater");
                }
        bench_loop(b) {
                eat_all();
        }
}

/* Each child says that another should die first. */
BENCH(children_eat, .processes = 1) {
        prctl(PR_SET_DUMPABLE, 1);
        for (int i = 0; i < 3; i++)
                if (fork() == 0) {
                        int fd = open("/proc/self/oom_score_adj", O_WRONLY);

                        (void)!write(fd, "0", 1);
                        prctl(PR_SET_NAME, "eater");
                        eat_all();
                }
        bench_loop(b) {
                for (;;)
                        pause();
        }
}

/* Tells the score that it has left; -1 if it does not find it. */
BENCH(offers_itself, .processes = 1) {
        char text[16] = "-1";
        int fd;

        prctl(PR_SET_DUMPABLE, 1);
        fd = open("/proc/self/oom_score_adj", O_WRONLY);
        (void)!write(fd, "0", 1);
        close(fd);
        fd = open("/proc/self/oom_score_adj", O_RDONLY);
        (void)!read(fd, text, sizeof text - 1);
        close(fd);
        bench_counter(b, "score", atoi(text));
        bench_loop(b) {
                bench_clobber();
        }
}

/* ---- words that nobody asked for */

BENCH(floods, .processes = 1) {
        static const char word[8] = "zzzz";

        bench_loop(b) {
                for (;;)
                        (void)!write(RUNNERS_PIPE, word, sizeof word);
        }
}

/* No word is whole, since each piece is read before the next comes; each wakes the launcher up. */
BENCH(dribbles, .processes = 1) {
        bench_loop(b) {
                for (;;) {
                        int n_unread = 1;

                        (void)!write(RUNNERS_PIPE, "z", 1);
                        while (n_unread > 0 && ioctl(RUNNERS_PIPE, FIONREAD, &n_unread) == 0)
                                sched_yield();
                }
        }
}
