/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How a sequence repeats itself: values of R 4.2.2, and sequences whose effective size is known. */

#include "random.h"
#include "stats/autocorrelation.h"
#include "stats/interval.h"

/* x' = rho x + noise: n (1 - rho) / (1 + rho) of its values count. */
static void fill_repeating(gsl_rng *random, double rho, double *values, size_t n) {
        double x = gsl_ran_gaussian(random, 1 / sqrt(1 - rho * rho));

        for (size_t i = 0; i < n; i++) {
                values[i] = 100 + x;
                x = rho * x + gsl_ran_gaussian(random, 1);
        }
}

TEST(the_first_lag_is_that_of_r) {
        /* acf(lh)$acf[2] */
        static const double lh[] = { 2.4, 2.4, 2.4, 2.2, 2.1, 1.5, 2.3, 2.3, 2.5, 2.0, 1.9, 1.7, 2.2, 1.8, 3.2, 3.2,
                2.7, 2.2, 2.2, 1.9, 1.9, 1.8, 2.7, 3.0, 2.3, 2.0, 2.0, 2.9, 2.9, 2.7, 2.7, 2.3, 2.6, 2.4, 1.8, 1.7, 1.5,
                1.4, 2.1, 3.3, 3.5, 3.5, 3.1, 2.6, 2.1, 3.4, 3.0, 2.9 };
        Autocorrelation found;

        assert_int_equal(autocorrelation_of(lh, N_ELEMENTS(lh), &found), 0);
        assert_true(fabs(found.lag1 - 0.575524475524475) < 1e-12);
        /* From the same acf by hand: pairs 1.5755, 0.0371 (lags 2 and 3), then a negative one: tau = 2 * 1.6126 - 1 */
        assert_true(fabs(found.ess - 48 / (2 * (1.575524475524475 + 0.181818181818182 - 0.144755244755245) - 1)) <
                        1e-9);
}

TEST(the_effective_size_is_that_of_the_process) {
        static const double rhos[] = { 0, 0.3, 0.5, 0.9 };
        enum {
                N = 100000
        };
        _cleanup_(freep) double *values = malloc(N * sizeof *values);
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (size_t i = 0; i < N_ELEMENTS(rhos); i++) {
                double truth = N * (1 - rhos[i]) / (1 + rhos[i]);
                Autocorrelation found;

                fill_repeating(random, rhos[i], values, N);
                assert_int_equal(autocorrelation_of(values, N, &found), 0);
                assert_true(fabs(found.lag1 - rhos[i]) < 0.03);
                assert_true(found.ess > 0.7 * truth && found.ess < 1.3 * truth);
        }
}

TEST(it_stays_between_one_and_all_and_sees_no_unit) {
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (int trial = 0; trial < 500; trial++) {
                size_t n = AUTOCORRELATION_N_MIN + gsl_rng_uniform_int(random, 100);
                double values[104], scaled[104];
                Autocorrelation found, again;

                fill_repeating(random, 1.98 * gsl_rng_uniform(random) - 0.99, values, n);
                for (size_t i = 0; i < n; i++)
                        scaled[i] = values[i] * 1024;
                assert_int_equal(autocorrelation_of(values, n, &found), 0);
                assert_int_equal(autocorrelation_of(scaled, n, &again), 0);
                assert_true(found.ess >= 1 && found.ess <= n && fabs(found.lag1) <= 1);
                assert_true(fabs(again.lag1 - found.lag1) < 1e-9 && fabs(again.ess - found.ess) < 1e-6 * n);
        }
}

TEST(what_alternates_counts_as_independent_at_most) {
        double values[40];
        Autocorrelation found;

        for (size_t i = 0; i < N_ELEMENTS(values); i++)
                values[i] = i % 2;
        assert_int_equal(autocorrelation_of(values, N_ELEMENTS(values), &found), 0);
        assert_true(found.ess == 40 && found.lag1 < -0.9);
}

TEST(equal_values_have_no_correlation_and_three_are_too_few) {
        const double values[] = { 7.1, 7.1, 7.1, 7.1 };
        Autocorrelation found;

        assert_int_equal(autocorrelation_of(values, 4, &found), 0);
        assert_true(isnan(found.lag1) && found.ess == 4);
        assert_int_equal(autocorrelation_of(values, 3, &found), AUTOCORRELATION_E_TOO_FEW);
}

