/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A row of a comparison: what is unresolved tells how many processes would tell, or in words why none will; what is resolved
 * tells neither.
 */

#include "front/comparing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ops/plan.h"
#include "stats/comparison.h"
#include "stats/precision.h"
#include "util/cleanup.h"

#define ROWS 12

static Arena *arena;

static int set_up(void **state) {
        return arena_new(&arena);
}

static int tear_down(void **state) {
        arena = arena_free(arena);
        return 0;
}

static Benchd__ComparisonResult fill(const Comparison *row) {
        Benchd__ComparisonResult message = BENCHD__COMPARISON_RESULT__INIT;

        assert_int_equal(comparing_fill(row, ROWS, 0.005, arena, &message), 0);
        return message;
}

static void what_is_resolved_asks_for_nothing(void **state) {
        static const ComparisonVerdict verdicts[] = { COMPARISON_SAME, COMPARISON_FASTER, COMPARISON_SLOWER };

        for (size_t i = 0; i < N_ELEMENTS(verdicts); i++) {
                Benchd__ComparisonResult message = fill(&(Comparison){ .ratio = 1.02,
                                .low = 1.01,
                                .high = 1.03,
                                .verdict = verdicts[i],
                                .processes_needed = 20 });

                assert_true(message.ratio->point == 1.02 && message.ratio->low == 1.01 && message.ratio->high == 1.03);
                assert_true(message.margin == 0.005);
                assert_false(message.has_processes_needed);
                assert_int_equal(message.n_warnings, 0);
        }
}

static void as_many_processes_as_can_be_had_are_told(void **state) {
        Benchd__ComparisonResult message = fill(
                        &(Comparison){ .verdict = COMPARISON_UNRESOLVED, .processes_needed = RUNNER_PROCESSES_MAX });

        assert_int_equal(message.processes_needed, RUNNER_PROCESSES_MAX);
        assert_int_equal(message.n_warnings, 0);
}

static void where_more_are_needed_than_can_be_had_it_is_said_what_else_to_do(void **state) {
        static const size_t needed[] = { RUNNER_PROCESSES_MAX + 1, PRECISION_N_MAX };

        for (size_t i = 0; i < N_ELEMENTS(needed); i++) {
                Benchd__ComparisonResult message =
                                fill(&(Comparison){ .verdict = COMPARISON_UNRESOLVED, .processes_needed = needed[i] });

                assert_false(message.has_processes_needed);
                assert_int_equal(message.n_warnings, 1);
                assert_non_null(strstr(message.warnings[0], "not even 1000 processes would tell"));
                assert_non_null(strstr(message.warnings[0], "--margin"));
        }
}

static void what_the_other_rows_take_back_is_to_be_compared_alone(void **state) {
        Benchd__ComparisonResult message = fill(
                        &(Comparison){ .verdict = COMPARISON_UNRESOLVED, .processes_needed = 20, .taken_back = true });

        assert_false(message.has_processes_needed);
        assert_int_equal(message.n_warnings, 1);
        assert_non_null(strstr(message.warnings[0], "of 12 rows"));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(what_is_resolved_asks_for_nothing, set_up, tear_down),
                cmocka_unit_test_setup_teardown(as_many_processes_as_can_be_had_are_told, set_up, tear_down),
                cmocka_unit_test_setup_teardown(where_more_are_needed_than_can_be_had_it_is_said_what_else_to_do,
                                set_up, tear_down),
                cmocka_unit_test_setup_teardown(what_the_other_rows_take_back_is_to_be_compared_alone, set_up,
                                tear_down),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
