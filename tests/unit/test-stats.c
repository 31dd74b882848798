/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Estimators, against values that others published: R's documentation, Student's paper, NIST's reference datasets. */

#include "random.h"
#include "stats/interval.h"
#include "stats/pool.h"
#include "stats/quantile.h"

TEST(quantiles_are_those_of_r) {
        /* quantile(1:10, c(0, .01, .05, .1, .25, .5, .75, .95, .99, 1)) */
        static const double values[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
        static const double expected[][2] = { { 0, 1 }, { 0.01, 1.09 }, { 0.05, 1.45 }, { 0.1, 1.9 }, { 0.25, 3.25 },
                { 0.5, 5.5 }, { 0.75, 7.75 }, { 0.95, 9.55 }, { 0.99, 9.91 }, { 1, 10 } };

        for (size_t i = 0; i < N_ELEMENTS(expected); i++)
                assert_true(fabs(quantile_sorted(values, 10, expected[i][0]) - expected[i][1]) < 1e-12);
        assert_true(quantile_sorted(values, 1, 0.99) == 1);
}

TEST(quantiles_rise_with_p_and_stay_within_the_values) {
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (int trial = 0; trial < 500; trial++) {
                size_t n = 1 + gsl_rng_uniform_int(random, 200);
                double values[200], last = -INFINITY;

                for (size_t i = 0; i < n; i++)
                        values[i] = gsl_ran_lognormal(random, 0, 2);
                quantile_sort(values, n);
                for (size_t i = 1; i < n; i++)
                        assert_true(values[i - 1] <= values[i]);
                for (double p = 0; p <= 1; p += 0.01) {
                        double q = quantile_sorted(values, n, p);

                        assert_true(q >= last && q >= values[0] && q <= values[n - 1]);
                        last = q;
                }
        }
}

TEST(mean_and_deviation_are_the_certified_ones) {
        /* NIST StRD, univariate: NumAcc1 and NumAcc3 */
        double small[] = { 10000001, 10000003, 10000002 }, large[1001] = { 1000000.2 };
        PoolSummary summary;

        assert_int_equal(pool_summarize_values(small, 3, &summary), 0);
        assert_true(summary.mean == 10000002);
        assert_true(fabs(summary.stddev - 1) < 1e-12);

        for (size_t i = 1; i < N_ELEMENTS(large); i += 2) {
                large[i] = 1000000.1;
                large[i + 1] = 1000000.3;
        }
        assert_int_equal(pool_summarize_values(large, N_ELEMENTS(large), &summary), 0);
        assert_true(fabs(summary.mean - 1000000.2) < 1e-8);
        assert_true(fabs(summary.stddev - 0.1) < 1e-8);
}

TEST(the_deviation_from_the_median_is_not_scaled) {
        /* R: mad(1:9, constant = 1) is 2; mad(c(1, 1, 2, 2, 4, 6, 9), constant = 1) is 1 */
        double nine[] = { 9, 8, 7, 6, 5, 4, 3, 2, 1 }, seven[] = { 9, 1, 2, 6, 2, 4, 1 };
        PoolSummary summary;

        assert_int_equal(pool_summarize_values(nine, 9, &summary), 0);
        assert_true(summary.mad == 2);
        assert_int_equal(pool_summarize_values(seven, 7, &summary), 0);
        assert_true(summary.mad == 1 && summary.median == 2);
}

TEST(exactly_one_fastest_and_one_slowest_are_dropped) {
        double values[] = { 5, 1, 1, 100, 100, 3 }, two[] = { 1, 2 };
        PoolSummary summary;

        assert_int_equal(pool_summarize_values(values, 6, &summary), 0);
        assert_true(fabs(summary.trimmed_mean - (1 + 3 + 5 + 100) / 4.0) < 1e-12);
        assert_true(summary.best == 1 && summary.min == 1 && summary.max == 100 && summary.n == 6);
        assert_int_equal(pool_summarize_values(two, 2, &summary), 0);
        assert_true(isnan(summary.trimmed_mean));
}

TEST(shares_within_a_deviation_are_counted) {
        /* mean 5, deviation 3.16: 2 to 8 within one, all but 14 within two */
        double values[] = { 2, 3, 4, 5, 4, 3, 5, 14, 5, 5 }, one = 3;
        PoolSummary summary;

        assert_int_equal(pool_summarize_values(values, 10, &summary), 0);
        assert_true(summary.mean == 5);
        assert_true(summary.within_1sd == 0.9 && summary.within_2sd == 0.9);
        assert_int_equal(pool_summarize_values(&one, 1, &summary), 0);
        assert_true(isnan(summary.within_1sd) && isnan(summary.within_2sd));
}

TEST(shares_of_a_normal_sample_are_the_known_ones) {
        enum {
                N = 20000
        };
        _cleanup_(freep) double *values = malloc(N * sizeof *values);
        _cleanup_(random_freep) gsl_rng *random = new_random();
        PoolSummary summary;

        for (size_t i = 0; i < N; i++)
                values[i] = gsl_ran_gaussian(random, 3);
        assert_int_equal(pool_summarize_values(values, N, &summary), 0);
        assert_true(fabs(summary.within_1sd - 0.6827) < share_tolerance(0.6827, N));
        assert_true(fabs(summary.within_2sd - 0.9545) < share_tolerance(0.9545, N));
}

TEST(one_value_has_no_deviation_and_none_no_summary) {
        PoolSummary summary;
        double one = 7;

        assert_int_equal(pool_summarize_values(&one, 1, &summary), 0);
        assert_true(summary.median == 7 && summary.p99 == 7 && summary.mad == 0 && isnan(summary.stddev));
        assert_int_equal(pool_summarize_values(&one, 0, &summary), POOL_E_EMPTY);
}

/* Student 1908, hours of sleep gained by ten patients: R's sleep data, t.test of the differences */
static const double sleep_differences[] = { -1.2, -2.4, -1.3, -1.3, 0.0, -1.0, -1.8, -0.8, -4.6, -1.4 };

TEST(the_interval_is_students) {
        Interval interval;

        assert_int_equal(interval_of_mean(sleep_differences, NULL, 10, 0.95, &interval), 0);
        assert_true(fabs(interval.point - -1.58) < 1e-12);
        assert_true(fabs(interval.low - -2.4598858) < 1e-7);
        assert_true(fabs(interval.high - -0.7001142) < 1e-7);
}

TEST(the_interval_of_logs_is_its_exponential) {
        double values[10];
        Interval interval;

        for (size_t i = 0; i < 10; i++)
                values[i] = exp(sleep_differences[i]);
        assert_int_equal(interval_of_logs(values, NULL, 10, 0.95, &interval), 0);
        assert_true(fabs(interval.point - exp(-1.58)) < 1e-12);
        assert_true(fabs(interval.low - exp(-2.4598858)) < 1e-8);
        assert_true(fabs(interval.high - exp(-0.7001142)) < 1e-7);
}

TEST(an_interval_is_as_wide_as_what_its_values_cannot_show) {
        static const struct {
                Interval is;
                double half;
                Interval becomes;
        } rows[] = {
                { { 3, 3, 3 }, 0.5, { 3, 2.5, 3.5 } },
                { { 3, 1, 5 }, 0.5, { 3, 1, 5 } },
                { { 3, 2, 3.25 }, 0.5, { 3, 2, 3.5 } },
                { { 3, 1, 5 }, 0, { 3, 1, 5 } },
        };
        Interval none = interval_of_at_least((Interval){ 3, NAN, NAN }, 0.5);

        assert_true(isnan(none.low) && isnan(none.high) && none.point == 3);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                Interval interval = interval_of_at_least(rows[i].is, rows[i].half);

                assert_memory_equal(&interval, &rows[i].becomes, sizeof interval);
        }
}

