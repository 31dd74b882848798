/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A pool: its summary is that of all its values sorted at once, however they came; and no step of it is long, which is
 * printed and never asserted.
 */

#include "stats/pool.h"

#include <gsl/gsl_statistics_double.h>

#include "random.h"
#include "stats/quantile.h"

#define VALUES_MAX 20000u

typedef double (*Draw)(gsl_rng *random);

static double draw_skewed(gsl_rng *random) {
        return gsl_ran_lognormal(random, 3, 0.5);
}

static double draw_few_values(gsl_rng *random) {
        return gsl_rng_uniform_int(random, 7);
}

static double draw_constant(gsl_rng *random) {
        return 4.25;
}

static double draw_around_zero(gsl_rng *random) {
        return gsl_ran_gaussian(random, 1);
}

static const Draw draws[] = { draw_skewed, draw_few_values, draw_constant, draw_around_zero };

static void gsl_rng_freep(gsl_rng **random) {
        gsl_rng_free(*random);
}

/* Draws runs into @pools by turns, and all of their values into @values; returns how many. */
static size_t fill(gsl_rng *random, Draw draw, Pool pools[static 2], double *values) {
        size_t n = 0, n_runs = 1 + gsl_rng_uniform_int(random, 40);

        for (size_t i = 0; i < n_runs; i++) {
                size_t n_run = gsl_rng_uniform_int(random, 1u << gsl_rng_uniform_int(random, 9));
                double *run = values + n;

                for (size_t j = 0; j < n_run; j++)
                        run[j] = draw(random);
                quantile_sort(run, n_run);
                assert_int_equal(pool_add(&pools[gsl_rng_uniform_int(random, 2)], run, n_run), 0);
                n += n_run;
        }
        return n;
}

static void assert_near(double a, double b, double scale) {
        if (!(isnan(a) && isnan(b)))
                assert_true(fabs(a - b) <= 1e-9 * (fabs(b) + scale));
}

/* Against GSL, on all values sorted at once. */
static void check(const PoolSummary *summary, double *values, size_t n) {
        const struct {
                double p, value;
        } rows[] = { { 0, summary->min }, { 0.01, summary->p1 }, { 0.05, summary->p5 }, { 0.25, summary->p25 },
                { 0.5, summary->median }, { 0.75, summary->p75 }, { 0.95, summary->p95 }, { 0.99, summary->p99 },
                { 1, summary->max } };
        _cleanup_(freep) double *work = malloc(n * sizeof *work);
        QuantileRanks ranks;
        double mean = gsl_stats_mean(values, 1, n), sd = n >= 2 ? gsl_stats_sd(values, 1, n) : NAN;

        assert_non_null(work);
        quantile_sort(values, n);
        assert_int_equal(summary->n, n);
        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                assert_near(rows[i].value, quantile_sorted(values, n, rows[i].p), 0);
        assert_near(summary->mean, mean, 1);
        assert_near(summary->stddev, sd, 1);
        assert_near(summary->mad, gsl_stats_mad0(values, 1, n, work), 0);
        assert_near(summary->trimmed_mean, n >= 3 ? gsl_stats_mean(values + 1, 1, n - 2) : NAN, 1);
        if (quantile_ranks(n, 0.95, &ranks))
                ranks.low = ranks.high = SIZE_MAX;
        assert_near(summary->median_low, ranks.low < n ? values[ranks.low] : NAN, 0);
        assert_near(summary->median_high, ranks.high < n ? values[ranks.high] : NAN, 0);
}

/* Counts each value by itself; @values are sorted. */
static void check_histogram(const PoolHistogram *histogram, const double *values, size_t n) {
        size_t counts[POOL_BINS] = {}, n_below = 0, n_above = 0;

        assert_near(histogram->low, quantile_sorted(values, n, 0.01), fabs(histogram->low));
        assert_near(histogram->high, quantile_sorted(values, n, 0.99), fabs(histogram->high));
        assert_int_equal(histogram->n_bins, histogram->high > histogram->low ? POOL_BINS : 1);
        for (size_t i = 0; i < n; i++) {
                size_t bin = 0;

                if (values[i] < histogram->low || values[i] > histogram->high) {
                        n_below += values[i] < histogram->low;
                        n_above += values[i] > histogram->high;
                        continue;
                }
                while (bin + 1 < histogram->n_bins && values[i] >= histogram->low + (histogram->high - histogram->low) *
                                                                                                      (bin + 1) /
                                                                                                      POOL_BINS)
                        bin++;
                counts[bin]++;
        }
        assert_memory_equal(histogram->counts, counts, histogram->n_bins * sizeof *counts);
        assert_int_equal(histogram->n_below, n_below);
        assert_int_equal(histogram->n_above, n_above);
}

