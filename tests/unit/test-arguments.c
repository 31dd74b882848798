/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The values of a range.
 */

#include "front/plan/arguments.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void a_range_goes_by_its_factor_and_ends_with_its_last(void **state) {
        static const struct {
                int64_t first, last, factor;
                size_t n;
                int64_t expected[4];
        } cases[] = {
                { 1, 1, 2, 1, { 1 } },
                { 1, 4, 2, 3, { 1, 2, 4 } },
                { 1, 5, 2, 4, { 1, 2, 4, 5 } },
                { 3, 4, 10, 2, { 3, 4 } },
                { INT64_MAX / 2, INT64_MAX, 2, 3, { INT64_MAX / 2, INT64_MAX - 1, INT64_MAX } },
        };
        int64_t values[ARGUMENTS_AXIS_VALUES_MAX];

        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
                ListingAxis axis = { .first = cases[i].first, .last = cases[i].last, .factor = cases[i].factor };

                assert_int_equal(arguments_axis_values(&axis, values), cases[i].n);
                assert_memory_equal(values, cases[i].expected, cases[i].n * sizeof *values);
        }
        assert_int_equal(arguments_axis_values(&(ListingAxis){ .first = 1, .last = INT64_MAX, .factor = 2 }, values),
                        ARGUMENTS_AXIS_VALUES_MAX);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_range_goes_by_its_factor_and_ends_with_its_last),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
