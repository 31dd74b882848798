/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The spread of a benchmark: parts of the variance come out as they went in; which kind modes are of; what is not known is
 * absent.
 */

#include "front/samples/spread.h"

#include "arena.h"
#include "random.h"
#include "stats/quantile.h"

#define SAMPLES 50

/* Adds a process of @samples, which it sorts; returns their median. */
static double add(Spread *spread, double *samples, size_t n) {
        double sequence[SAMPLES];
        SpreadSamples of = { .sequence = sequence,
                .n_sequence = n,
                .sorted = samples,
                .steady = samples,
                .n = n,
                .quiet = true };

        memcpy(sequence, samples, n * sizeof *samples);
        quantile_sort(samples, n);
        assert_int_equal(spread_add(spread, &of), 0);
        return quantile_sorted(samples, n, 0.5);
}

TEST(the_parts_of_the_variance_come_out_as_they_went_in) {
        _cleanup_(random_freep) gsl_rng *random = new_random();
        uint32_t places[200] = {};
        double medians[200];
        Spread spread = {};
        SpreadFound found;

        for (size_t i = 0; i < N_ELEMENTS(medians); i++) {
                double level = gsl_ran_lognormal(random, 3, 0.03), samples[SAMPLES];

                for (size_t j = 0; j < SAMPLES; j++)
                        samples[j] = level * gsl_ran_lognormal(random, 0, 0.01);
                medians[i] = add(&spread, samples, SAMPLES);
        }
        assert_int_equal(spread_find(&spread, true, medians, places, spread.n, &found), 0);
        /* five standard errors of a deviation from 200 and from 9800 degrees of freedom */
        assert_true(fabs(found.variance.between / 0.03 - 1) < 5 / sqrt(2 * 200));
        assert_true(fabs(found.variance.within / 0.01 - 1) < 5 / sqrt(2 * 9800.0));
        assert_int_equal(found.n_samples, 200 * SAMPLES);
        assert_true(found.ess > 0.5 * found.n_samples && found.ess <= found.n_samples);
        assert_int_equal(found.between.n, 0);
        assert_int_equal(found.within.n, 0);
        spread_deinit(&spread);
}

/* @slow of the samples at 72, the others at 50. */
static double add_two_speeds(Spread *spread, gsl_rng *random, double slow) {
        double samples[SAMPLES];

        for (size_t j = 0; j < SAMPLES; j++)
                samples[j] = (j < slow * SAMPLES ? 72 : 50) * gsl_ran_lognormal(random, 0, 0.005);
        gsl_ran_shuffle(random, samples, SAMPLES, sizeof *samples);
        return add(spread, samples, SAMPLES);
}

TEST(modes_within_that_throw_the_medians_about_are_not_told_as_those_between_too) {
        _cleanup_(random_freep) gsl_rng *random = new_random();
        uint32_t places[10] = {};
        double medians[10];
        Spread spread = {};
        SpreadFound found;

        for (size_t i = 0; i < 10; i++)
                medians[i] = add_two_speeds(&spread, random, i % 2 ? 0.44 : 0.56);
        assert_int_equal(spread_find(&spread, true, medians, places, spread.n, &found), 0);
        assert_int_equal(found.within.n, 2);
        assert_int_equal(found.n_within, 10);
        assert_int_equal(found.between.n, 0);
        assert_true(fabs(found.within.modes[0].center - 50) < 1 && fabs(found.within.modes[1].center - 72) < 1);
        assert_true(fabs(found.within.modes[0].weight - 0.5) < 0.02);
        spread_deinit(&spread);
}

TEST(processes_that_each_keep_to_one_time_have_modes_between_them) {
        Benchd__BenchmarkResult result = BENCHD__BENCHMARK_RESULT__INIT;
        _cleanup_(random_freep) gsl_rng *random = new_random();
        uint32_t places[10] = {};
        double medians[10];
        Spread spread = {};
        SpreadFound found;

        for (size_t i = 0; i < 10; i++)
                medians[i] = add_two_speeds(&spread, random, i < 4);
        assert_int_equal(spread_find(&spread, true, medians, places, spread.n, &found), 0);
        assert_int_equal(found.within.n, 0);
        assert_int_equal(found.between.n, 2);
        assert_int_equal(spread_report(&found, arena, &result), 0);
        assert_int_equal(result.n_modes, 2);
        assert_int_equal(result.modes[0]->kind, BENCHD__MODE__KIND__BETWEEN);
        assert_true(fabs(result.modes[0]->weight - 0.6) < 1e-12);
        assert_true(result.variance->between_process > 5 * result.variance->within_process);
        spread_deinit(&spread);
}