TEST(a_pool_is_summarised_as_all_of_its_values_sorted_at_once) {
        _cleanup_(freep) double *values = malloc(VALUES_MAX * sizeof *values);
        _cleanup_(gsl_rng_freep) gsl_rng *random = new_random();

        assert_non_null(values);
        for (int trial = 0; trial < 400; trial++) {
                Pool pools[2] = {};
                const Pool *both[] = { &pools[0], &pools[1] };
                PoolSummary summary;
                PoolHistogram histogram;
                size_t n = fill(random, draws[trial % N_ELEMENTS(draws)], pools, values);

                assert_true(n <= VALUES_MAX);
                if (n == 0) {
                        assert_int_equal(pool_summarize(both, 2, &summary), POOL_E_EMPTY);
                        assert_int_equal(pool_histogram(both, 2, &histogram), POOL_E_EMPTY);
                } else {
                        assert_int_equal(pool_summarize(both, 2, &summary), 0);
                        check(&summary, values, n);
                        assert_int_equal(pool_histogram(both, 2, &histogram), 0);
                        check_histogram(&histogram, values, n);
                }
                pool_deinit(&pools[0]);
                pool_deinit(&pools[1]);
        }
}

TEST(the_shares_are_of_those_within_one_and_two_deviations_of_the_mean) {
        double values[] = { -3, -1, -1, 0, 0, 0, 0, 1, 1, 3 };
        const Pool *only;
        Pool pool = {};
        PoolSummary summary;

        only = &pool;
        assert_int_equal(pool_add(&pool, values, N_ELEMENTS(values)), 0);
        assert_int_equal(pool_summarize(&only, 1, &summary), 0);
        assert_true(fabs(summary.stddev - sqrt(22 / 9.0)) < 1e-12);
        assert_true(summary.within_1sd == 0.8 && summary.within_2sd == 1);
        pool_deinit(&pool);
}

/* Processes that get slower and slower share no value, which the selection must not take for sorted. */
TEST(runs_that_do_not_overlap_are_one_sample) {
        const Pool *only;
        Pool pool = {};
        PoolSummary summary;

        only = &pool;
        for (int i = 99; i >= 0; i--) {
                double run[64];

                for (int j = 0; j < 64; j++)
                        run[j] = i * 64 + j;
                assert_int_equal(pool_add(&pool, run, 64), 0);
        }
        assert_int_equal(pool_summarize(&only, 1, &summary), 0);
        assert_true(summary.median == 3199.5 && summary.mad == 1600 && fabs(summary.p99 - 6399 * 0.99) < 1e-9);
        pool_deinit(&pool);
}

/* Of its own: what else runs here is no step of the pool. */
static double now_ms(void) {
        struct timespec now;

        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
        return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

TEST(a_million_values_are_summarised_in_short_steps) {
        const size_t sizes[] = { 4096, 1048, 50 };
        _cleanup_(gsl_rng_freep) gsl_rng *random = new_random();

        for (size_t k = 0; k < N_ELEMENTS(sizes); k++) {
                size_t n_runs = sizes[k] == 50 ? 1000 : (1u << 20) / sizes[k];
                double run[4096], longest = 0, begun;
                const Pool *only;
                Pool pool = {};
                PoolSummary summary;

                only = &pool;
                for (size_t i = 0; i < n_runs; i++) {
                        for (size_t j = 0; j < sizes[k]; j++)
                                run[j] = draw_skewed(random);
                        quantile_sort(run, sizes[k]);
                        begun = now_ms();
                        assert_int_equal(pool_add(&pool, run, sizes[k]), 0);
                        longest = fmax(longest, now_ms() - begun);
                }
                begun = now_ms();
                assert_int_equal(pool_summarize(&only, 1, &summary), 0);
                print_message("%zu runs of %zu: longest addition %.2f ms, summary %.2f ms of %zu runs\n", n_runs,
                                sizes[k], longest, now_ms() - begun, pool.n_runs);
                assert_int_equal(summary.n, n_runs * sizes[k]);
                for (size_t i = 0; i < pool.n_runs; i++)
                        assert_true(pool.runs[i].n <= POOL_RUN_MAX);
                pool_deinit(&pool);
        }
}
