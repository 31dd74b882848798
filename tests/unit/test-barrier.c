/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The barrier: nobody goes on before all have come, in whichever way each waits; one that is broken holds nobody. */

#include "runner/time/barrier.h"

#include <pthread.h>
#include <stdatomic.h>

#include "test.h"

#define N_THREADS 4u
#define N_ROUNDS  300u

static Barrier barrier;
static atomic_uint rounds[N_THREADS]; /* that each has begun */
static atomic_uint n_early;           /* times that one was seen behind */
static atomic_uint n_outcomes[3];

static unsigned lowest_round(void) {
        unsigned lowest = UINT32_MAX;

        for (size_t i = 0; i < N_THREADS; i++)
                lowest = rounds[i] < lowest ? rounds[i] : lowest;
        return lowest;
}

static int wait_somehow(unsigned round, size_t index) {
        return (round + index) % 3 ? barrier_spin(&barrier) : barrier_wait(&barrier, BARRIER_FOREVER_NS);
}

static void *go_round(void *argument) {
        size_t index = (size_t)argument;

        for (unsigned round = 1; round <= N_ROUNDS; round++) {
                rounds[index] = round;
                n_outcomes[wait_somehow(round, index)]++;
                n_early += lowest_round() < round;
        }
        return NULL;
}

static void on_threads(void *(*function)(void *argument)) {
        pthread_t threads[N_THREADS];

        for (size_t i = 0; i < N_THREADS; i++)
                assert_int_equal(pthread_create(&threads[i], NULL, function, (void *)i), 0);
        for (size_t i = 0; i < N_THREADS; i++)
                assert_int_equal(pthread_join(threads[i], NULL), 0);
}

static int set_up(void **state) {
        barrier_init(&barrier, N_THREADS);
        for (size_t i = 0; i < N_THREADS; i++)
                rounds[i] = 0;
        for (size_t i = 0; i < 3; i++)
                n_outcomes[i] = 0;
        n_early = 0;
        return 0;
}

TEST(nobody_goes_on_before_all_have_come, set_up) {
        on_threads(go_round);
        assert_int_equal(n_outcomes[0], N_THREADS * N_ROUNDS);
        assert_int_equal(n_early, 0);
}

/* The last does not come in a round that it has to itself, and breaks it instead. */
static void *come_until_broken(void *argument) {
        int r = 0;

        for (unsigned round = 1; r == 0; round++) {
                if (argument == NULL && round == 100) {
                        barrier_break(&barrier);
                        return NULL;
                }
                r = wait_somehow(round, (size_t)argument);
        }
        n_outcomes[r]++;
        return NULL;
}

TEST(a_broken_one_lets_everybody_go_and_tells_them, set_up) {
        on_threads(come_until_broken);
        assert_int_equal(n_outcomes[BARRIER_E_BROKEN], N_THREADS - 1);
        assert_int_equal(barrier_wait(&barrier, BARRIER_FOREVER_NS), BARRIER_E_BROKEN);
        assert_int_equal(barrier_spin(&barrier), BARRIER_E_BROKEN);
}

TEST(one_that_nobody_comes_to_is_left_when_patience_ends, set_up) {
        assert_int_equal(barrier_wait(&barrier, 1000000), BARRIER_E_ALONE);
}

TEST(one_of_a_single_member_holds_nobody, set_up) {
        barrier_init(&barrier, 1);
        for (unsigned i = 0; i < 10; i++) {
                assert_int_equal(barrier_spin(&barrier), 0);
                assert_int_equal(barrier_wait(&barrier, 0), 0);
        }
}
