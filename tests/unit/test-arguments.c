/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The values of an axis. */

#include "ops/arguments.h"

#include "test.h"

typedef struct RangeCase {
        ListingAxis axis;
        size_t n;
        int64_t expected[4];
} RangeCase;

static const RangeCase cases[] = {
        { { .first = 1, .last = 1, .factor = 2 }, 1, { 1 } },
        { { .first = 1, .last = 4, .factor = 2 }, 3, { 1, 2, 4 } },
        { { .first = 1, .last = 5, .factor = 2 }, 4, { 1, 2, 4, 5 } },
        { { .first = 3, .last = 4, .factor = 10 }, 2, { 3, 4 } },
        { { .first = INT64_MAX / 2, .last = INT64_MAX, .factor = 2 }, 3, { INT64_MAX / 2, INT64_MAX - 1, INT64_MAX } },
        { { .first = 0, .last = 100, .step = 50 }, 3, { 0, 50, 100 } },
        { { .first = -5, .last = 6, .step = 5 }, 4, { -5, 0, 5, 6 } },
        { { .first = 7, .last = 7, .step = 1 }, 1, { 7 } },
        { { .first = 1, .last = 2, .step = INT64_MAX }, 2, { 1, 2 } },
        { { .first = INT64_MIN, .last = INT64_MAX, .step = INT64_MAX }, 4,
                        { INT64_MIN, -1, INT64_MAX - 1, INT64_MAX } },
};

TEST(a_range_goes_by_its_factor_or_step_and_ends_with_its_last) {
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
                assert_int_equal(arguments_axis_count(&cases[i].axis), cases[i].n);
                for (size_t k = 0; k < cases[i].n; k++) {
                        const ArgumentValue value = arguments_axis_value(&cases[i].axis, k);
                        const ArgumentValue next = argument_integer(cases[i].expected[k] + (value.integer < INT64_MAX));

                        assert_int_equal(value.integer, cases[i].expected[k]);
                        assert_true(arguments_axis_has(&cases[i].axis, &value));
                        if (k + 1 < cases[i].n && cases[i].expected[k + 1] != next.integer)
                                assert_false(arguments_axis_has(&cases[i].axis, &next));
                }
        }
        assert_int_equal(arguments_axis_count(&(ListingAxis){ .first = 1, .last = INT64_MAX, .factor = 2 }), 64);
}

TEST(a_list_has_the_values_of_its_kind) {
        const ListingAxis reals = { .kind = ARGUMENT_REAL, .n_values = 2, .reals = { 0.5, 0.75 } };
        const ListingAxis texts = { .kind = ARGUMENT_TEXT, .n_values = 2, .texts = { "0", "1e300" } };
        const ArgumentValue real = argument_real(0.75), text = argument_text("1e300"), other = argument_text("0.75");

        assert_int_equal(arguments_axis_count(&reals), 2);
        assert_true(arguments_axis_value(&reals, 1).real == 0.75);
        assert_string_equal(arguments_axis_value(&texts, 1).text, "1e300");
        assert_true(arguments_axis_has(&reals, &real) && arguments_axis_has(&texts, &text));
        assert_false(arguments_axis_has(&reals, &text) || arguments_axis_has(&reals, &other));
}

TEST(a_set_is_found_by_its_index) {
        static const ListingEntry entry = {
                .n_axes = 3,
                .axes = { { .first = 1, .last = 4, .factor = 2 },
                                { .kind = ARGUMENT_REAL, .n_values = 2, .reals = { 0.5, 0.75 } },
                                { .first = 0, .last = 100, .step = 50 } },
        };
        Arguments steps, seeks;
        size_t index = 0;

        arguments_init(&steps, &entry);
        arguments_init(&seeks, &entry);
        do {
                assert_int_equal(arguments_index(&steps), index);
                arguments_seek(&seeks, index++);
                assert_memory_equal(&steps, &seeks, sizeof steps);
        } while (arguments_step(&steps));
        assert_int_equal(index, 3 * 2 * 3);
}
