/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The median between two order statistics: ranks of R 4.2.2, and coverage whatever the shape. */

#include "random.h"
#include "stats/quantile.h"

TEST(the_ranks_are_those_of_r) {
        /* qbinom(.025, n, .5), and 1 - 2 * pbinom(rank - 1, n, .5) */
        static const struct {
                size_t n;
                size_t rank;
                double confidence;
        } rows[] = {
                { 6, 1, 0.96875 },
                { 10, 2, 0.978515625 },
                { 20, 6, 0.958610534667969 },
                { 50, 18, 0.967160862435731 },
                { 100, 40, 0.964799799782295 },
                { 1000, 469, 0.953708802639502 },
        };
        QuantileRanks found;

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                assert_int_equal(quantile_ranks(rows[i].n, 0.95, &found), 0);
                assert_true(found.low == rows[i].rank - 1 && found.high == rows[i].n - rows[i].rank);
                assert_true(fabs(found.confidence - rows[i].confidence) < 1e-12);
        }
}

TEST(fewer_than_six_have_none) {
        QuantileRanks found;

        for (size_t n = 0; n < 6; n++)
                assert_int_equal(quantile_ranks(n, 0.95, &found), QUANTILE_RANKS_E_TOO_FEW);
        assert_int_equal(quantile_ranks(5, 0.9, &found), 0);
        assert_true(found.low == 0 && found.high == 4);
}

TEST(it_covers_the_median_of_any_shape_as_often_as_it_says) {
        _cleanup_(random_freep) gsl_rng *random = new_random();
        const int n_trials = 20000;

        for (size_t n = 6; n <= 51; n += 15) {
                int n_covered = 0;
                QuantileRanks found;

                for (int trial = 0; trial < n_trials; trial++) {
                        double values[51];

                        for (size_t i = 0; i < n; i++)
                                values[i] = gsl_ran_exponential(random, 1);
                        quantile_sort(values, n);
                        assert_int_equal(quantile_ranks(n, 0.95, &found), 0);
                        n_covered += values[found.low] <= log(2) && log(2) <= values[found.high];
                }
                assert_true(fabs((double)n_covered / n_trials - found.confidence) <
                                share_tolerance(found.confidence, n_trials));
        }
}
