/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Trends: the flow of the Nile as R 4.2.2 sees it, sequences with a known trend, and sequences that have none. */

#include <gsl/gsl_cdf.h>

#include "random.h"
#include "stats/drift.h"

/* R's Nile: its annual flow at Aswan, 1871 to 1970 */
static const double nile[] = { 1120, 1160, 963, 1210, 1160, 1160, 813, 1230, 1370, 1140, 995, 935, 1110, 994, 1020, 960,
        1180, 799, 958, 1140, 1100, 1210, 1150, 1250, 1260, 1220, 1030, 1100, 774, 840, 874, 694, 940, 833, 701, 916,
        692, 1020, 1050, 969, 831, 726, 456, 824, 702, 1120, 1100, 832, 764, 821, 768, 845, 864, 862, 698, 845, 744,
        796, 1040, 759, 781, 865, 845, 944, 984, 897, 822, 1010, 771, 676, 649, 846, 812, 742, 801, 1040, 860, 874, 848,
        890, 744, 749, 838, 1050, 918, 986, 797, 923, 975, 815, 1020, 906, 901, 1170, 912, 746, 919, 718, 714, 740 };

TEST(the_test_and_the_slope_are_those_of_r) {
        double z, slope;

        /* cor.test(1:100, Nile, method = "kendall", exact = FALSE, continuity = TRUE); the median over all pairs */
        assert_int_equal(drift_mann_kendall(nile, N_ELEMENTS(nile), 1, &z), 0);
        assert_true(fabs(z - -4.12806652284410) < 1e-11);
        assert_int_equal(drift_slope(nile, N_ELEMENTS(nile), &slope), 0);
        assert_true(fabs(slope - -2.6) < 1e-12);
}

static void fill_line(gsl_rng *random, double change, double noise, double *values, size_t n) {
        for (size_t i = 0; i < n; i++)
                values[i] = 50 * (1 + change * i / (n - 1)) * exp(gsl_ran_gaussian(random, noise));
}

TEST(a_drift_is_found_with_its_size) {
        static const size_t sizes[] = { 20, 50, 129, 1000, 100001 };
        _cleanup_(freep) double *values = malloc(100001 * sizeof *values);
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (size_t i = 0; i < N_ELEMENTS(sizes); i++) {
                Drift drift;

                fill_line(random, -0.03, 0.001, values, sizes[i]);
                assert_int_equal(drift_of(values, sizes[i], &drift), 0);
                assert_true(drift.p_value < 0.01);
                assert_true(fabs(drift.change - -0.03) < 0.005);
        }
}

TEST(a_single_stretched_sample_is_no_drift) {
        _cleanup_(random_freep) gsl_rng *random = new_random();
        double values[50];
        Drift drift;

        fill_line(random, 0, 0.002, values, N_ELEMENTS(values));
        values[49] *= 100;
        assert_int_equal(drift_of(values, N_ELEMENTS(values), &drift), 0);
        assert_true(fabs(drift.change) < 0.005);
}

TEST(a_sequence_backwards_drifts_the_other_way) {
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (int trial = 0; trial < 200; trial++) {
                size_t n = DRIFT_N_MIN + gsl_rng_uniform_int(random, 60);
                double values[70], backwards[70];
                Drift drift, other;

                fill_line(random, gsl_ran_gaussian(random, 0.02), 0.01, values, n);
                for (size_t i = 0; i < n; i++)
                        backwards[i] = values[n - 1 - i];
                assert_int_equal(drift_of(values, n, &drift), 0);
                assert_int_equal(drift_of(backwards, n, &other), 0);
                assert_true(fabs(drift.change + other.change) < 1e-9);
                assert_true(fabs(drift.p_value - other.p_value) < 1e-9);
        }
}

enum {
        FALSE_TRIALS = 1000
};

/* How often a sequence without a trend is called one at 5 %. */
static double false_positives(gsl_rng *random, double rho, size_t n) {
        const int n_trials = FALSE_TRIALS;
        int n_false = 0;

        for (int trial = 0; trial < n_trials; trial++) {
                double values[200], x = gsl_ran_gaussian(random, 1);
                Drift drift;

                for (size_t i = 0; i < n; i++) {
                        values[i] = exp(0.01 * x);
                        x = rho * x + gsl_ran_gaussian(random, sqrt(1 - rho * rho));
                }
                assert_int_equal(drift_of(values, n, &drift), 0);
                n_false += drift.p_value < 0.05;
        }
        return (double)n_false / n_trials;
}

TEST(what_has_no_trend_is_rarely_given_one) {
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (size_t n = 10; n <= 200; n = n == 10 ? 50 : 4 * n) {
                double independent = false_positives(random, 0, n), repeating = false_positives(random, 0.5, n);

                print_message("n %zu: %.3f independent, %.3f repeating\n", n, independent, repeating);
                assert_true(independent < 0.05 + share_tolerance(0.05, FALSE_TRIALS));
                assert_true(repeating < 0.2);
        }
}

TEST(equal_values_do_not_drift_and_nine_are_too_few) {
        double values[10];
        Drift drift;

        for (size_t i = 0; i < N_ELEMENTS(values); i++)
                values[i] = 3;
        assert_int_equal(drift_of(values, 10, &drift), 0);
        assert_true(drift.change == 0 && drift.p_value == 1);
        assert_int_equal(drift_of(values, 9, &drift), DRIFT_E_TOO_FEW);
        memset(values, 0, sizeof values);
        assert_int_equal(drift_of(values, 10, &drift), 0);
        assert_true(isnan(drift.change));
}
