/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Samples of many processes, pooled as they come, and their summary without ever sorting all of them at once: the daemon answers
 * nobody meanwhile, and a report has six summaries of a million values, each of which takes a tenth of a second to sort.
 *
 * Each process's samples come sorted, as a run. Runs of like length are merged, as the digits of a binary counter carry, up
 * to POOL_RUN_MAX values, so that no step is long. An order statistic is selected from the few runs that are left
 * (stats/views.h). Mean and squares are kept along the way (Chan, Golub and LeVeque, Technical Report STAN-CS-79-773, 1979).
 */

#include <stddef.h>

#define POOL_RUN_MAX (1u << 17)

typedef struct SampleSummary SampleSummary;

typedef struct PoolRun {
        double *values; /* in rising order */
        size_t n;
} PoolRun;

typedef struct Pool {
        PoolRun *runs;
        size_t n_runs;
        size_t n; /* values in them */
        double mean;
        double squares; /* sum of the squared deviations from it */
} Pool;

void pool_deinit(Pool *pool);

/* Adds @n finite values in rising order, which are copied. Returns 0 or a negative errno. */
int pool_add(Pool *pool, const double *sorted, size_t n);

#define POOL_BINS 24u /* halves and thirds of it are whole, for those who draw fewer */

/* Counts in bins of equal width from the 1st to the 99th percentile. */
typedef struct Histogram {
        double low, high;
        size_t counts[POOL_BINS];
        size_t n_bins; /* 1 where low is high */
        size_t n_below, n_above;
} Histogram;

/* The histogram of the @n_pools pools as one. Returns 0, SUMMARY_E_EMPTY (stats/summary.h), or a negative errno. */
int pool_histogram(const Pool *const *pools, size_t n_pools, Histogram *ret_histogram);

/* Summarises the @n_pools pools as one. Returns 0, SUMMARY_E_EMPTY (stats/summary.h), or a negative errno. */
int pool_summarize(const Pool *const *pools, size_t n_pools, SampleSummary *ret_summary);
