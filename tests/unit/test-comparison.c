/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Comparisons: Student's sleepers as R 4.2.2 compares them, verdicts that do not cry wolf, and promises that are kept. */

#include <gsl/gsl_cdf.h>

#include "stats/comparison.h"
#include "stats/interval.h"
#include "tests/bench/simulation/independent.h"

#include "random.h"

/* R's sleep data: hours gained with either drug (Student 1908) */
static const double first[] = { 0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0 };
static const double second[] = { 1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4 };

#define MOST_PROCESSES 4000

static const ComparisonRule at_zero = { .confidence = 0.95 };
static const ComparisonRule default_rule = { .confidence = 0.95, .margin = 0.005 };

TEST(the_paired_comparison_is_students) {
        /* t.test(extra ~ group, sleep, paired = TRUE) */
        Comparison found;
        double d[10];

        for (size_t i = 0; i < 10; i++)
                d[i] = second[i] - first[i];
        assert_int_equal(comparison_paired(d, NULL, 10, &at_zero, &found), 0);
        assert_true(fabs(log(found.ratio) - 1.58) < 1e-12);
        assert_true(fabs(log(found.low) - 0.7001142) < 1e-7);
        assert_true(fabs(log(found.high) - 2.4598858) < 1e-7);
        assert_true(fabs(found.p_value - 0.00283289) < 1e-8);
        assert_int_equal(found.verdict, COMPARISON_SLOWER);
}

TEST(the_independent_comparison_is_welchs) {
        /* t.test(extra ~ group, sleep): p, and the interval, there of the first less the second */
        Comparison found;

        assert_int_equal(independent_compare(&(IndependentSide){ first, 10 }, &(IndependentSide){ second, 10 },
                                         &at_zero, &found),
                        0);
        assert_true(fabs(found.p_value - 0.0793941401873582) < 1e-12);
        assert_true(fabs(log(found.high) - 3.3654832307117104) < 1e-12);
        assert_true(fabs(log(found.low) - -0.2054832307117102) < 1e-12);
        assert_int_equal(found.verdict, COMPARISON_UNRESOLVED);
}

/* Log ratios with this mean and this half-width of their 95 % interval. */
static Comparison compare_at(double mean, double half, const ComparisonRule *rule) {
        /* qt(.975, 3) = 3.18244630528371; four values at mean -+ sd sqrt(3) / 2 have this sd */
        double deviation = half / 3.18244630528371 * 2 * sqrt(3) / 2;
        const double d[] = { mean - deviation, mean - deviation, mean + deviation, mean + deviation };
        Comparison found;

        assert_int_equal(comparison_paired(d, NULL, 4, rule, &found), 0);
        comparison_foresee(&found, rule);
        assert_true(fabs(log(found.high) - (mean + half)) < 1e-9);
        return found;
}

TEST(the_verdict_is_that_of_the_whole_interval) {
        static const struct {
                double mean, half;
                ComparisonVerdict verdict;
        } rows[] = {
                { 0, 0.004, COMPARISON_SAME },
                { 0.003, 0.001, COMPARISON_SAME },
                { -0.003, 0.001, COMPARISON_SAME },
                /* qt(.95, 3) / qt(.975, 3) = 0.739482: half of the 90 % interval, of which "same" is */
                { 0, 0.0067, COMPARISON_SAME },
                { 0, 0.0068, COMPARISON_UNRESOLVED },
                { 0.004, 0.0013, COMPARISON_SAME },
                { 0.004, 0.002, COMPARISON_UNRESOLVED },
                { 0.006, 0.002, COMPARISON_UNRESOLVED },
                { 0.008, 0.002, COMPARISON_SLOWER },
                { -0.006, 0.002, COMPARISON_UNRESOLVED },
                { -0.008, 0.002, COMPARISON_FASTER },
                { 0, 0.1, COMPARISON_UNRESOLVED },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                Comparison found = compare_at(rows[i].mean, rows[i].half, &default_rule);

                assert_int_equal(found.verdict, rows[i].verdict);
                assert_true(found.step == 0);
        }
}

