/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Means over conditions: intervals that hold the truth as often as they say, and are of the spread within the conditions alone. */

#include <gsl/gsl_randist.h>
#include <gsl/gsl_statistics_double.h>

#include "stats/interval.h"

#include "random.h"

#define TRIALS 20000

static const double levels[] = { 0.03, -0.02, 0.05, -0.06 }; /* of four conditions: their mean is 0 */

/* Shares of intervals of @n values that hold the mean of the four levels, with @lost of them left out at chance; and their mean half. */
static double coverage(gsl_rng *random, size_t n, size_t lost, double *ret_half) {
        size_t n_covered = 0;
        double half = 0;

        for (int trial = 0; trial < TRIALS; trial++) {
                uint32_t all[36], strata[36];
                Interval interval;
                double values[36];

                for (uint32_t i = 0; i < n; i++)
                        all[i] = i % 4;
                /* each condition keeps one at least */
                gsl_ran_shuffle(random, all + 4, n - 4, sizeof *all);
                for (size_t i = 0; i < n - lost; i++) {
                        strata[i] = all[i];
                        values[i] = levels[strata[i]] + gsl_ran_gaussian(random, 0.001);
                }
                assert_int_equal(interval_of_mean(values, strata, n - lost, 0.95, &interval), 0);
                n_covered += interval.low <= 0 && interval.high >= 0;
                half += (interval.high - interval.low) / 2 / TRIALS;
        }
        *ret_half = half;
        return (double)n_covered / TRIALS;
}

/* Their levels are 30 times as far apart as the values within one. */
TEST(an_interval_over_conditions_is_narrow_and_covers_as_often_as_it_says) {
        static const struct {
                size_t n, lost;
        } rows[] = { { 12, 0 }, { 8, 0 }, { 10, 0 }, { 36, 0 }, { 12, 4 }, { 12, 6 } };
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                double half, share = coverage(random, rows[i].n, rows[i].lost, &half);

                print_message("%zu values, %zu lost: ± %.4f, covers %.1f %%\n", rows[i].n, rows[i].lost, half,
                                100 * share);
                assert_true(fabs(share - 0.95) < share_tolerance(0.95, TRIALS));
                assert_true(half < 0.003);
        }
}

/* One value a condition: the spread within them is unknown, and that of all stands in. */
TEST(without_freedom_the_interval_is_at_least_as_wide_as_it_must_be) {
        static const uint32_t strata[] = { 0, 1, 2, 3 };
        IntervalStrataMean mean;

        assert_int_equal(interval_strata_mean(levels, strata, 4, &mean), 0);
        assert_true(fabs(mean.mean) < 1e-12 && mean.freedom == 3 && mean.error > 0.02);
        assert_int_equal(mean.n_strata, 4);
        assert_int_equal(interval_strata_mean(levels, strata, 1, &mean), 0);
        assert_true(mean.mean == 0.03 && isnan(mean.error));
        assert_int_equal(interval_strata_mean(levels, strata, 0, &mean), INTERVAL_STRATA_E_EMPTY);
}

TEST(an_uneven_number_a_condition_moves_nothing) {
        static const double values[] = { 1, 1, 1, 1, 1, 3 };
        static const uint32_t strata[] = { 0, 0, 0, 0, 0, 5 };
        double level[6];
        IntervalStrataMean mean;

        assert_int_equal(interval_strata_mean(values, strata, 6, &mean), 0);
        assert_true(mean.mean == 2 && mean.error == 0 && mean.means[0] == 1 && mean.means[5] == 3 &&
                        isnan(mean.means[1]));
        interval_strata_level(values, strata, 6, &mean, level);
        for (size_t i = 0; i < 6; i++)
                assert_true(level[i] == 2);
}

TEST(a_precision_of_conditions_is_of_the_spread_within_them) {
        double values[12];
        uint32_t strata[12];
        size_t n;

        for (uint32_t i = 0; i < 12; i++) {
                strata[i] = i % 4;
                values[i] = exp(levels[i % 4] + (i % 3 ? 0.0001 : -0.0001));
        }
        assert_int_equal(interval_processes(values, strata, 12, 0.001, 0.95, &n), 0);
        assert_int_equal(n, 12);
        assert_int_equal(interval_processes(values, NULL, 12, 0.001, 0.95, &n), 0);
        assert_true(n > 1000);
}

/* How many processes a precision needs: Stein's rule with R 4.2.2's quantile, and whether it keeps its promise. */

TEST(the_number_is_steins) {
        /* ceil((qt(.975, 4) * s / h)^2): s = 0.02, h = 0.01; qt(.975, 4) = 2.77644510519779 */
        assert_int_equal(interval_processes_needed(0.02, 4, 5, 0.01, 0.95), ceil(pow(2.77644510519779 * 2, 2)));
        assert_int_equal(interval_processes_needed(0.001, 4, 5, 0.01, 0.95), 5);
        assert_int_equal(interval_processes_needed(0, 4, 5, 0, 0.95), 5);
        assert_int_equal(interval_processes_needed(0.01, 4, 5, 0, 0.95), INTERVAL_PROCESSES_MAX);
}

TEST(it_is_the_relative_spread_that_counts) {
        double values[] = { 100, 102, 99, 101, 98 }, scaled[5], zero[] = { 1, 0, 1 };
        size_t n, again;

        for (size_t i = 0; i < 5; i++)
                scaled[i] = values[i] * 1e6;
        assert_int_equal(interval_processes(values, NULL, 5, 0.01, 0.95, &n), 0);
        assert_int_equal(interval_processes(scaled, NULL, 5, 0.01, 0.95, &again), 0);
        assert_int_equal(n, again);
        /* sd(log(values)) = 0.01581, log(1.01) = 0.00995: (2.776 * 1.589)^2 = 19.5 */
        assert_int_equal(n, 20);
        assert_int_equal(interval_processes(values, NULL, 1, 0.01, 0.95, &n), INTERVAL_PROCESSES_E_TOO_FEW);
        assert_int_equal(interval_processes(zero, NULL, 3, 0.01, 0.95, &n), INTERVAL_PROCESSES_E_NOT_POSITIVE);
}

TEST(the_wanted_width_covers_the_truth_as_often_as_it_says) {
        _cleanup_(random_freep) gsl_rng *random = new_random();
        const int n_trials = 10000;
        int n_covered = 0;

        for (int trial = 0; trial < n_trials; trial++) {
                double values[5], sum = 0;
                size_t n;

                for (size_t i = 0; i < 5; i++)
                        sum += log(values[i] = gsl_ran_lognormal(random, 0, 0.02));
                assert_int_equal(interval_processes(values, NULL, 5, 0.02, 0.95, &n), 0);
                for (size_t i = 5; i < n; i++)
                        sum += gsl_ran_gaussian(random, 0.02);
                n_covered += fabs(sum / n) <= log(1.02);
        }
        assert_true((double)n_covered / n_trials > 0.95 - share_tolerance(0.95, n_trials));
}

TEST(what_ten_processes_may_miss_is_a_quarter) {
        /* R 4.2.2: qbeta(.95, 1, 10), the upper limit of Clopper and Pearson for 0 of 10 */
        assert_true(fabs(interval_unseen_share(10, 0.95) - 0.258865550893) < 1e-11);
        assert_true(interval_unseen_share(1, 0.95) == 0.95);
        for (size_t n = 1; n < 1000; n++)
                assert_true(fabs(pow(1 - interval_unseen_share(n, 0.9), n) - 0.1) < 1e-9);
}
