/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Modes: those that were seen on real machines are found with their weights; one-peaked noise, however skewed, has one.
 */

#include "random.h"
#include "stats/modes.h"
#include "stats/quantile.h"

typedef double (*Draw)(gsl_rng *random);

static double draw_narrow(gsl_rng *random) {
        return gsl_ran_lognormal(random, 3, 0.01);
}

static double draw_wide(gsl_rng *random) {
        return gsl_ran_lognormal(random, 3, 0.3);
}

static double draw_tailed(gsl_rng *random) {
        return 20 * (1 + gsl_ran_exponential(random, 0.05));
}

static double draw_long_tailed(gsl_rng *random) {
        return 20 * (1 + gsl_ran_exponential(random, 1));
}

static double draw_pareto(gsl_rng *random) {
        return gsl_ran_pareto(random, 3, 20);
}

static double draw_finely_quantized(gsl_rng *random) {
        return rint(1000 * gsl_ran_lognormal(random, 0, 0.002)) / 1000;
}

static double draw_coarsely_quantized(gsl_rng *random) {
        return rint(100 * gsl_ran_lognormal(random, 0, 0.02)) / 100;
}

static double draw_uniform(gsl_rng *random) {
        return 20 + gsl_rng_uniform(random);
}

static const struct {
        const char *name;
        Draw draw;
} one_peaked[] = {
        { "lognormal, 0.01", draw_narrow },
        { "lognormal, 0.3", draw_wide },
        { "exponential tail, 0.05", draw_tailed },
        { "exponential tail, 1", draw_long_tailed },
        { "Pareto, 3", draw_pareto },
        { "steps of 0.1 %", draw_finely_quantized },
        { "steps of 1 %", draw_coarsely_quantized },
        { "uniform", draw_uniform },
};

static Modes modes_drawn(gsl_rng *random, Draw draw, size_t n, const ModesRule *rule) {
        _cleanup_(freep) double *values = malloc(n * sizeof *values);
        Modes modes;

        for (size_t i = 0; i < n; i++)
                values[i] = draw(random);
        quantile_sort(values, n);
        assert_int_equal(modes_find(values, n, rule, &modes), 0);
        return modes;
}

TEST(noise_with_one_peak_has_one_mode) {
        static const size_t sizes[] = { 3, 5, 10, 20, 50, 500, 5000 };
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (size_t i = 0; i < N_ELEMENTS(one_peaked); i++)
                for (size_t j = 0; j < N_ELEMENTS(sizes); j++) {
                        int n_trials = sizes[j] > 100 ? 50 : 500, n_processes = 0, n_samples = 0;

                        for (int trial = 0; trial < n_trials; trial++) {
                                n_processes += modes_drawn(random, one_peaked[i].draw, sizes[j], &modes_of_processes)
                                                               .n > 1;
                                n_samples += modes_drawn(random, one_peaked[i].draw, sizes[j], &modes_of_samples).n > 1;
                        }
                        if (n_processes + n_samples)
                                print_message("%s, %zu values: %d and %d of %d\n", one_peaked[i].name, sizes[j],
                                                n_processes, n_samples, n_trials);
                        assert_true((double)n_processes / n_trials < 0.01 + share_tolerance(0.01, n_trials));
                        assert_true((double)n_samples / n_trials < 0.002 + share_tolerance(0.002, n_trials));
                }
}

static double draw_sort(gsl_rng *random) {
        return (gsl_rng_uniform(random) < 0.6 ? 50 : 72) * exp(gsl_ran_gaussian(random, 0.02));
}

/* Some batches saw the mode change. */
static double draw_flipping_sort(gsl_rng *random) {
        double where = gsl_rng_uniform(random);

        if (where < 0.03)
                return 50 + 22 * gsl_rng_uniform(random);
        return (where < 0.6 ? 50 : 72) * exp(gsl_ran_gaussian(random, 0.02));
}

static double draw_three(gsl_rng *random) {
        double where = gsl_rng_uniform(random);

        return (where < 0.2 ? 10 : where < 0.7 ? 12 : 20) * exp(gsl_ran_gaussian(random, 0.01));
}

TEST(a_sort_that_runs_at_50_or_72_has_both) {
        static const size_t sizes[] = { 50, 500, 1000000 };
        static const Draw draws[] = { draw_sort, draw_flipping_sort };
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (size_t i = 0; i < N_ELEMENTS(sizes); i++)
                for (size_t j = 0; j < N_ELEMENTS(draws); j++) {
                        int n_trials = sizes[i] > 1000 ? 1 : 100, n_found = 0;

                        for (int trial = 0; trial < n_trials; trial++) {
                                Modes modes = modes_drawn(random, draws[j], sizes[i], &modes_of_samples);

                                if (modes.n != 2)
                                        continue;
                                n_found++;
                                assert_true(fabs(modes.modes[0].center / 50 - 1) < 0.04);
                                assert_true(fabs(modes.modes[1].center / 72 - 1) < 0.04);
                                assert_true(fabs(modes.modes[0].weight - 0.6) < 0.03 + 3.5 / sqrt(sizes[i]));
                                assert_true(fabs(modes.modes[0].weight + modes.modes[1].weight - 1) < 1e-12);
                        }
                        assert_true(n_found >= 0.8 * n_trials);
                }
}

