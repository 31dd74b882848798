/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Descriptors that are closed and children that come back: programs do so before they become another, a benchmark in the middle of
 * the runner. Those that harm nobody are measured.
 */

#define _GNU_SOURCE
#include <benchd/bench.h>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

BENCH_AREA(closes, .about = "what is the runner's, and children");

static void work(struct bench *b) {
        uint64_t x = 1;

        bench_loop(b) {
                x = x * 3 + 1;
                bench_opaque(x);
        }
}

/* ---- descriptors */

BENCH(all_before) {
        closefrom(3);
        work(b);
}

BENCH(all_within) {
        bench_loop(b)
                closefrom(0);
}

BENCH(range) {
        close_range(3, ~0u, 0);
        work(b);
}

BENCH(one_by_one) {
        for (int fd = 3; fd < 256; fd++)
                close(fd);
        work(b);
}

/* The new pipes may have the very numbers of the old ones. */
BENCH(all_and_makes_pipes) {
        int pipes[4][2];

        closefrom(3);
        for (int i = 0; i < 4; i++)
                if (pipe(pipes[i]))
                        bench_fail(b, "no pipe");
        work(b);
}

BENCH(puts_a_file_there) {
        int file = open("file", O_CREAT | O_RDWR, 0600);

        for (int fd = 3; fd < 64; fd++)
                if (fd != file)
                        dup2(file, fd);
        work(b);
}

BENCH(standard_ones) {
        close(0);
        close(1);
        close(2);
        work(b);
}

BENCH(limit_of_none) {
        setrlimit(RLIMIT_NOFILE, &(struct rlimit){});
        work(b);
}

/* ---- children */

BENCH(child_goes_on) {
        bench_loop(b)
                if (fork() < 0)
                        bench_fail(b, "no child");
}

BENCH(child_breaks) {
        bench_loop(b) {
                pid_t child = fork();

                if (child == 0)
                        break;
                waitpid(child, NULL, 0);
        }
}

BENCH(child_from_before) {
        (void)!fork();
        work(b);
}

BENCH(child_exits) {
        bench_loop(b) {
                pid_t child = fork();

                if (child == 0)
                        exit(3);
                waitpid(child, NULL, 0);
        }
}

BENCH(child_stays) {
        int pipes[2];
        pid_t child;

        if (pipe(pipes))
                bench_fail(b, "no pipe");
        child = fork();
        if (child == 0) {
                char c;

                close(pipes[1]);
                _exit((int)read(pipes[0], &c, 1));
        }
        work(b);
        close(pipes[1]);
        waitpid(child, NULL, 0);
}

BENCH(goes_to_background) {
        bench_loop(b)
                if (daemon(0, 0))
                        bench_fail(b, "no daemon");
}

BENCH(becomes_another) {
        bench_loop(b)
                execl("/bin/true", "true", NULL);
}
