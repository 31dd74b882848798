/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <time.h>

#include "launch/grant.h"
#include "ops/window.h"
#include "test.h"

#define MS      1000000ull
#define N_SPANS 4096

typedef struct Span {
        uint64_t begin_ns, end_ns;
} Span;

TEST(the_first_window_is_granted_at_once) {
        Grant grant = {};

        assert_int_equal(grant_wait_ns(&grant, 5), 0);
        assert_int_equal(grant_begin(&grant, 5), 5 + WINDOW_LENGTH_NS);
}

TEST(a_rest_follows_in_proportion) {
        Grant grant = {};

        grant_begin(&grant, 0);
        grant_end(&grant, 90 * MS);
        assert_int_equal(grant_wait_ns(&grant, 90 * MS), 10 * MS);
        assert_int_equal(grant_wait_ns(&grant, 95 * MS), 5 * MS);
        assert_int_equal(grant_wait_ns(&grant, 200 * MS), 0);
}

TEST(an_end_without_a_beginning_is_nothing) {
        Grant grant = {};

        grant_end(&grant, 100);
        assert_int_equal(grant_wait_ns(&grant, 0), 0);
}

static uint64_t realtime_within(const Span *spans, size_t n, uint64_t from_ns, uint64_t to_ns) {
        uint64_t sum = 0;

        for (size_t i = 0; i < n; i++) {
                uint64_t begin = spans[i].begin_ns > from_ns ? spans[i].begin_ns : from_ns;
                uint64_t end = spans[i].end_ns < to_ns ? spans[i].end_ns : to_ns;

                sum += end > begin ? end - begin : 0;
        }
        return sum;
}

/* The kernel's limit is 950 ms of real time in a second. */
TEST(a_greedy_runner_stays_under_the_kernels_limit_in_every_second) {
        static Span spans[N_SPANS];
        long seed = time(NULL);
        uint64_t now_ns = 0;
        Grant grant = {};

        printf("seed %ld\n", seed);
        srand48(seed);
        for (size_t i = 0; i < N_SPANS; i++) {
                now_ns += grant_wait_ns(&grant, now_ns);
                spans[i].begin_ns = now_ns;
                grant_begin(&grant, now_ns);
                now_ns += drand48() < 0.5 ? WINDOW_LENGTH_NS : 1 + drand48() * WINDOW_LENGTH_NS;
                spans[i].end_ns = now_ns;
                grant_end(&grant, now_ns);
        }
        for (size_t i = 0; i < N_SPANS; i++)
                assert_true(realtime_within(spans, N_SPANS, spans[i].begin_ns, spans[i].begin_ns + 1000 * MS) <
                                940 * MS);
}