/* @n processes, whose medians are @step of logs apart from place to place and differ by noise beside. */
static double place_share(gsl_rng *random, size_t n, double step) {
        const double samples[2] = { 1, 1 };
        uint32_t places[100];
        double medians[100];
        Spread spread = {};
        SpreadFound found;

        for (size_t i = 0; i < n; i++) {
                assert_int_equal(spread_add(&spread, &(SpreadSamples){ .sequence = samples,
                                                                     .n_sequence = 2,
                                                                     .sorted = samples,
                                                                     .steady = samples,
                                                                     .n = 2 }),
                                0);
                places[i] = i % RUNNER_IMAGE_OFFSETS;
                medians[i] = exp(step * (i % RUNNER_IMAGE_OFFSETS) + gsl_ran_gaussian(random, 0.01));
        }
        assert_int_equal(spread_find(&spread, false, medians, places, n, &found), 0);
        spread_deinit(&spread);
        return found.place_share;
}

TEST(what_goes_with_the_place_of_the_module_is_told_as_its_share) {
        _cleanup_(random_freep) gsl_rng *random = new_random();
        const double between = 0.01 * 0.01 * 5 / 3; /* of four places 0.01 apart, n - 1 */

        assert_true(fabs(place_share(random, 100, 0.01) - between / (between + 0.01 * 0.01)) < 0.2);
        assert_true(place_share(random, 100, 0) < 0.2);
        assert_true(place_share(random, 8, 1) > 0.99);
        assert_true(isnan(place_share(random, 7, 1)));
        assert_true(isnan(place_share(random, 3, 1)));
}

/* Two levels that go with the place are no modes between processes, and no resemblance of one to the next; beside them others are. */
TEST(places_explain_modes_and_resemblance) {
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (unsigned i = 0; i < 2; i++) {
                uint32_t places[12];
                double medians[12];
                Spread spread = {};
                SpreadFound found;

                for (uint32_t j = 0; j < 12; j++) {
                        double samples[SAMPLES];
                        const double level = i == 0 ? (j < 6 ? 50 : 72) : (j % 2 ? 50 : 72);

                        for (size_t k = 0; k < SAMPLES; k++)
                                samples[k] = level * gsl_ran_lognormal(random, 0, 0.005);
                        medians[j] = add(&spread, samples, SAMPLES);
                        places[j] = j / 3;
                }
                assert_int_equal(spread_find(&spread, true, medians, places, 12, &found), 0);
                assert_int_equal(found.between.n, i == 0 ? 0 : 2);
                assert_true(!(found.succession.lag1 > 0.5));
                assert_true(i > 0 || (fabs(found.places[0] / 50 - 1) < 0.01 && fabs(found.places[3] / 72 - 1) < 0.01));
                assert_int_equal(found.n_at_place[1], 3);
                spread_deinit(&spread);
        }
}

TEST(a_drift_is_told_with_its_sign_and_what_is_not_known_is_absent) {
        Benchd__BenchmarkResult result = BENCHD__BENCHMARK_RESULT__INIT;
        double rising[20], few[3] = { 1, 2, 3 }, negative[3] = { -1, 2, 3 }, medians[3];
        const uint32_t places[3] = {};
        Spread spread = {};
        SpreadFound found;

        for (size_t i = 0; i < 20; i++)
                rising[i] = 100 + i;
        medians[0] = add(&spread, rising, 20);
        assert_int_equal(spread_find(&spread, true, medians, places, spread.n, &found), 0);
        assert_true(found.drift.change > 0.15 && found.drift.p_value < 0.01);
        spread_deinit(&spread);

        medians[0] = add(&spread, few, 3);
        medians[1] = add(&spread, negative, 3);
        assert_int_equal(spread_find(&spread, true, medians, places, spread.n, &found), 0);
        assert_int_equal(spread_report(&found, arena, &result), 0);
        assert_false(result.variance->has_within_process || result.variance->has_ess);
        assert_false(result.drift->has_change || result.drift->has_p_value);
        assert_int_equal(result.n_modes, 0);
        spread_deinit(&spread);
}