TEST(a_ratio_is_never_the_same_without_a_margin) {
        static const double means[] = { 0, 1e-9, -0.001, 0.02 };

        for (size_t i = 0; i < N_ELEMENTS(means); i++)
                assert_int_not_equal(compare_at(means[i], 0.001, &at_zero).verdict, COMPARISON_SAME);
        assert_int_equal(compare_at(0.02, 0.001, &at_zero).verdict, COMPARISON_SLOWER);
}

TEST(p_is_of_the_distance_beyond_the_margin) {
        /* t = 3 at 3 degrees: two-sided 0.05766889 (2 * pt(-3, 3)); the mean is 3 standard errors beyond the margin */
        const double error = 0.001, half = error * 3.18244630528371, margin = log1p(0.005);

        assert_true(fabs(compare_at(margin + 3 * error, half, &default_rule).p_value - 0.05766889) < 1e-8);
        assert_true(fabs(compare_at(-margin - 3 * error, half, &default_rule).p_value - 0.05766889) < 1e-8);
        assert_true(fabs(compare_at(3 * error, half, &at_zero).p_value - 0.05766889) < 1e-8);
        assert_true(compare_at(margin * 0.999, half, &default_rule).p_value == 1);
        assert_true(compare_at(0, half, &at_zero).p_value == 1);
}

/* A difference as large as was told of one run is there in the next. */
TEST(what_is_detectable_is_found_in_four_of_five_runs) {
        static const ComparisonRule rules[] = { { .confidence = 0.95 }, { .confidence = 0.95, .margin = 0.005 } };
        _cleanup_(random_freep) gsl_rng *random = new_random();
        const int n_trials = 1000;

        for (size_t i = 0; i < N_ELEMENTS(rules); i++) {
                int n_found = 0;

                for (int trial = 0; trial < n_trials; trial++) {
                        Comparison told, found;
                        double d[8];

                        for (size_t j = 0; j < N_ELEMENTS(d); j++)
                                d[j] = gsl_ran_gaussian(random, 0.01);
                        assert_int_equal(comparison_paired(d, NULL, N_ELEMENTS(d), &rules[i], &told), 0);
                        comparison_foresee(&told, &rules[i]);
                        for (size_t j = 0; j < N_ELEMENTS(d); j++)
                                d[j] = log1p(told.detectable) + gsl_ran_gaussian(random, 0.01);
                        assert_int_equal(comparison_paired(d, NULL, N_ELEMENTS(d), &rules[i], &found), 0);
                        n_found += found.verdict == COMPARISON_SLOWER;
                }
                assert_true(fabs((double)n_found / n_trials - 0.8) < share_tolerance(0.8, n_trials));
        }
}

/* The mean stays, and the spread that was estimated is drawn anew. */
TEST(as_many_processes_as_are_needed_resolve_in_four_of_five_runs) {
        static const double means[] = { 0.0082, 0.0017, 0 };
        _cleanup_(random_freep) gsl_rng *random = new_random();
        const int n_trials = 300;

        for (size_t i = 0; i < N_ELEMENTS(means); i++) {
                int n_told = 0, n_resolved = 0;

                while (n_told < n_trials) {
                        double d[MOST_PROCESSES], shift = means[i];
                        Comparison told, found;

                        for (size_t j = 0; j < 10; j++)
                                d[j] = gsl_ran_gaussian(random, 0.02);
                        for (size_t j = 0; j < 10; j++)
                                shift -= d[j] / 10;
                        for (size_t j = 0; j < 10; j++)
                                d[j] += shift;
                        assert_int_equal(comparison_paired(d, NULL, 10, &default_rule, &told), 0);
                        if (told.verdict != COMPARISON_UNRESOLVED)
                                continue;
                        comparison_foresee(&told, &default_rule);
                        assert_in_range(told.processes_needed, 11, MOST_PROCESSES);
                        for (size_t j = 0; j < told.processes_needed; j++)
                                d[j] = means[i] + gsl_ran_gaussian(random, 0.02);
                        assert_int_equal(comparison_paired(d, NULL, told.processes_needed, &default_rule, &found), 0);
                        n_told++;
                        n_resolved += found.verdict == (means[i] > 0.005 ? COMPARISON_SLOWER : COMPARISON_SAME);
                }
                assert_true(fabs((double)n_resolved / n_trials - 0.8) < share_tolerance(0.8, n_trials));
        }
}

