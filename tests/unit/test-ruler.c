/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "clock/ruler.h"
#include "clock/tick.h"
#include "test.h"

TEST(a_ruler_of_as_many_ticks_as_cycles_runs_at_the_clocks_rate) {
        assert_true(fabs(ruler_core_hz(100, 10000, 0, 2.5e9) - 2.5e9) < 1);
}

TEST(half_the_ticks_are_twice_the_frequency_and_the_cost_is_taken_off) {
        assert_true(fabs(ruler_core_hz(100, 5070, 70, 2.5e9) - 5e9) < 1);
}

TEST(a_multiplication_of_three_additions_confirms_and_of_something_between_does_not) {
        static const struct {
                double ratio;
                bool confirms;
        } rows[] = {
                { 3.00, true },
                { 2.95, true },
                { 3.05, true },
                { 4.02, true }, /* a core whose latency is 4 */
                { 2.80, false },
                { 3.5, false },
                { 1.0, false },
                { 2.0, false },
                { 0.0, false },
        };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
                assert_int_equal(ruler_confirms(rows[i].ratio), rows[i].confirms);
}

TEST(a_ruler_takes_some_of_the_time_around_it) {
        for (uint32_t turns = 100; turns <= 100000; turns *= 10) {
                uint64_t before = tick_start(), additions = ruler_run(turns), between = tick_start(),
                         multiplications = ruler_run_multiplications(turns), after = tick_start();

                assert_in_range(additions, 1, between - before);
                assert_in_range(multiplications, 1, after - between);
        }
}
