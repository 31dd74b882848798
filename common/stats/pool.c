/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/pool.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "stats/quantile.h"
#include "stats/views.h"
#include "util/cleanup.h"
#include "util/error.h"

int pool_summarize_values(double *values, size_t n, PoolSummary *ret_summary) {
        const Pool *only;
        Pool pool = {};
        int r;

        quantile_sort(values, n);
        r = pool_add(&pool, values, n);
        only = &pool;
        if (r == 0)
                r = pool_summarize(&only, 1, ret_summary);
        pool_deinit(&pool);
        return r > 0 ? r : error_trace(r);
}

#define POOL_CONFIDENCE 0.95 /* of the median's interval */

void pool_deinit(Pool *pool) {
        for (size_t i = 0; i < pool->n_runs; i++)
                free(pool->runs[i].values);
        free(pool->runs);
        *pool = (Pool){};
}

/* ---- adding */

static int run_new(size_t n, PoolRun *ret_run) {
        double *values = malloc(n * sizeof *values);

        if (!values)
                return error_origin(-ENOMEM);
        *ret_run = (PoolRun){ .values = values, .n = n };
        return 0;
}

static void runs_merge(const PoolRun *a, const PoolRun *b, double *merged) {
        const double *x = a->values, *y = b->values, *x_end = x + a->n, *y_end = y + b->n;

        while (x < x_end && y < y_end)
                *merged++ = *y < *x ? *y++ : *x++;
        memcpy(merged, x, (size_t)(x_end - x) * sizeof *x);
        memcpy(merged + (x_end - x), y, (size_t)(y_end - y) * sizeof *y);
}

static bool pool_may_merge(const Pool *pool) {
        const PoolRun *last = pool->runs + pool->n_runs - 1;

        return pool->n_runs >= 2 && last[-1].n < 2 * last->n && last[-1].n + last->n <= POOL_RUN_MAX;
}

static int pool_merge_last(Pool *pool) {
        PoolRun *last = pool->runs + pool->n_runs - 1, merged;
        int r;

        r = run_new(last[-1].n + last->n, &merged);
        if (r)
                return error_trace(r);
        runs_merge(last - 1, last, merged.values);
        free(last->values);
        free(last[-1].values);
        last[-1] = merged;
        pool->n_runs--;
        return 0;
}

/* Sums are of the differences from the first value, so that a large part in common takes no digits from them. */
static void pool_add_moments(Pool *pool, const double *values, size_t n) {
        double sum = 0, squares = 0, mean, apart, total = (double)pool->n + n;

        for (size_t i = 0; i < n; i++)
                sum += values[i] - values[0];
        for (size_t i = 0; i < n; i++)
                squares += pow(values[i] - values[0] - sum / n, 2);
        mean = values[0] + sum / n;
        apart = mean - pool->mean;
        pool->squares += squares + apart * apart * ((double)pool->n * n / total);
        pool->mean += apart * (n / total);
}

int pool_add(Pool *pool, const double *sorted, size_t n) {
        PoolRun *runs, run;
        int r;

        if (n == 0)
                return 0;
        runs = reallocarray(pool->runs, pool->n_runs + 1, sizeof *runs);
        if (!runs)
                return error_origin(-ENOMEM);
        pool->runs = runs;
        r = run_new(n, &run);
        if (r)
                return error_trace(r);
        memcpy(run.values, sorted, n * sizeof *sorted);
        pool->runs[pool->n_runs++] = run;
        pool_add_moments(pool, sorted, n);
        pool->n += n;
        while (r == 0 && pool_may_merge(pool))
                r = pool_merge_last(pool);
        return error_trace(r);
}

/* ---- summaries */

static size_t pools_count_runs(const Pool *const *pools, size_t n_pools) {
        size_t n = 0;

        for (size_t i = 0; i < n_pools; i++)
                n += pools[i]->n_runs;
        return n;
}

