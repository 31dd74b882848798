/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/summary.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "stats/quantile.h"
#include "util/cleanup.h"
#include "util/error.h"

/* The share of values within @distance of @center; NaN where there is none. */
static double share_within(const double *values, size_t n, double center, double distance) {
        size_t n_within = 0;

        if (isnan(distance))
                return NAN;
        for (size_t i = 0; i < n; i++)
                n_within += fabs(values[i] - center) <= distance;
        return (double)n_within / n;
}

int sample_summarize(double *values, size_t n, SampleSummary *ret_summary) {
        _cleanup_(freep) double *work = NULL;
        double mean, stddev;

        if (n == 0)
                return SUMMARY_E_EMPTY;
        work = malloc(n * sizeof *work);
        if (!work)
                return error_origin(-ENOMEM);

        values_sort(values, n);
        mean = gsl_stats_mean(values, 1, n);
        stddev = n >= 2 ? gsl_stats_sd(values, 1, n) : NAN;
        *ret_summary = (SampleSummary){
                .n = n,
                .min = values[0],
                .p1 = quantile_sorted(values, n, 0.01),
                .p5 = quantile_sorted(values, n, 0.05),
                .p25 = quantile_sorted(values, n, 0.25),
                .median = quantile_sorted(values, n, 0.5),
                .p75 = quantile_sorted(values, n, 0.75),
                .p95 = quantile_sorted(values, n, 0.95),
                .p99 = quantile_sorted(values, n, 0.99),
                .max = values[n - 1],
                .mean = mean,
                .stddev = stddev,
                .mad = gsl_stats_mad0(values, 1, n, work),
                .best = values[0],
                .trimmed_mean = n >= 3 ? gsl_stats_mean(values + 1, 1, n - 2) : NAN,
                .within_1sd = share_within(values, n, mean, stddev),
                .within_2sd = share_within(values, n, mean, 2 * stddev),
        };
        return 0;
}
