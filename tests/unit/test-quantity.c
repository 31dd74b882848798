/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "front/quantity.h"

/* A process of @n_good undisturbed samples of 1.0 and @n_bad disturbed ones of 9.0. */
static double median_of_process(Quantity *quantity, size_t n_good, size_t n_bad) {
        double median = 0;

        assert_int_equal(quantity_reserve(quantity, n_good + n_bad), 0);
        for (size_t i = 0; i < n_good; i++)
                quantity_add(quantity, 1.0, true);
        for (size_t i = 0; i < n_bad; i++)
                quantity_add(quantity, 9.0, false);
        assert_int_equal(quantity_end_process(quantity, &median), 0);
        return median;
}

static void the_headline_is_undisturbed_where_half_and_ten_are(void **state) {
        static const struct {
                size_t n_good, n_bad;
                double median;
        } rows[] = { { 50, 0, 1 }, { 25, 25, 1 }, { 24, 26, 9 }, { 10, 10, 1 }, { 10, 11, 9 }, { 0, 5, 9 },
                { 3, 0, 1 } };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                Quantity quantity = {};

                assert_true(median_of_process(&quantity, rows[i].n_good, rows[i].n_bad) == rows[i].median);
                quantity_deinit(&quantity);
        }
}

static void each_process_has_its_own_median_and_both_summaries_hold_all(void **state) {
        Benchd__Quantity *message = NULL;
        Quantity quantity = {};
        Arena *arena = NULL;
        bool positive;

        assert_int_equal(arena_new(&arena), 0);
        assert_true(median_of_process(&quantity, 40, 10) == 1);
        assert_true(median_of_process(&quantity, 10, 40) == 9);
        assert_true(median_of_process(&quantity, 30, 20) == 1);
        assert_true(quantity_is_known(&quantity));
        assert_int_equal(quantity_report(&quantity, arena, &message, &positive), 0);
        assert_true(positive);
        assert_int_equal(message->raw->samples, 150);
        assert_int_equal(message->undisturbed->samples, 80);
        assert_true(fabs(message->point - cbrt(9)) < 1e-12);
        arena_free(arena);
        quantity_deinit(&quantity);
}

static void a_process_without_samples_makes_it_unknown(void **state) {
        Quantity quantity = {};

        assert_false(quantity_is_known(&quantity));
        median_of_process(&quantity, 10, 0);
        assert_true(quantity_is_known(&quantity));
        assert_true(isnan(median_of_process(&quantity, 0, 0)));
        assert_false(quantity_is_known(&quantity));
        quantity_deinit(&quantity);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(the_headline_is_undisturbed_where_half_and_ten_are),
                cmocka_unit_test(each_process_has_its_own_median_and_both_summaries_hold_all),
                cmocka_unit_test(a_process_without_samples_makes_it_unknown),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