/* Every process read the same number of steps of the clock: what they all may be off by is no agreement. */
TEST(what_the_clock_cannot_tell_is_unresolved) {
        static const struct {
                double mean, step;
                ComparisonVerdict verdict;
                bool differs; /* from all within the margin */
        } rows[] = {
                { 0, 0.004, COMPARISON_SAME, false },
                { 0, 0.006, COMPARISON_UNRESOLVED, false },
                { 0.02, 0.01, COMPARISON_SLOWER, true },
                { -0.02, 0.01, COMPARISON_FASTER, true },
                { 0.02, 0.03, COMPARISON_UNRESOLVED, false },
                { 0.01, 0.008, COMPARISON_UNRESOLVED, false },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                const ComparisonRule rule = { .confidence = 0.95, .margin = 0.005, .step = rows[i].step };
                const double d[] = { rows[i].mean, rows[i].mean, rows[i].mean };
                Comparison found;

                assert_int_equal(comparison_paired(d, NULL, 3, &rule, &found), 0);
                comparison_foresee(&found, &rule);
                assert_true(fabs(found.detectable - (1.005 * exp(rows[i].step) - 1)) < 1e-12);
                assert_int_equal(found.verdict, rows[i].verdict);
                assert_true(fabs(log(found.high / found.low) - 2 * rows[i].step) < 1e-12);
                assert_true(found.p_value == (rows[i].differs ? 0 : 1));
                assert_true(found.step == rows[i].step);
                assert_true((found.processes_needed == INTERVAL_PROCESSES_MAX) ==
                                (found.verdict == COMPARISON_UNRESOLVED));
        }
}

TEST(exchanging_the_sides_exchanges_the_verdict) {
        static const ComparisonVerdict other[_COMPARISON_VERDICT_N] = {
                [COMPARISON_SAME] = COMPARISON_SAME,
                [COMPARISON_FASTER] = COMPARISON_SLOWER,
                [COMPARISON_SLOWER] = COMPARISON_FASTER,
        };
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (int trial = 0; trial < 100; trial++) {
                size_t n = COMPARISON_N_MIN + gsl_rng_uniform_int(random, 20);
                double d[23], e[23], mean = gsl_ran_gaussian(random, 0.01);
                Comparison there, back;

                for (size_t i = 0; i < n; i++)
                        e[i] = -(d[i] = mean + gsl_ran_gaussian(random, 0.005));
                assert_int_equal(comparison_paired(d, NULL, n, &default_rule, &there), 0);
                assert_int_equal(comparison_paired(e, NULL, n, &default_rule, &back), 0);
                comparison_foresee(&there, &default_rule);
                comparison_foresee(&back, &default_rule);
                assert_int_equal(back.verdict, other[there.verdict]);
                assert_true(there.detectable == back.detectable);
                assert_true(fabs(there.ratio * back.ratio - 1) < 1e-12);
                assert_true(there.processes_needed == back.processes_needed);
        }
}

TEST(as_many_processes_as_are_said_to_resolve_do) {
        /* The same four values over and over: mean and spread stay. */
        double many[MOST_PROCESSES], mean = 0.007, half = 0.006;
        Comparison found = compare_at(mean, half, &default_rule);
        double deviation = half / 3.18244630528371 * 2 * sqrt(3) / 2;

        assert_int_equal(found.verdict, COMPARISON_UNRESOLVED);
        assert_in_range(found.processes_needed, 5, MOST_PROCESSES);
        for (size_t i = 0; i < found.processes_needed; i++)
                many[i] = mean + (i % 2 ? deviation : -deviation);
        assert_int_equal(comparison_paired(many, NULL, found.processes_needed, &default_rule, &found), 0);
        assert_int_equal(found.verdict, COMPARISON_SLOWER);
        assert_int_equal(compare_at(log1p(0.005), half, &default_rule).processes_needed, INTERVAL_PROCESSES_MAX);
}

