/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * How times grow with a size: R 4.2.2's weighted fits, and each form found again in noise.
 */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random.h"
#include "stats/complexity.h"
#include "util/cleanup.h"

static void the_fits_are_those_of_r(void **state) {
        /* lm(y ~ f - 1, weights = 1 / y^2): the coefficient, and sqrt(mean((resid / y)^2)) */
        static const double sizes[] = { 100, 200, 400, 800, 1600, 3200 },
                            times[] = { 3.5, 8.2, 18.1, 41.0, 88.5, 195.2 };
        static const double residuals[_COMPLEXITY_ORDER_N] = { 0.760518854009096, 0.718360787323617, 0.1868887852890836,
                0.01044086389073941, 0.674337164216343, 0.840967026320362 };
        ComplexityFit fit;

        assert_int_equal(complexity_fit(sizes, times, N_ELEMENTS(sizes), &fit), 0);
        for (ComplexityOrder order = 0; order < _COMPLEXITY_ORDER_N; order++)
                assert_true(fabs(fit.residuals[order] - residuals[order]) < 1e-12);
        assert_int_equal(fit.order, COMPLEXITY_N_LG_N);
        assert_true(fit.fits && fit.residual == fit.residuals[COMPLEXITY_N_LG_N]);
        assert_true(fabs(fit.coefficient - 0.00526826178282353) < 1e-15);
        assert_string_equal(complexity_forms[fit.order].name, "n lg n");
}

static void each_form_is_found_again_in_noise(void **state) {
        gsl_rng *random = new_random();

        for (int trial = 0; trial < 100; trial++)
                for (ComplexityOrder order = 0; order < _COMPLEXITY_ORDER_N; order++) {
                        double sizes[15], times[15], coefficient = gsl_ran_lognormal(random, 0, 3);
                        ComplexityFit fit;

                        for (size_t i = 0; i < N_ELEMENTS(sizes); i++) {
                                sizes[i] = 100 << i;
                                times[i] = coefficient * complexity_forms[order].of(sizes[i]) *
                                           exp(gsl_ran_gaussian(random, 0.05));
                        }
                        assert_int_equal(complexity_fit(sizes, times, N_ELEMENTS(sizes), &fit), 0);
                        assert_int_equal(fit.order, order);
                        assert_true(fit.fits && fit.residual < 0.15);
                        assert_true(fabs(fit.coefficient / coefficient - 1) < 0.1);
                }
        gsl_rng_free(random);
}

static void what_grows_like_none_of_them_is_said_to_fit_none(void **state) {
        const double sizes[] = { 10, 20, 30, 40 }, times[] = { 1, 1024, 1048576, 1073741824 };
        ComplexityFit fit;

        assert_int_equal(complexity_fit(sizes, times, 4, &fit), 0);
        assert_false(fit.fits);
        assert_true(fit.residual > COMPLEXITY_RESIDUAL_MAX);
}

static void two_sizes_are_too_few_however_often(void **state) {
        const double sizes[] = { 1, 2, 1, 2, 3 }, times[] = { 5, 5, 5, 5, 5 }, wrong[] = { 5, 5, 5, 5, 0 };
        const double small[] = { 0.5, 2, 3 };
        ComplexityFit fit;

        assert_int_equal(complexity_fit(sizes, times, 4, &fit), COMPLEXITY_E_TOO_FEW);
        assert_int_equal(complexity_fit(sizes, times, 0, &fit), COMPLEXITY_E_TOO_FEW);
        assert_int_equal(complexity_fit(sizes, wrong, 5, &fit), COMPLEXITY_E_NOT_POSITIVE);
        assert_int_equal(complexity_fit(small, times, 3, &fit), COMPLEXITY_E_NOT_POSITIVE);
        assert_int_equal(complexity_fit(sizes, times, 5, &fit), 0);
        assert_int_equal(fit.order, COMPLEXITY_1);
        assert_true(fit.coefficient == 5 && fit.residual == 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(the_fits_are_those_of_r),
                cmocka_unit_test(each_form_is_found_again_in_noise),
                cmocka_unit_test(what_grows_like_none_of_them_is_said_to_fit_none),
                cmocka_unit_test(two_sizes_are_too_few_however_often),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
