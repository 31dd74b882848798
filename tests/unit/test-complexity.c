/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * How times grow with a size: R 4.2.2's weighted fits, and each form found again in noise, with a constant part and without;
 * how often what grows like none of them is said to fit one.
 */

#include "random.h"
#include "stats/complexity.h"

static ComplexityFit fit;

TEST(the_fits_are_those_of_r) {
        /* lm(y ~ f - 1, weights = 1 / y^2): the coefficient, and sqrt(mean((resid / y)^2)) */
        static const double sizes[] = { 100, 200, 400, 800, 1600, 3200 },
                            times[] = { 3.5, 8.2, 18.1, 41.0, 88.5, 195.2 };
        static const double residuals[_COMPLEXITY_ORDER_N] = { 0.760518854009096, 0.718360787323617, 0.1868887852890836,
                0.01044086389073941, 0.674337164216343, 0.840967026320362 };

        assert_int_equal(complexity_fit(sizes, times, N_ELEMENTS(sizes), &fit), 0);
        for (ComplexityOrder order = 0; order < _COMPLEXITY_ORDER_N; order++)
                assert_true(fabs(fit.residuals[order] - residuals[order]) < 1e-12);
        assert_int_equal(fit.order, COMPLEXITY_N_LG_N);
        assert_true(fit.fits && fit.residual == fit.residuals[COMPLEXITY_N_LG_N]);
        assert_true(fabs(fit.coefficient - 0.00526826178282353) < 1e-15);
        assert_string_equal(complexity_forms[fit.order].name, "n lg n");
}

TEST(each_form_is_found_again_in_noise) {
        _cleanup_(random_freep) gsl_rng *random = new_random();
        int n_constants = 0;

        for (int trial = 0; trial < 100; trial++)
                for (ComplexityOrder order = 0; order < _COMPLEXITY_ORDER_N; order++) {
                        double sizes[15], times[15], coefficient = gsl_ran_lognormal(random, 0, 3);

                        for (size_t i = 0; i < N_ELEMENTS(sizes); i++) {
                                sizes[i] = 100 << i;
                                times[i] = coefficient * complexity_forms[order].of(sizes[i]) *
                                           exp(gsl_ran_gaussian(random, 0.02));
                        }
                        assert_int_equal(complexity_fit(sizes, times, N_ELEMENTS(sizes), &fit), 0);
                        assert_int_equal(fit.order, order);
                        assert_true(fit.fits);
                        assert_true(fit.constant != 0 || fabs(fit.coefficient / coefficient - 1) < 0.1);
                        n_constants += fit.constant != 0;
                }
        assert_true(n_constants <= 600 * (COMPLEXITY_CONSTANT_P + share_tolerance(COMPLEXITY_CONSTANT_P, 600)));
}

TEST(a_constant_part_is_that_of_r) {
        /* lm(y ~ f, weights = 1 / y^2), of strlen() and of a search whose lg n counts from 31 on */
        static const double lengths[] = { 8, 64, 1000, 16384, 65536 }, of_strlen[] = { 1.82, 1.91, 5.73, 75.54, 296.1 },
                            sizes[] = { 100, 200, 400, 800, 1600, 3200, 6400, 12800 },
                            of_search[] = { 1.4, 2.1, 3.1, 3.8, 4.7, 5.4, 6.3, 7.1 };

        assert_int_equal(complexity_fit(lengths, of_strlen, N_ELEMENTS(lengths), &fit), 0);
        assert_int_equal(fit.order, COMPLEXITY_N);
        assert_true(fabs(fit.constant - 1.693588346760666) < 1e-12);
        assert_true(fabs(fit.coefficient - 0.004380942802517883) < 1e-15);
        assert_true(fabs(fit.residual - 0.04150799942470818) < 1e-12);
        assert_true(fabs(fit.residuals[COMPLEXITY_N] - 0.5801778822961976) < 1e-12);

        assert_int_equal(complexity_fit(sizes, of_search, N_ELEMENTS(sizes), &fit), 0);
        assert_int_equal(fit.order, COMPLEXITY_LG_N);
        assert_true(fabs(fit.constant + 4.042313899089602) < 1e-11);
        assert_true(fabs(fit.coefficient - 0.8157370180370643) < 1e-12);
        assert_true(fabs(fit.residual - 0.02069319047815655) < 1e-12);
}

