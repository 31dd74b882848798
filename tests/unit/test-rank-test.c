/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The rank test: p values of R 4.2.2 and SciPy 1.10.1. */

#include "random.h"
#include "tests/bench/simulation/rank-test.h"

TEST(small_sides_are_counted_out_as_r_does) {
        /* wilcox.test(x, y), the example of its manual: W = 35, p = 0.2544 */
        double x[] = { 0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46 },
               y[] = { 1.15, 0.88, 0.90, 0.74, 1.21 };
        /* scipy.stats.mannwhitneyu(males, females, method='exact'), the example of its manual */
        double males[] = { 19, 22, 16, 29, 24 }, females[] = { 20, 11, 17, 12 };
        RankTest found;

        assert_int_equal(rank_test(x, 10, y, 5, &found), 0);
        assert_true(found.u == 35);
        assert_true(fabs(found.p_value - 0.254412254412254) < 1e-12);
        assert_int_equal(rank_test(males, 5, females, 4, &found), 0);
        assert_true(found.u == 17);
        assert_true(fabs(found.p_value - 0.1111111111111111) < 1e-12);
}

TEST(ties_are_corrected_for_as_r_and_scipy_do) {
        /* wilcox.test(a, b, exact = FALSE); scipy.stats.mannwhitneyu(a, b, method='asymptotic') */
        double a[] = { 10, 10, 11, 12, 12, 12, 13, 15, 16, 18 }, b[] = { 11, 12, 12, 13, 14, 14, 15, 19, 19, 21, 22 };
        RankTest found;

        assert_int_equal(rank_test(a, N_ELEMENTS(a), b, N_ELEMENTS(b), &found), 0);
        assert_true(found.u == 30.5);
        assert_true(fabs(found.p_value - 0.08829167290023157) < 1e-12);
}

TEST(exchanging_the_sides_changes_only_who_wins) {
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (int trial = 0; trial < 500; trial++) {
                size_t n_a = 1 + gsl_rng_uniform_int(random, 40), n_b = 1 + gsl_rng_uniform_int(random, 40);
                double a[40], b[40];
                RankTest there, back;

                for (size_t i = 0; i < n_a; i++)
                        a[i] = rint(10 * gsl_ran_gaussian(random, 2));
                for (size_t i = 0; i < n_b; i++)
                        b[i] = rint(10 * gsl_ran_gaussian(random, 2));
                assert_int_equal(rank_test(a, n_a, b, n_b, &there), 0);
                assert_int_equal(rank_test(b, n_b, a, n_a, &back), 0);
                assert_true(there.u + back.u == n_a * n_b);
                assert_true(fabs(there.p_value - back.p_value) < 1e-12);
                assert_true(there.p_value >= 0 && there.p_value <= 1);
        }
}

TEST(independent_values_fool_it_one_time_in_twenty) {
        _cleanup_(random_freep) gsl_rng *random = new_random();
        const int n_trials = 5000;
        int n_false = 0;

        for (int trial = 0; trial < n_trials; trial++) {
                double a[100], b[100];
                RankTest found;

                for (size_t i = 0; i < 100; i++) {
                        a[i] = gsl_ran_lognormal(random, 0, 1);
                        b[i] = gsl_ran_lognormal(random, 0, 1);
                }
                assert_int_equal(rank_test(a, 100, b, 100, &found), 0);
                n_false += found.p_value < 0.05;
        }
        assert_true(fabs((double)n_false / n_trials - 0.05) < share_tolerance(0.05, n_trials));
}

TEST(equal_sides_have_p_1_and_an_empty_one_none) {
        double a[] = { 2, 2, 2 }, b[] = { 2, 2 };
        RankTest found;

        assert_int_equal(rank_test(a, 3, b, 2, &found), 0);
        assert_true(found.u == 3 && found.p_value == 1);
        assert_int_equal(rank_test(a, 0, b, 2, &found), RANK_TEST_E_EMPTY);
        assert_int_equal(rank_test(a, 3, b, 0, &found), RANK_TEST_E_EMPTY);
}