/* ---- from process to process */

TEST(the_bound_is_andersons) {
        /* n, and the value in his formula by hand */
        static const struct {
                size_t n;
                double bound;
        } rows[] = { { 6, (-1 + 1.645 * 2) / 5 }, { 11, (-1 + 1.645 * 3) / 10 }, { 27, (-1 + 1.645 * 5) / 26 } };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                assert_false(autocorrelation_is_beyond(&(AutocorrelationLag){ rows[i].bound - 1e-9, rows[i].n }));
                assert_true(autocorrelation_is_beyond(&(AutocorrelationLag){ rows[i].bound + 1e-9, rows[i].n }));
        }
        assert_false(autocorrelation_is_beyond(&(AutocorrelationLag){ 0.99, AUTOCORRELATION_LOGS_N_MIN - 1 }));
        assert_false(autocorrelation_is_beyond(&(AutocorrelationLag){ NAN, 10 }));
        assert_true(autocorrelation_widening(&(AutocorrelationLag){ 0.1, 10 }) == 1 &&
                        autocorrelation_widening(&(AutocorrelationLag){ NAN, 10 }) == 1);
        assert_true(fabs(autocorrelation_widening(&(AutocorrelationLag){ 0.6, 10 }) - 2) < 1e-12);
}

TEST(what_has_no_logarithm_or_no_spread_has_no_succession) {
        static const double rows[][6] = { { 1, 2, 3, -1, 5, 6 }, { 0, 2, 3, 4, 5, 6 }, { 7, 7, 7, 7, 7, 7 } };
        AutocorrelationLag succession;

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                assert_int_equal(autocorrelation_of_logs(rows[i], NULL, 6, &succession), 0);
                assert_true(isnan(succession.lag1));
        }
        assert_int_equal(autocorrelation_of_logs((double[]){ 1, 2, 3, 4, 5 }, NULL, 5, &succession), 0);
        assert_true(isnan(succession.lag1));
        assert_int_equal(autocorrelation_of_logs((double[]){ 1, 2, 4, 8, 16, 32 }, NULL, 6, &succession), 0);
        assert_true(fabs(succession.lag1 - 0.5) < 1e-12); /* of 0 to 5 */
}

/* How often the interval of ten medians, each like the one before by @rho, holds the truth; and that which is widened for it. */
static void count_coverage(gsl_rng *random, double rho, size_t n_draws, double *ret_plain, double *ret_widened) {
        size_t n_plain = 0, n_widened = 0;
        double medians[10];

        for (size_t i = 0; i < n_draws; i++) {
                Interval interval;
                AutocorrelationLag succession;

                fill_repeating(random, rho, medians, 10);
                for (size_t j = 0; j < 10; j++)
                        medians[j] = exp((medians[j] - 100) / 100);
                assert_int_equal(interval_of_logs(medians, NULL, 10, 0.95, &interval), 0);
                n_plain += interval.low <= 1 && interval.high >= 1;
                assert_int_equal(autocorrelation_of_logs(medians, NULL, 10, &succession), 0);
                interval = interval_widened(interval, autocorrelation_widening(&succession), true);
                n_widened += interval.low <= 1 && interval.high >= 1;
        }
        *ret_plain = (double)n_plain / n_draws;
        *ret_widened = (double)n_widened / n_draws;
}

TEST(widening_takes_no_coverage_from_independent_processes_and_gives_some_to_others) {
        static const struct {
                double rho;
                double least;  /* coverage */
                double gained; /* by widening, at least */
        } rows[] = { { 0, 0.945, 0 }, { 0.35, 0.84, 0.005 }, { 0.6, 0.72, 0.03 } };
        enum {
                DRAWS = 20000
        };
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                double plain, widened;

                count_coverage(random, rows[i].rho, DRAWS, &plain, &widened);
                print_message("correlation %.2f: %.1f %% covered, %.1f %% widened\n", rows[i].rho, 100 * plain,
                                100 * widened);
                assert_true(widened >= rows[i].least);
                assert_true(widened - plain >= rows[i].gained);
        }
}
