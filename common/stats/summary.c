/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/summary.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "stats/quantile.h"
#include "util/cleanup.h"
#include "util/error.h"

int sample_summarize(double *values, size_t n, SampleSummary *ret_summary) {
        _cleanup_(freep) double *work = NULL;

        if (n == 0)
                return SUMMARY_E_EMPTY;
        work = malloc(n * sizeof *work);
        if (!work)
                return error_origin(-ENOMEM);

        values_sort(values, n);
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
                .mean = gsl_stats_mean(values, 1, n),
                .stddev = n >= 2 ? gsl_stats_sd(values, 1, n) : NAN,
                .mad = gsl_stats_mad0(values, 1, n, work),
                .best = values[0],
                .trimmed_mean = n >= 3 ? gsl_stats_mean(values + 1, 1, n - 2) : NAN,
        };
        return 0;
}
