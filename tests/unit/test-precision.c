/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * How many processes a precision needs: Stein's rule with R 4.2.2's quantile, and whether it keeps its promise.
 */

#include <math.h>

#include <gsl/gsl_statistics_double.h>

#include "random.h"
#include "stats/precision.h"
#include "test.h"
#include "util/cleanup.h"

TEST(the_number_is_steins) {
        /* ceil((qt(.975, 4) * s / h)^2): s = 0.02, h = 0.01; qt(.975, 4) = 2.77644510519779 */
        assert_int_equal(precision_needed(0.02, 4, 5, 0.01, 0.95), ceil(pow(2.77644510519779 * 2, 2)));
        assert_int_equal(precision_needed(0.001, 4, 5, 0.01, 0.95), 5);
        assert_int_equal(precision_needed(0, 4, 5, 0, 0.95), 5);
        assert_int_equal(precision_needed(0.01, 4, 5, 0, 0.95), PRECISION_N_MAX);
}

TEST(it_is_the_relative_spread_that_counts) {
        double values[] = { 100, 102, 99, 101, 98 }, scaled[5], zero[] = { 1, 0, 1 };
        size_t n, again;

        for (size_t i = 0; i < 5; i++)
                scaled[i] = values[i] * 1e6;
        assert_int_equal(precision_processes(values, NULL, 5, 0.01, 0.95, &n), 0);
        assert_int_equal(precision_processes(scaled, NULL, 5, 0.01, 0.95, &again), 0);
        assert_int_equal(n, again);
        /* sd(log(values)) = 0.01581, log(1.01) = 0.00995: (2.776 * 1.589)^2 = 19.5 */
        assert_int_equal(n, 20);
        assert_int_equal(precision_processes(values, NULL, 1, 0.01, 0.95, &n), PRECISION_E_TOO_FEW);
        assert_int_equal(precision_processes(zero, NULL, 3, 0.01, 0.95, &n), PRECISION_E_NOT_POSITIVE);
}

TEST(the_wanted_width_covers_the_truth_as_often_as_it_says) {
        gsl_rng *random = new_random();
        const int n_trials = 10000;
        int n_covered = 0;

        for (int trial = 0; trial < n_trials; trial++) {
                double values[5], sum = 0;
                size_t n;

                for (size_t i = 0; i < 5; i++)
                        sum += log(values[i] = gsl_ran_lognormal(random, 0, 0.02));
                assert_int_equal(precision_processes(values, NULL, 5, 0.02, 0.95, &n), 0);
                for (size_t i = 5; i < n; i++)
                        sum += gsl_ran_gaussian(random, 0.02);
                n_covered += fabs(sum / n) <= log(1.02);
        }
        assert_true((double)n_covered / n_trials > 0.95 - share_tolerance(0.95, n_trials));
        gsl_rng_free(random);
}

TEST(what_ten_processes_may_miss_is_a_quarter) {
        /* R 4.2.2: qbeta(.95, 1, 10), the upper limit of Clopper and Pearson for 0 of 10 */
        assert_true(fabs(precision_unseen_share(10, 0.95) - 0.258865550893) < 1e-11);
        assert_true(precision_unseen_share(1, 0.95) == 0.95);
        for (size_t n = 1; n < 1000; n++)
                assert_true(fabs(pow(1 - precision_unseen_share(n, 0.9), n) - 0.1) < 1e-9);
}