TEST(at_margin_0_one_in_twenty_excludes_1) {
        _cleanup_(random_freep) gsl_rng *random = new_random();
        const int n_trials = 20000;
        int n_paired = 0, n_independent = 0;

        for (int trial = 0; trial < n_trials; trial++) {
                double d[10], e[7];
                Comparison paired, independent;

                for (size_t i = 0; i < N_ELEMENTS(d); i++)
                        d[i] = gsl_ran_gaussian(random, 0.01);
                for (size_t i = 0; i < N_ELEMENTS(e); i++)
                        e[i] = gsl_ran_gaussian(random, 0.03);
                assert_int_equal(comparison_paired(d, NULL, 10, &at_zero, &paired), 0);
                assert_int_equal(independent_compare(&(IndependentSide){ d, 10 }, &(IndependentSide){ e, 7 }, &at_zero,
                                                 &independent),
                                0);
                assert_int_equal(paired.verdict != COMPARISON_UNRESOLVED, paired.p_value < 0.05);
                n_paired += paired.verdict != COMPARISON_UNRESOLVED;
                n_independent += independent.verdict != COMPARISON_UNRESOLVED;
        }
        assert_true(fabs((double)n_paired / n_trials - 0.05) < share_tolerance(0.05, n_trials));
        assert_true(fabs((double)n_independent / n_trials - 0.05) < share_tolerance(0.05, n_trials) + 0.005);
}

static double found_mean(const double *values, size_t n) {
        double sum = 0;

        for (size_t i = 0; i < n; i++)
                sum += values[i];
        return sum / n;
}

TEST(the_stratified_comparison_is_that_of_a_linear_model) {
        /* the intercept of lm(d ~ C(half, contr.sum)), of R's sleep data: either half of the patients a condition */
        const uint32_t halves[] = { 0, 0, 0, 0, 0, 7, 7, 7, 7, 7 }, one[10] = {},
                       alone[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 };
        Comparison found, paired;
        double d[10];

        for (size_t i = 0; i < 10; i++)
                d[i] = second[i] - first[i];
        assert_int_equal(comparison_paired(d, halves, 10, &at_zero, &found), 0);
        assert_true(fabs(log(found.ratio) - 1.58) < 1e-12);
        assert_true(fabs(log(found.low) - 0.6699308) < 1e-6);
        assert_true(fabs(log(found.high) - 2.4900692) < 1e-6);
        assert_int_equal(comparison_paired(d, NULL, 10, &at_zero, &paired), 0);
        assert_int_equal(comparison_paired(d, one, 10, &at_zero, &found), 0);
        assert_true(fabs(found.low - paired.low) < 1e-12 && fabs(found.p_value - paired.p_value) < 1e-12);
        /* of nine patients and one: the intercept of lm(d ~ C(alone, contr.sum)) */
        assert_int_equal(comparison_paired(d, alone, 10, &at_zero, &found), 0);
        assert_true(found.difference.freedom == 8 && isfinite(found.difference.error));
        assert_true(fabs(log(found.ratio) - (found_mean(d, 9) + d[9]) / 2) < 1e-12);
        assert_int_equal(comparison_paired(d, one, 2, &at_zero, &found), COMPARISON_E_TOO_FEW);
}

/* Conditions that differ by far more than their values do, and cancel: as where two builds lie at each other's places. */
TEST(what_differs_from_condition_to_condition_is_no_doubt_of_their_mean) {
        const double of_condition[] = { 0.3, -0.1, 0.2, -0.4 };
        _cleanup_(random_freep) gsl_rng *random = new_random();
        const int n_trials = 20000;
        int n_excluding = 0;

        for (int trial = 0; trial < n_trials; trial++) {
                uint32_t strata[18];
                Comparison found;
                double d[18];

                for (uint32_t i = 0; i < N_ELEMENTS(d); i++) {
                        strata[i] = i % 4;
                        d[i] = of_condition[i % 4] + gsl_ran_gaussian(random, 0.01);
                }
                assert_int_equal(comparison_paired(d, strata, N_ELEMENTS(d), &at_zero, &found), 0);
                assert_true(found.high / found.low < 1.04);
                n_excluding += found.verdict != COMPARISON_UNRESOLVED;
        }
        assert_true(fabs((double)n_excluding / n_trials - 0.05) < share_tolerance(0.05, n_trials));
}