TEST(few_values_have_no_interval) {
        const double values[] = { 1, 4, 0 };
        Interval interval;

        assert_int_equal(interval_of_logs(values, NULL, 2, 0.95, &interval), 0);
        assert_true(fabs(interval.point - 2) < 1e-12);
        assert_true(isnan(interval.low) && isnan(interval.high));
        assert_int_equal(interval_of_logs(values, NULL, 0, 0.95, &interval), INTERVAL_E_EMPTY);
        assert_int_equal(interval_of_logs(values, NULL, 3, 0.95, &interval), INTERVAL_E_NOT_POSITIVE);
}

TEST(an_interval_covers_the_truth_as_often_as_it_says) {
        _cleanup_(random_freep) gsl_rng *random = new_random();
        const int n_trials = 20000;

        for (size_t k = 3; k <= 10; k += 7) {
                int n_covered = 0;

                for (int trial = 0; trial < n_trials; trial++) {
                        Interval interval;
                        double values[10];

                        for (size_t i = 0; i < k; i++)
                                values[i] = gsl_ran_lognormal(random, log(42), 0.05);
                        assert_int_equal(interval_of_logs(values, NULL, k, 0.95, &interval), 0);
                        n_covered += interval.low <= 42 && interval.high >= 42;
                }
                /* five standard errors of a share of 0.95 in 20000 */
                assert_true(fabs((double)n_covered / n_trials - 0.95) < 5 * sqrt(0.95 * 0.05 / n_trials));
        }
}
