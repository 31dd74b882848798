/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Adjusted p values: those of R 4.2.2, and the chance of a false finding in a table.
 */

#include <math.h>

#include "random.h"
#include "stats/holm.h"
#include "test.h"
#include "util/cleanup.h"

TEST(adjusted_values_are_those_of_r) {
        /* p.adjust(p, "holm") */
        static const double expected[] = { 0.040, 0.090, 0.090, 0.025, 0.200 };
        double p[] = { 0.01, 0.04, 0.03, 0.005, 0.2 };

        assert_int_equal(holm_adjust(p, N_ELEMENTS(p)), 0);
        for (size_t i = 0; i < N_ELEMENTS(p); i++)
                assert_true(fabs(p[i] - expected[i]) < 1e-15);
}

TEST(none_sinks_none_passes_1_and_the_order_stays) {
        gsl_rng *random = new_random();

        for (int trial = 0; trial < 500; trial++) {
                size_t n = 1 + gsl_rng_uniform_int(random, 30);
                double p[30], adjusted[30];

                for (size_t i = 0; i < n; i++)
                        p[i] = adjusted[i] = pow(gsl_rng_uniform(random), 4);
                assert_int_equal(holm_adjust(adjusted, n), 0);
                for (size_t i = 0; i < n; i++) {
                        assert_true(adjusted[i] >= p[i] && adjusted[i] <= 1);
                        for (size_t j = 0; j < n; j++)
                                assert_true(p[i] > p[j] || adjusted[i] <= adjusted[j]);
                }
        }
        gsl_rng_free(random);
}

TEST(a_table_without_a_finding_shows_one_as_rarely_as_one_row) {
        gsl_rng *random = new_random();
        const int n_trials = 20000;
        int n_false = 0;

        for (int trial = 0; trial < n_trials; trial++) {
                double p[12], least = 1;

                for (size_t i = 0; i < N_ELEMENTS(p); i++)
                        p[i] = gsl_rng_uniform(random);
                assert_int_equal(holm_adjust(p, N_ELEMENTS(p)), 0);
                for (size_t i = 0; i < N_ELEMENTS(p); i++)
                        least = fmin(least, p[i]);
                n_false += least < 0.05;
        }
        assert_true((double)n_false / n_trials < 0.05 + share_tolerance(0.05, n_trials));
        assert_true((double)n_false / n_trials > 0.04 - share_tolerance(0.04, n_trials));
        gsl_rng_free(random);
}

TEST(an_empty_table_is_left_alone) {
        double none = 0.5;

        assert_int_equal(holm_adjust(&none, 0), 0);
        assert_true(none == 0.5);
}