TEST(a_table_full_of_rows_takes_a_weak_finding_back) {
        Comparison rows[20];

        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                rows[i] = compare_at(0, 0.004, &at_zero);
        rows[3] = compare_at(0.01, 0.0095, &at_zero);
        rows[7] = compare_at(-0.01, 0.0005, &at_zero);
        assert_int_equal(rows[3].verdict, COMPARISON_SLOWER);
        assert_int_equal(comparisons_adjust(rows, N_ELEMENTS(rows), &at_zero), 0);
        assert_int_equal(rows[3].verdict, COMPARISON_UNRESOLVED);
        assert_true(rows[3].p_value < 0.05 && rows[3].p_adjusted > 0.05);
        assert_true(rows[3].taken_back && !rows[0].taken_back && !rows[7].taken_back);
        assert_int_equal(comparison_doubt(&rows[3]), COMPARISON_DOUBT_CHANCE);
        assert_int_equal(rows[3].n_rows, 20);
        assert_int_equal(rows[7].verdict, COMPARISON_FASTER);
        assert_true(fabs(rows[7].p_adjusted - 20 * rows[7].p_value) < 1e-12);
}

TEST(a_row_that_could_not_be_compared_does_not_count_among_the_rows) {
        Comparison alone[1] = { compare_at(0.01, 0.0095, &at_zero) }, rows[20] = { [7] = alone[0] };

        assert_int_equal(comparisons_adjust(alone, 1, &at_zero), 0);
        assert_int_equal(comparisons_adjust(rows, N_ELEMENTS(rows), &at_zero), 0);
        assert_true(rows[7].p_adjusted == alone[0].p_adjusted && rows[7].n_rows == 1);
        assert_int_equal(rows[7].verdict, COMPARISON_SLOWER);
        assert_int_equal(comparison_doubt(&rows[7]), COMPARISON_DOUBT_NONE);
        assert_int_equal(comparison_doubt(&rows[0]), COMPARISON_DOUBT_TOO_FEW);
}

TEST(what_is_the_same_stays_so_in_a_table) {
        Comparison rows[2] = { compare_at(0.003, 0.001, &default_rule), compare_at(0, 0.004, &default_rule) };

        assert_int_equal(comparisons_adjust(rows, 2, &default_rule), 0);
        assert_int_equal(rows[0].verdict, COMPARISON_SAME);
        assert_int_equal(rows[1].verdict, COMPARISON_SAME);
}

TEST(processes_that_agree_exactly_leave_no_doubt) {
        const double none[] = { 0, 0, 0 }, some[] = { 0.02, 0.02, 0.02 };
        Comparison found;

        assert_int_equal(comparison_paired(none, NULL, 3, &default_rule, &found), 0);
        comparison_foresee(&found, &default_rule);
        assert_true(found.p_value == 1 && found.verdict == COMPARISON_SAME && found.processes_needed == 3);
        assert_int_equal(comparison_paired(some, NULL, 3, &default_rule, &found), 0);
        assert_true(found.p_value == 0 && found.verdict == COMPARISON_SLOWER);
        assert_int_equal(independent_compare(&(IndependentSide){ some, 3 }, &(IndependentSide){ none, 3 },
                                         &default_rule, &found),
                        0);
        assert_int_equal(found.verdict, COMPARISON_FASTER);
        assert_int_equal(comparison_paired(none, NULL, 2, &default_rule, &found), COMPARISON_E_TOO_FEW);
        assert_int_equal(independent_compare(&(IndependentSide){ some, 3 }, &(IndependentSide){ none, 2 },
                                         &default_rule, &found),
                        COMPARISON_E_TOO_FEW);
}

/* Adjusted p values: those of R 4.2.2, and the chance of a false finding in a table. */

TEST(adjusted_values_are_those_of_r) {
        /* p.adjust(p, "holm") */
        static const double expected[] = { 0.040, 0.090, 0.090, 0.025, 0.200 };
        double p[] = { 0.01, 0.04, 0.03, 0.005, 0.2 };

        assert_int_equal(comparison_holm_adjust(p, N_ELEMENTS(p)), 0);
        for (size_t i = 0; i < N_ELEMENTS(p); i++)
                assert_true(fabs(p[i] - expected[i]) < 1e-15);
}

TEST(none_sinks_none_passes_1_and_the_order_stays) {
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (int trial = 0; trial < 500; trial++) {
                size_t n = 1 + gsl_rng_uniform_int(random, 30);
                double p[30], adjusted[30];

                for (size_t i = 0; i < n; i++)
                        p[i] = adjusted[i] = pow(gsl_rng_uniform(random), 4);
                assert_int_equal(comparison_holm_adjust(adjusted, n), 0);
                for (size_t i = 0; i < n; i++) {
                        assert_true(adjusted[i] >= p[i] && adjusted[i] <= 1);
                        for (size_t j = 0; j < n; j++)
                                assert_true(p[i] > p[j] || adjusted[i] <= adjusted[j]);
                }
        }
}