TEST(three_modes_are_told_in_rising_order) {
        static const double centers[] = { 10, 12, 20 }, weights[] = { 0.2, 0.5, 0.3 };
        _cleanup_(random_freep) gsl_rng *random = new_random();
        Modes modes = modes_drawn(random, draw_three, 1000, &modes_of_samples);

        assert_int_equal(modes.n, 3);
        for (size_t i = 0; i < 3; i++) {
                assert_true(fabs(modes.modes[i].center / centers[i] - 1) < 0.01);
                assert_true(fabs(modes.modes[i].weight - weights[i]) < 0.1);
        }
}

TEST(a_process_at_exactly_twice_the_others_is_a_mode) {
        _cleanup_(random_freep) gsl_rng *random = new_random();
        int n_found = 0;

        for (int trial = 0; trial < 200; trial++) {
                double values[10];
                Modes modes;

                for (size_t i = 0; i < 9; i++)
                        values[i] = 10 * exp(gsl_ran_gaussian(random, 0.01));
                values[9] = 20;
                quantile_sort(values, 10);
                assert_int_equal(modes_find(values, 10, &modes_of_processes, &modes), 0);
                n_found += modes.n == 2 && fabs(modes.modes[1].center - 20) < 1e-9 && modes.modes[1].weight == 0.1;
        }
        assert_true(n_found >= 190);
}

TEST(processes_that_agree_exactly_but_one_are_two_modes) {
        const double values[] = { 10, 10, 10, 10, 10, 10, 10, 10, 10, 20 };
        Modes modes;

        assert_int_equal(modes_find(values, 10, &modes_of_processes, &modes), 0);
        assert_int_equal(modes.n, 2);
        assert_int_equal(modes_find(values, 9, &modes_of_processes, &modes), 0);
        assert_int_equal(modes.n, 1);
        assert_true(fabs(modes.modes[0].center - 10) < 1e-9 && modes.modes[0].weight == 1);
}

TEST(one_sample_far_off_is_an_outlier_and_no_mode) {
        _cleanup_(random_freep) gsl_rng *random = new_random();
        double values[20];
        Modes modes;

        for (size_t i = 0; i < 19; i++)
                values[i] = draw_narrow(random);
        values[19] = 1000;
        quantile_sort(values, 20);
        assert_int_equal(modes_find(values, 20, &modes_of_samples, &modes), 0);
        assert_int_equal(modes.n, 1);
}

TEST(a_step_that_the_caller_knows_makes_no_modes) {
        /* One operation on a clock of 26 ticks: nothing lies between two readings. */
        const ModesRule rule = { .resolution = 26, .n_min = 3 };
        double values[50];
        Modes modes;

        for (size_t i = 0; i < 50; i++)
                values[i] = i < 30 ? 260 : 286;
        assert_int_equal(modes_find(values, 50, &rule, &modes), 0);
        assert_int_equal(modes.n, 1);
        assert_int_equal(modes_find(values, 50, &modes_of_samples, &modes), 0);
        assert_int_equal(modes.n, 2);
}

TEST(the_unit_does_not_matter_and_weights_come_to_one) {
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (int trial = 0; trial < 200; trial++) {
                size_t n = 1 + gsl_rng_uniform_int(random, 800);
                double values[800], scaled[800], sum = 0;
                Modes modes, again;

                for (size_t i = 0; i < n; i++)
                        values[i] = draw_three(random);
                quantile_sort(values, n);
                for (size_t i = 0; i < n; i++)
                        scaled[i] = values[i] * 1024;
                assert_int_equal(modes_find(values, n, &modes_of_samples, &modes), 0);
                assert_int_equal(modes_find(scaled, n, &modes_of_samples, &again), 0);
                assert_int_equal(modes.n, again.n);
                assert_in_range(modes.n, 1, MODES_MAX);
                for (size_t i = 0; i < modes.n; i++) {
                        assert_true(fabs(again.modes[i].center / modes.modes[i].center / 1024 - 1) < 1e-9);
                        assert_true(modes.n == 1 || modes.modes[i].weight >= MODES_WEIGHT_MIN);
                        sum += modes.modes[i].weight;
                }
                assert_true(fabs(sum - 1) < 1e-12);
        }
}

TEST(what_has_no_logarithm_is_refused) {
        const double values[] = { 0, 1, 2 };
        Modes modes;

        assert_int_equal(modes_find(values, 3, &modes_of_samples, &modes), MODES_E_NOT_POSITIVE);
        assert_int_equal(modes_find(values, 0, &modes_of_samples, &modes), MODES_E_EMPTY);
        assert_int_equal(modes_find(values + 1, 1, &modes_of_samples, &modes), 0);
        assert_int_equal(modes.n, 1);
}