TEST(each_form_is_found_again_beside_a_constant) {
        _cleanup_(random_freep) gsl_rng *random = new_random();
        int n_found = 0, n = 0;

        for (int trial = 0; trial < 400; trial++)
                for (ComplexityOrder order = COMPLEXITY_LG_N; order < _COMPLEXITY_ORDER_N; order++, n++) {
                        double sizes[12], times[12], (*const of)(double size) = complexity_forms[order].of;
                        double constant = of(100 << (1 + gsl_rng_uniform_int(random, 6)));

                        for (size_t i = 0; i < N_ELEMENTS(sizes); i++) {
                                sizes[i] = 100 << i;
                                times[i] = (constant + of(sizes[i])) * exp(gsl_ran_gaussian(random, 0.02));
                        }
                        assert_int_equal(complexity_fit(sizes, times, N_ELEMENTS(sizes), &fit), 0);
                        assert_true(fit.fits);
                        n_found += fit.order == order && fabs(log(fit.constant / constant)) < 0.3;
                }
        print_message("found again: %.2f %%\n", 100.0 * n_found / n);
        assert_true(n_found >= n * (0.98 - share_tolerance(0.98, n)));
}

TEST(what_does_not_grow_is_not_said_to_beside_a_constant) {
        _cleanup_(random_freep) gsl_rng *random = new_random();
        int n_grow = 0;

        for (int trial = 0; trial < 2000; trial++) {
                double sizes[12], times[12];

                for (size_t i = 0; i < N_ELEMENTS(sizes); i++) {
                        sizes[i] = 100 << i;
                        times[i] = gsl_ran_lognormal(random, 0, 0.02);
                }
                assert_int_equal(complexity_fit(sizes, times, N_ELEMENTS(sizes), &fit), 0);
                assert_true(fit.fits);
                n_grow += fit.order != COMPLEXITY_1;
        }
        assert_true(n_grow <= 2000 * (0.001 + share_tolerance(0.001, 2000)));
}

/* A cache or a branch predictor is full from some size on: times are those of lg n on both sides of a jump. */
static void draw_jump(gsl_rng *random, const double *sizes, double *times, size_t n) {
        size_t at = 1 + gsl_rng_uniform_int(random, n - 1);
        double height = exp(1 + 2 * gsl_rng_uniform(random));

        for (size_t i = 0; i < n; i++)
                times[i] = (i < at ? 1 : height) * log2(sizes[i]) * gsl_ran_lognormal(random, 0, 0.02);
}

/* Any factor from a size to the next. */
static void draw_walk(gsl_rng *random, const double *sizes, double *times, size_t n) {
        double level = 0;

        for (size_t i = 0; i < n; i++)
                times[i] = exp(level += gsl_ran_gaussian(random, 1));
}

TEST(a_constant_makes_little_fit_that_grows_like_none_of_them) {
        static const struct {
                const char *name;
                void (*draw)(gsl_rng *random, const double *sizes, double *times, size_t n);
                double most; /* share said to fit a form */
        } rows[] = {
                { "a jump", draw_jump, 0.01 },
                { "any factor from size to size", draw_walk, 0.001 },
        };
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                double sizes[8], times[8];
                int n_fit = 0;

                for (int trial = 0; trial < 2000; trial++) {
                        for (size_t j = 0; j < N_ELEMENTS(sizes); j++)
                                sizes[j] = 100 << j;
                        rows[i].draw(random, sizes, times, N_ELEMENTS(sizes));
                        assert_int_equal(complexity_fit(sizes, times, N_ELEMENTS(sizes), &fit), 0);
                        n_fit += fit.fits;
                }
                print_message("%s: said to fit in %.2f %%\n", rows[i].name, n_fit / 20.0);
                assert_true(n_fit <= 2000 * (rows[i].most + share_tolerance(rows[i].most, 2000)));
        }
}

/* Shares of 2000 sweeps of @n sizes, each @factor times the one before and timed with an error of 2 %, as they are named. */
typedef struct Named {
        double any;
        double own; /* after the table's row @of */
} Named;

static Named share_named(gsl_rng *random, double (*of)(double size), size_t n, double first, double factor) {
        int n_any = 0, n_own = 0;

        for (int trial = 0; trial < 2000; trial++) {
                double sizes[8], times[8];

                for (size_t i = 0; i < n; i++) {
                        sizes[i] = first * pow(factor, i);
                        times[i] = of(sizes[i]) * gsl_ran_lognormal(random, 0, 0.02);
                }
                assert_int_equal(complexity_fit(sizes, times, n, &fit), 0);
                n_any += fit.fits;
                n_own += fit.fits && complexity_forms[fit.order].of == of;
        }
        return (Named){ n_any / 2000.0, n_own / 2000.0 };
}