TEST(a_table_without_a_finding_shows_one_as_rarely_as_one_row) {
        _cleanup_(random_freep) gsl_rng *random = new_random();
        const int n_trials = 20000;
        int n_false = 0;

        for (int trial = 0; trial < n_trials; trial++) {
                double p[12], least = 1;

                for (size_t i = 0; i < N_ELEMENTS(p); i++)
                        p[i] = gsl_rng_uniform(random);
                assert_int_equal(comparison_holm_adjust(p, N_ELEMENTS(p)), 0);
                for (size_t i = 0; i < N_ELEMENTS(p); i++)
                        least = fmin(least, p[i]);
                n_false += least < 0.05;
        }
        assert_true((double)n_false / n_trials < 0.05 + share_tolerance(0.05, n_trials));
        assert_true((double)n_false / n_trials > 0.04 - share_tolerance(0.04, n_trials));
}

TEST(an_empty_table_is_left_alone) {
        double none = 0.5;

        assert_int_equal(comparison_holm_adjust(&none, 0), 0);
        assert_true(none == 0.5);
}

/* Power: where the spread is known it is R's, where it is estimated that of a double integral and of simulated runs. */

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
                const ComparisonRun run = { .seen_freedom = KNOWN,
                        .freedom = rows[i].freedom,
                        .quantile = gsl_cdf_tdist_Pinv(rows[i].confidence, rows[i].freedom) };

                assert_true(fabs(comparison_power(&run, rows[i].noncentrality, INFINITY) - rows[i].power) < 1e-6);
                assert_true(fabs(comparison_power_distance(&run, rows[i].power) - rows[i].noncentrality) < 1e-4);
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
                const ComparisonRun run = { .seen_freedom = rows[i].seen,
                        .freedom = rows[i].freedom,
                        .quantile = gsl_cdf_tdist_Pinv(rows[i].confidence, rows[i].freedom),
                        .step = rows[i].step };

                assert_true(fabs(comparison_power(&run, rows[i].near, rows[i].far) - rows[i].power) < 6e-4);
        }
}

TEST(the_distance_for_a_power_is_where_it_is_reached) {
        static const double degrees[] = { 2, 4, 9, 19, 49, 199, 999 };

        for (size_t i = 0; i < N_ELEMENTS(degrees); i++)
                for (double step = 0; step < 5; step += 2) {
                        const ComparisonRun run = { .seen_freedom = degrees[i],
                                .freedom = degrees[i],
                                .quantile = gsl_cdf_tdist_Pinv(0.975, degrees[i]),
                                .step = step };

                        assert_true(fabs(comparison_power(&run, comparison_power_distance(&run, 0.8), INFINITY) - 0.8) <
                                        1e-5);
                        assert_true(comparison_power_distance(&run, 0.9) > comparison_power_distance(&run, 0.8));
                        assert_true(comparison_power_distance(&run, 0.8) > step);
                }
}

/* The standard error that @n normal values with an error of 1 give. */
static double seen_error(gsl_rng *random, size_t n) {
        return sqrt(gsl_ran_chisq(random, n - 1) / (n - 1));
}

TEST(what_is_promised_from_one_run_comes_true_in_another) {
        const size_t n_seen = 6, n_new = 9;
        const ComparisonRun run = { .seen_freedom = n_seen - 1,
                .freedom = n_new - 1,
                .quantile = gsl_cdf_tdist_Pinv(0.95, n_new - 1) };
        const double promised = comparison_power(&run, 4, 6);
        _cleanup_(random_freep) gsl_rng *random = new_random();
        const int n_trials = 50000;
        int n_found = 0;

        for (int trial = 0; trial < n_trials; trial++) {
                double unit = seen_error(random, n_seen), half = run.quantile * seen_error(random, n_new);
                double estimate = gsl_ran_gaussian(random, 1);

                n_found += estimate + 4 * unit > half && estimate - 6 * unit < -half;
        }
        assert_true(fabs((double)n_found / n_trials - promised) < share_tolerance(promised, n_trials));
}
