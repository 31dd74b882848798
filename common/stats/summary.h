/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The summary of a pooled sample of times: descriptive only, no inference, since samples of one process are not
 * independent. Intervals are made over processes, in interval.h.
 */

#include <stddef.h>

enum {
        _SUMMARY_E_SUCCESS,

        SUMMARY_E_EMPTY, /* no value to summarise */
};

/* In the unit of the values. NaN stands for what too few values give. */
typedef struct SampleSummary {
        size_t n;
        double min, p1, p5, p25, median, p75, p95, p99, max; /* quantiles of type 7 */
        double mean;                                         /* arithmetic */
        double stddev;                                       /* of the sample, n - 1; from 2 values */
        double mad;          /* median of the absolute deviations from the median, not scaled */
        double best;         /* the smallest: the "raw speed" of the older harnesses */
        double trimmed_mean; /* exactly one smallest and one largest dropped: "gymnastics"; from 3 values */
        double within_1sd;   /* share within one stddev of the mean; 0.683 of a normal sample; from 2 values */
        double within_2sd;   /* within two; 0.954 */
        double median_low;   /* between two order statistics, 95 % (stats/order-interval.h); from 6 values */
        double median_high;
} SampleSummary;

/* Summarises @n finite values, which it sorts. Returns 0, E_EMPTY, or a negative errno. */
int sample_summarize(double *values, size_t n, SampleSummary *ret_summary);
