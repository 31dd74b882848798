/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Corpses that nobody can reap while their tracer lives: the runner itself, and a leftover of it.
 */

#include <benchd/bench.h>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <unistd.h>

/* A child that traces @pid (0: the runner) and never looks at it. */
static void trace(pid_t pid) {
        int ready[2];
        char byte;

        if (pid == 0)
                pid = getpid();
        prctl(PR_SET_DUMPABLE, 1);
        prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
        if (pipe(ready) < 0)
                return;
        if (fork() == 0) {
                prctl(PR_SET_NAME, "tracer");
                ptrace(PTRACE_SEIZE, pid, NULL, NULL);
                (void)!write(ready[1], "x", 1);
                for (;;)
                        pause();
        }
        (void)!read(ready[0], &byte, 1);
}

BENCH(runner, .processes = 1) {
        trace(0);
        bench_loop(b) {
                bench_clobber();
        }
}

BENCH(leftover, .processes = 1) {
        pid_t pid = fork();

        if (pid == 0)
                for (;;)
                        pause();
        trace(pid);
        bench_loop(b) {
                bench_clobber();
        }
}
