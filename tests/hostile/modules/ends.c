/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Every way to leave a loop but the right one, and every way for a process to go.
 */

#include <benchd/bench.h>

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

BENCH_AREA(ends, .about = "each ends in its own way");

BENCH(well, .area = "ends") {
        uint64_t x = 1;

        bench_loop(b) {
                x += x;
                bench_opaque(x);
        }
}

BENCH(by_break, .area = "ends") {
        bench_loop(b) {
                if (bench_batch(b) > 1)
                        break;
        }
}

BENCH(by_return, .area = "ends") {
        bench_loop(b) {
                if (bench_batch(b) > 1)
                        return;
        }
}

BENCH(by_goto, .area = "ends") {
        bench_loop(b) {
                if (bench_batch(b) > 1)
                        goto out;
        }
out:
        bench_clobber();
}

BENCH(by_longjmp, .area = "ends") {
        jmp_buf place;

        if (setjmp(place))
                return;
        bench_loop(b) {
                if (bench_batch(b) > 1)
                        longjmp(place, 1);
        }
}

BENCH(by_fail, .area = "ends") {
        bench_loop(b) {
                bench_fail(b, "the answer is %d, not 42", 41);
        }
}

BENCH(by_skip, .area = "ends") {
        bench_skip(b, "this machine has no %s", "flux capacitor");
}

BENCH(by_exit, .area = "ends") {
        bench_loop(b) {
                if (bench_batch(b) > 1)
                        exit(3);
        }
}

BENCH(by_quick_exit, .area = "ends") {
        bench_loop(b) {
                _exit(0);
        }
}

BENCH(without_loop, .area = "ends") {
}

BENCH(two_loops, .area = "ends") {
        bench_loop(b) {
                bench_clobber();
        }
        bench_loop(b) {
                bench_clobber();
        }
}

BENCH(loop_in_loop, .area = "ends") {
        bench_loop(b) {
                bench_loop(b) {
                        bench_clobber();
                }
        }
}

BENCH(by_segv, .area = "ends") {
        volatile int *nowhere = NULL;

        bench_loop(b) {
                if (bench_batch(b) > 1)
                        *nowhere = 1;
        }
}

BENCH(by_abort, .area = "ends") {
        bench_loop(b) {
                abort();
        }
}

BENCH(by_stack_overflow, .area = "ends") {
        bench_loop(b) {
                volatile char *page = __builtin_alloca(64u << 20);

                page[0] = 1;
                bench_use(page[0]);
        }
}

BENCH(by_pthread_exit, .area = "ends") {
        bench_loop(b) {
                pthread_exit(NULL);
        }
}

BENCH(spins, .area = "ends", .hidden = 1) {
        bench_loop(b) {
                for (;;)
                        bench_clobber();
        }
}

BENCH(stops_itself, .area = "ends", .hidden = 1) {
        bench_loop(b) {
                raise(SIGSTOP);
        }
}

BENCH(paused_twice, .area = "ends") {
        bench_loop(b) {
                bench_pause(b);
                bench_pause(b);
        }
}

BENCH(resumed_unpaused, .area = "ends") {
        bench_loop(b) {
                bench_resume(b);
        }
}

BENCH(left_paused, .area = "ends") {
        bench_loop(b) {
                if (bench_index(b) + 1 == bench_batch(b))
                        bench_pause(b);
        }
}

BENCH(input_unasked, .area = "ends") {
        bench_loop(b) {
                bench_use(bench_input(b));
        }
}

static void fill(void *input, uint64_t index, void *ctx) {
        (void)ctx;
        *(uint64_t *)input = index;
}

BENCH(inputs_in_loop, .area = "ends") {
        bench_loop(b) {
                bench_inputs(b, 8, fill, NULL, NULL);
        }
}

BENCH(inputs_of_nothing, .area = "ends") {
        bench_inputs(b, 0, fill, NULL, NULL);
        bench_loop(b) {
                bench_clobber();
        }
}

BENCH(with_method, .area = "ends", .method = "mark4") {
        bench_loop(b) {
                bench_clobber();
        }
}

BENCH(with_unknown_method, .area = "ends", .method = "mark9") {
        bench_loop(b) {
                bench_clobber();
        }
}

BENCH(with_threads, .area = "ends", .threads = BENCH_THREADS(1000)) {
        bench_loop(b) {
                bench_clobber();
        }
}

BENCH(without_argument, .area = "ends") {
        bench_use(bench_arg(b, 3));
        bench_loop(b) {
                bench_clobber();
        }
}

static pthread_mutex_t shut = PTHREAD_MUTEX_INITIALIZER;

static void *stay(void *nothing) {
        pthread_mutex_lock(&shut);
        return nothing;
}

BENCH(leaves_thread, .area = "ends", .iterations = 1) {
        pthread_mutex_lock(&shut);
        bench_loop(b) {
                pthread_t thread;

                if (pthread_create(&thread, NULL, stay, NULL))
                        bench_fail(b, "no thread");
        }
}
