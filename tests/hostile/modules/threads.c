/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Two threads, of which one goes its own way, while the other comes along or waits for it.
 */

#include <benchd/bench.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TWO .threads = BENCH_THREADS(2)

static struct bench *bench_of_other;

static void wait_for_ever(void) {
        for (;;)
                bench_clobber();
}

static int is_late(struct bench *b) {
        return bench_thread(b) == 1 && bench_batch(b) > 1;
}

BENCH(well, TWO) {
        bench_loop(b) {
                bench_clobber();
        }
}

BENCH(one_breaks, TWO) {
        bench_loop(b) {
                if (is_late(b))
                        break;
        }
}

BENCH(one_returns, TWO) {
        bench_loop(b) {
                if (is_late(b))
                        return;
        }
}

BENCH(one_fails, TWO) {
        bench_loop(b) {
                if (is_late(b))
                        bench_fail(b, "out of luck");
        }
}

BENCH(one_fails_in_its_set_up, TWO) {
        if (bench_thread(b) == 1)
                bench_fail(b, "no set-up for me");
        bench_loop(b) {
                bench_clobber();
        }
}

BENCH(one_fails_after_its_loop, TWO) {
        bench_loop(b) {
                bench_clobber();
        }
        if (bench_thread(b) == 1)
                bench_fail(b, "a bad end");
}

BENCH(one_skips, TWO) {
        if (bench_thread(b) == 1)
                bench_skip(b, "not on a Saturday");
        bench_loop(b) {
                bench_clobber();
        }
}

BENCH(one_has_no_loop, TWO) {
        if (bench_thread(b) == 1)
                return;
        bench_loop(b) {
                bench_clobber();
        }
}

BENCH(one_has_a_second_loop, TWO) {
        bench_loop(b) {
                bench_clobber();
        }
        if (bench_thread(b) == 1)
                bench_loop(b) {
                        bench_clobber();
                }
}

BENCH(one_stays_paused, TWO) {
        bench_loop(b) {
                if (is_late(b) && bench_index(b) + 1 == bench_batch(b))
                        bench_pause(b);
        }
}

BENCH(one_exits, TWO) {
        bench_loop(b) {
                if (is_late(b))
                        exit(7);
        }
}

BENCH(one_crashes, TWO) {
        bench_loop(b) {
                if (is_late(b))
                        *(volatile int *)8 = 1;
        }
}

BENCH(one_ends_its_thread, TWO) {
        bench_loop(b) {
                if (is_late(b))
                        pthread_exit(NULL);
        }
}

BENCH(the_first_ends_its_thread, TWO) {
        bench_loop(b) {
                if (bench_thread(b) == 0 && bench_batch(b) > 1)
                        pthread_exit(NULL);
        }
}

/* The first would wait for ever: for the other, in its loop. */
BENCH(one_breaks_and_is_waited_for, TWO) {
        bench_loop(b) {
                if (is_late(b))
                        break;
                if (bench_thread(b) == 0 && bench_batch(b) > 1)
                        wait_for_ever();
        }
}

BENCH(the_first_breaks_and_is_waited_for, TWO) {
        bench_loop(b) {
                if (bench_thread(b) == 0 && bench_batch(b) > 1)
                        break;
                if (is_late(b))
                        pause();
        }
}

BENCH(one_fails_in_its_set_up_and_is_waited_for, TWO) {
        if (bench_thread(b) == 1)
                bench_fail(b, "do not wait");
        wait_for_ever();
        bench_loop(b) {
                bench_clobber();
        }
}

static void fail_on_input(void *input, uint64_t index, void *ctx) {
        struct bench *b = ctx;

        (void)input;
        if (bench_thread(b) == 1 && index == 3)
                bench_fail(b, "input 3 is not for me");
}

BENCH(one_fails_while_it_is_given_inputs, TWO) {
        bench_inputs(b, 8, fail_on_input, NULL, b);
        bench_loop(b) {
                bench_use(bench_input(b));
        }
}

static void fail_to_set_up(struct bench *b) {
        bench_fail(b, "nothing for any of them");
}

BENCH(set_up_fails_for_all, TWO, .setup = fail_to_set_up) {
        bench_loop(b) {
                bench_clobber();
        }
}

/* Ends the other's body from a thread that is not its own. */
BENCH(one_fails_in_the_name_of_the_other, TWO, .hidden = 1) {
        if (bench_thread(b) == 0)
                bench_of_other = b;
        bench_loop(b) {
                if (is_late(b) && bench_of_other)
                        bench_fail(bench_of_other, "it was not me");
        }
}

BENCH(one_blocks, TWO, .hidden = 1) {
        bench_loop(b) {
                if (is_late(b))
                        pause();
        }
}

BENCH(one_spins, TWO, .hidden = 1) {
        bench_loop(b) {
                if (is_late(b))
                        wait_for_ever();
        }
}

BENCH(one_stops_all, TWO, .hidden = 1) {
        bench_loop(b) {
                if (is_late(b))
                        raise(SIGSTOP);
        }
}
