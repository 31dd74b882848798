/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Samples of many processes, pooled as they come, and their summary without ever sorting all of them at once: that would block the daemon,
 * since a report has six summaries of a million values, each of which takes a tenth of a second to sort.
 *
 * Each process's samples come sorted, as a run. Runs of like length are merged, as the digits of a binary counter carry, up
 * to POOL_RUN_MAX values, so that no step is long. An order statistic is selected from the few runs that are left
 * (stats/views.h). Mean and squares are kept along the way (Chan, Golub and LeVeque, Technical Report STAN-CS-79-773, 1979).
 */

#include <stddef.h>

#define POOL_RUN_MAX (1u << 17)

typedef struct PoolSummary PoolSummary;

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

#define POOL_BINS 24u /* divisible by 2 and 3, for drawings with fewer bins */

/* Counts in bins of equal width from the 1st to the 99th percentile. */
typedef struct PoolHistogram {
        double low, high;
        size_t counts[POOL_BINS];
        size_t n_bins; /* 1 where low is high */
        size_t n_below, n_above;
} PoolHistogram;

/* The histogram of the @n_pools pools as one. Returns 0, POOL_E_EMPTY, or a negative errno. */
int pool_histogram(const Pool *const *pools, size_t n_pools, PoolHistogram *ret_histogram);

/* Summarises the @n_pools pools as one. Returns 0, POOL_E_EMPTY, or a negative errno. */
int pool_summarize(const Pool *const *pools, size_t n_pools, PoolSummary *ret_summary);

/*
 * The summary of a pooled sample of times: descriptive only, no inference, since samples of one process are not
 * independent. Intervals are made over processes, in interval.h.
 */

enum {
        _POOL_E_SUCCESS,

        POOL_E_EMPTY, /* no value to summarise */
};

/* The statistics of a summary, which the protocol has under the same names. */
/* clang-format off */
#define SAMPLE_STATISTICS(X)                                                                                           \
        X(min) X(p1) X(p5) X(p25) X(median) X(p75) X(p95) X(p99) X(max) /* quantiles of type 7 */                      \
        X(mean)         /* arithmetic */                                                                               \
        X(stddev)       /* of the sample, n - 1; from 2 values */                                                      \
        X(mad)          /* median of the absolute deviations from the median, not scaled */                            \
        X(best)         /* the smallest: the "raw speed" of the older harnesses */                                     \
        X(trimmed_mean) /* exactly one smallest and one largest dropped: "gymnastics"; from 3 values */                \
        X(within_1sd)   /* share within one stddev of the mean; 0.683 of a normal sample; from 2 values */             \
        X(within_2sd)   /* within two; 0.954 */                                                                        \
        X(median_low)   /* between two order statistics, 95 %; from 6 values */                                        \
        X(median_high)
/* clang-format on */

#define SAMPLE_STATISTIC_FIELD(name) double name;

/* In the unit of the values, but for shares. NaN stands for what too few values give. */
typedef struct PoolSummary {
        size_t n;
        SAMPLE_STATISTICS(SAMPLE_STATISTIC_FIELD)
} PoolSummary;

/* Summarises @n finite values, which it sorts. Returns 0, E_EMPTY, or a negative errno. */
int pool_summarize_values(double *values, size_t n, PoolSummary *ret_summary);
