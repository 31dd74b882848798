/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A step backwards between two CPUs' counters is seen whichever side makes it, and the test ends by itself. */

#include <sched.h>

#include "clock/warp.h"
#include "test.h"

#define N_READINGS 10000
#define N_TRIES    5

TEST(the_largest_step_backwards_is_kept) {
        static const uint64_t ticks[] = { 100, 130, 125, 200, 190, 199, 300 };
        Warp warp = {};

        for (size_t i = 0; i < sizeof ticks / sizeof *ticks; i++)
                warp_note(&warp, i % 2, ticks[i]);
        assert_int_equal(warp.largest_ticks, 10);
        assert_int_equal(warp.n_handovers, 6);
}

/* Two counters that run alike, one of them behind by @behind, read in turns that are @gap apart at least. */
static uint64_t warp_of(uint64_t behind, uint64_t gap) {
        uint64_t now = 1000000;
        Warp warp = {};

        for (unsigned i = 0; i < N_READINGS; i++) {
                int side = lrand48() & 1;

                now += gap + lrand48() % 20;
                warp_note(&warp, side, side ? now - behind : now);
        }
        return warp.largest_ticks;
}

TEST(counters_apart_by_more_than_a_turn_are_found_out) {
        seed_random();
        for (uint64_t behind = 50; behind < 5000; behind += 50) {
                uint64_t seen = warp_of(behind, 20);

                assert_in_range(seen, behind - 39, behind - 20);
        }
        assert_int_equal(warp_of(0, 20), 0);
        assert_int_equal(warp_of(15, 20), 0);
}

TEST(turns_of_one_side_alone_are_no_handover) {
        Warp warp = {};

        for (uint64_t i = 0; i < 10; i++)
                warp_note(&warp, 0, i);
        assert_int_equal(warp.n_handovers, 0);
}

TEST(a_cpu_that_is_not_there_is_not_tested) {
        Warp warp;

        assert_false(warp_test(-1, 1, &warp));
        assert_false(warp_test(CPU_SETSIZE, 1, &warp));
}

TEST(two_cpus_of_this_machine_take_turns) {
        cpu_set_t all;
        int first = -1, last = -1;
        Warp warp;

        assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
        for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
                if (!CPU_ISSET(cpu, &all))
                        continue;
                first = first < 0 ? cpu : first;
                last = cpu;
        }
        if (first == last)
                skip();
        CPU_ZERO(&all);
        CPU_SET(last, &all);
        assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
        for (int i = 0; i < N_TRIES; i++)
                if (warp_test(first, 200, &warp)) {
                        assert_true(warp.n_handovers >= 100);
                        return;
                }
        print_message("the other CPU was too busy to take turns\n");
        skip();
}
