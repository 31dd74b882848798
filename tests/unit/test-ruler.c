/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clock/ruler.h"

static void a_ruler_of_as_many_ticks_as_cycles_runs_at_the_clocks_rate(void **state) {
        assert_true(fabs(ruler_core_hz(100, 10000, 0, 2.5e9) - 2.5e9) < 1);
}

static void half_the_ticks_are_twice_the_frequency_and_the_cost_is_taken_off(void **state) {
        assert_true(fabs(ruler_core_hz(100, 5070, 70, 2.5e9) - 5e9) < 1);
}

static void a_multiplication_of_three_additions_confirms_and_of_something_between_does_not(void **state) {
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

static void a_longer_ruler_takes_longer(void **state) {
        assert_true(ruler_run(100000) > ruler_run(100));
        assert_true(ruler_run_multiplications(100000) > ruler_run_multiplications(100));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_ruler_of_as_many_ticks_as_cycles_runs_at_the_clocks_rate),
                cmocka_unit_test(half_the_ticks_are_twice_the_frequency_and_the_cost_is_taken_off),
                cmocka_unit_test(a_multiplication_of_three_additions_confirms_and_of_something_between_does_not),
                cmocka_unit_test(a_longer_ruler_takes_longer),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