static double of_power_1_2(double size) {
        return pow(size, 1.2);
}

static double of_power_1_5(double size) {
        return pow(size, 1.5);
}

TEST(an_order_is_named_where_it_is_true_and_no_other_is) {
        static const size_t lengths[] = { 3, 4, 5, 8 };
        static const struct { double first, factor; } grids[] = { { 16, 2 }, { 100, 10 } };
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (size_t i = 0; i < N_ELEMENTS(lengths) * N_ELEMENTS(grids); i++) {
                const size_t n = lengths[i / N_ELEMENTS(grids)], grid = i % N_ELEMENTS(grids);
                const double first = grids[grid].first, factor = grids[grid].factor;
                Named named;

                for (ComplexityOrder order = 0; order < _COMPLEXITY_ORDER_N; order++) {
                        named = share_named(random, complexity_forms[order].of, n, first, factor);
                        print_message("%s, %zu sizes: named in %.2f %%\n", complexity_forms[order].name, n,
                                        100 * named.own);
                        assert_true(named.own >= 0.99 - share_tolerance(0.99, 2000));
                }
                named = share_named(random, sqrt, n, first, factor);
                print_message("sqrt n, %zu sizes: an order in %.2f %%\n", n, 100 * named.any);
                assert_true(named.any <= 0.005 + share_tolerance(0.005, 2000));
                named = share_named(random, of_power_1_5, n, first, factor);
                print_message("n^1.5, %zu sizes: an order in %.2f %%\n", n, 100 * named.any);
                assert_true(named.any <= 0.005 + share_tolerance(0.005, 2000));
                if (grid == 0)
                        continue; /* n^1.2 over a few doublings is n lg n but for 3 to 5 %, and nothing tells them apart */
                named = share_named(random, of_power_1_2, n, first, factor);
                print_message("n^1.2, %zu sizes: an order in %.2f %%\n", n, 100 * named.any);
                assert_true(named.any <= 0.05 + share_tolerance(0.05, 2000));
        }
}

TEST(three_sizes_are_too_few_for_a_constant) {
        const double sizes[] = { 10, 100, 1000, 10000 }, times[] = { 1010, 1100, 2000, 11000 }; /* 1000 + n */

        assert_int_equal(complexity_fit(sizes, times, 3, &fit), 0);
        assert_true(fit.constant == 0);
        assert_int_equal(complexity_fit(sizes, times, 4, &fit), 0);
        assert_int_equal(fit.order, COMPLEXITY_N);
        assert_true(fabs(fit.constant - 1000) < 1e-6 && fabs(fit.coefficient - 1) < 1e-9);
}

TEST(what_grows_like_none_of_them_is_said_to_fit_none) {
        const double sizes[] = { 10, 20, 30, 40 }, times[] = { 1, 1024, 1048576, 1073741824 };

        assert_int_equal(complexity_fit(sizes, times, 4, &fit), 0);
        assert_false(fit.fits);
        assert_true(fit.residual > COMPLEXITY_RESIDUAL_MAX);
}

TEST(two_sizes_are_too_few_however_often) {
        const double sizes[] = { 1, 2, 1, 2, 3 }, times[] = { 5, 5, 5, 5, 5 }, wrong[] = { 5, 5, 5, 5, 0 };
        const double small[] = { 0.5, 2, 3 };

        assert_int_equal(complexity_fit(sizes, times, 4, &fit), COMPLEXITY_E_TOO_FEW);
        assert_int_equal(complexity_fit(sizes, times, 0, &fit), COMPLEXITY_E_TOO_FEW);
        assert_int_equal(complexity_fit(sizes, wrong, 5, &fit), COMPLEXITY_E_NOT_POSITIVE);
        assert_int_equal(complexity_fit(small, times, 3, &fit), COMPLEXITY_E_NOT_POSITIVE);
        assert_int_equal(complexity_fit(sizes, times, 5, &fit), 0);
        assert_int_equal(fit.order, COMPLEXITY_1);
        assert_true(fit.coefficient == 5 && fit.residual == 0);
}