/* Views of all runs, with room for as many again. */
/* Allocates the views of all runs. Returns 0, POOL_E_EMPTY without a value, or a negative errno. */
static int views_new(const Pool *const *pools, size_t n_pools, Views *ret_views) {
        Views views = {};

        views.views = calloc(2 * pools_count_runs(pools, n_pools) + 1, sizeof *views.views);
        if (!views.views)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < n_pools; i++)
                for (size_t j = 0; j < pools[i]->n_runs; j++) {
                        const PoolRun *run = &pools[i]->runs[j];

                        views.views[views.n++] = (View){ .first = run->values, .step = 1, .n = run->n };
                        views.n_values += run->n;
                }
        if (views.n_values == 0) {
                free(views.views);
                return POOL_E_EMPTY;
        }
        *ret_views = views;
        return 0;
}

static void summary_set_moments(const Pool *const *pools, size_t n_pools, PoolSummary *summary) {
        double n = 0, mean = 0, squares = 0;

        for (size_t i = 0; i < n_pools; i++) {
                double apart = pools[i]->mean - mean, total = n + pools[i]->n;

                if (pools[i]->n == 0)
                        continue;
                squares += pools[i]->squares + apart * apart * (n * pools[i]->n / total);
                mean += apart * (pools[i]->n / total);
                n = total;
        }
        summary->n = n;
        summary->mean = mean;
        summary->stddev = n >= 2 ? sqrt(squares / (n - 1)) : NAN;
}

static void summary_set_quantiles(Views *views, PoolSummary *summary) {
        const struct {
                double p;
                double *field;
        } rows[] = {
                { 0, &summary->min },
                { 0.01, &summary->p1 },
                { 0.05, &summary->p5 },
                { 0.25, &summary->p25 },
                { 0.5, &summary->median },
                { 0.75, &summary->p75 },
                { 0.95, &summary->p95 },
                { 0.99, &summary->p99 },
                { 1, &summary->max },
        };
        QuantileRanks ranks;

        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                *rows[i].field = views_quantile(views, rows[i].p);
        summary->median_low = summary->median_high = NAN;
        if (quantile_ranks(views->n_values, POOL_CONFIDENCE, &ranks))
                return;
        summary->median_low = views_select(views, ranks.low);
        summary->median_high = views_select(views, ranks.high);
}

/* The share of the values within @distance of the mean. */
static double share_within(const Views *views, const PoolSummary *summary, double distance) {
        if (isnan(distance))
                return NAN;
        return (double)(views_count(views, summary->mean + distance, true) -
                               views_count(views, summary->mean - distance, false)) /
               views->n_values;
}

int pool_histogram(const Pool *const *pools, size_t n_pools, PoolHistogram *ret_histogram) {
        PoolHistogram histogram = { .n_bins = 1 };
        size_t before, upto;
        Views views = {};
        int r;

        r = views_new(pools, n_pools, &views);
        if (r)
                return error_trace(r);
        histogram.low = views_quantile(&views, 0.01);
        histogram.high = views_quantile(&views, 0.99);
        if (histogram.high > histogram.low)
                histogram.n_bins = POOL_BINS;
        before = histogram.n_below = views_count(&views, histogram.low, false);
        for (size_t i = 0; i + 1 < histogram.n_bins; i++, before = upto) {
                upto = views_count(&views, histogram.low + (histogram.high - histogram.low) * (i + 1) / POOL_BINS,
                                false);
                histogram.counts[i] = upto - before;
        }
        upto = views_count(&views, histogram.high, true);
        histogram.counts[histogram.n_bins - 1] = upto - before;
        histogram.n_above = views.n_values - upto;
        free(views.views);
        *ret_histogram = histogram;
        return 0;
}

int pool_summarize(const Pool *const *pools, size_t n_pools, PoolSummary *ret_summary) {
        PoolSummary summary = {};
        Views views = {};
        int r;

        r = views_new(pools, n_pools, &views);
        if (r)
                return error_trace(r);
        summary_set_moments(pools, n_pools, &summary);
        summary_set_quantiles(&views, &summary);
        summary.best = summary.min;
        summary.trimmed_mean = NAN;
        if (summary.n >= 3)
                summary.trimmed_mean = (summary.mean * summary.n - summary.min - summary.max) / (summary.n - 2);
        summary.within_1sd = share_within(&views, &summary, summary.stddev);
        summary.within_2sd = share_within(&views, &summary, 2 * summary.stddev);
        views_center(&views, summary.median);
        summary.mad = views_quantile(&views, 0.5);
        free(views.views);
        *ret_summary = summary;
        return 0;
}
