/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Power: where the spread is known it is R's, where it is estimated that of a double integral and of simulated runs.
 */

#include "stats/power.h"

#include <math.h>

#include <gsl/gsl_cdf.h>

#include "random.h"
#include "test.h"
#include "util/cleanup.h"

#define KNOWN 1e7 /* degrees: nothing is left to be estimated */

TEST(with_a_known_spread_it_is_that_of_rs_power_t_test) {
        /* the examples of ?power.t.test, two samples: delta = sd = 1, and there n = 20, n = 22.02110, n = 17.84713 one-sided */
        static const struct {
                double freedom, noncentrality, confidence, power;
        } rows[] = {
                { 38, 3.16227766, 0.975, 0.8689528 },
                { 42.0422, 3.31821335, 0.975, 0.90 },
                { 33.69426, 2.98723451, 0.95, 0.90 },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                const PowerRun run = { .seen_freedom = KNOWN,
                        .freedom = rows[i].freedom,
                        .quantile = gsl_cdf_tdist_Pinv(rows[i].confidence, rows[i].freedom) };

                assert_true(fabs(power_of(&run, rows[i].noncentrality, INFINITY) - rows[i].power) < 1e-6);
                assert_true(fabs(power_distance(&run, rows[i].power) - rows[i].noncentrality) < 1e-4);
        }
}

TEST(with_an_estimated_spread_it_is_the_double_integral) {
        /* E[Phi(near u - h) + Phi(far u - h) - 1] or 0, h = max(t v, step u), summed over a grid of u and v by another program */
        static const struct {
                double seen, freedom, confidence, near, far, step, power;
        } rows[] = {
                { 19, 19, 0.975, 3, INFINITY, 0, 0.779532 },
                { 9, 39, 0.975, 3.2, INFINITY, 0, 0.807427 },
                { 2, 2, 0.975, 9, INFINITY, 0, 0.807878 },
                { 2, 2, 0.95, 8, 10, 0, 0.845841 },
                { 9, 29, 0.95, 3, 4, 0, 0.78963 },
                { 9, 9, 0.975, 4, INFINITY, 2.5, 0.85519 },
                { 2, 1e6, 0.975, 9, INFINITY, 0, 0.943277 },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                const PowerRun run = { .seen_freedom = rows[i].seen,
                        .freedom = rows[i].freedom,
                        .quantile = gsl_cdf_tdist_Pinv(rows[i].confidence, rows[i].freedom),
                        .step = rows[i].step };

                assert_true(fabs(power_of(&run, rows[i].near, rows[i].far) - rows[i].power) < 6e-4);
        }
}

TEST(the_distance_for_a_power_is_where_it_is_reached) {
        static const double degrees[] = { 2, 4, 9, 19, 49, 199, 999 };

        for (size_t i = 0; i < N_ELEMENTS(degrees); i++)
                for (double step = 0; step < 5; step += 2) {
                        const PowerRun run = { .seen_freedom = degrees[i],
                                .freedom = degrees[i],
                                .quantile = gsl_cdf_tdist_Pinv(0.975, degrees[i]),
                                .step = step };

                        assert_true(fabs(power_of(&run, power_distance(&run, 0.8), INFINITY) - 0.8) < 1e-5);
                        assert_true(power_distance(&run, 0.9) > power_distance(&run, 0.8));
                        assert_true(power_distance(&run, 0.8) > step);
                }
}

/* The standard error that @n normal values with an error of 1 give. */
static double seen_error(gsl_rng *random, size_t n) {
        return sqrt(gsl_ran_chisq(random, n - 1) / (n - 1));
}

TEST(what_is_promised_from_one_run_comes_true_in_another) {
        const size_t n_seen = 6, n_new = 9;
        const PowerRun run = { .seen_freedom = n_seen - 1,
                .freedom = n_new - 1,
                .quantile = gsl_cdf_tdist_Pinv(0.95, n_new - 1) };
        const double promised = power_of(&run, 4, 6);
        gsl_rng *random = new_random();
        const int n_trials = 50000;
        int n_found = 0;

        for (int trial = 0; trial < n_trials; trial++) {
                double unit = seen_error(random, n_seen), half = run.quantile * seen_error(random, n_new);
                double estimate = gsl_ran_gaussian(random, 1);

                n_found += estimate + 4 * unit > half && estimate - 6 * unit < -half;
        }
        assert_true(fabs((double)n_found / n_trials - promised) < share_tolerance(promised, n_trials));
        gsl_rng_free(random);
}
