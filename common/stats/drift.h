/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Drift: a sequence in time order rises or falls as a whole, as where a core warms up or a heap fills.
 *
 * The slope is the median of the slopes of all pairs (Theil 1950; Sen, JASA 63, 1968), which single stretched samples do
 * not move. The test is that of Mann (Econometrica 13, 1945) and Kendall: normal, corrected for ties and continuity. Its
 * variance is multiplied by n / (effective size of what the slope leaves over), since a sequence that repeats itself
 * wanders without a trend (after Hamed and Rao, Journal of Hydrology 204, 1998). Simulated at an autocorrelation of 0.5,
 * 23 % of false positives become 9 % at 50 values, and 18 % become 14 % at 10. Pairs are many, so over DRIFT_POINTS_MAX
 * values the medians of that many equal, consecutive groups stand for them.
 */

#include <stddef.h>

#define DRIFT_N_MIN      10u
#define DRIFT_POINTS_MAX 128u

enum {
        _DRIFT_E_SUCCESS,

        DRIFT_E_TOO_FEW, /* under DRIFT_N_MIN values */
};

typedef struct Drift {
        double change;  /* from the first value to the last, relative to the median; NaN where that is not positive */
        double p_value; /* two-sided: how often a sequence without a trend has one like this */
} Drift;

/* The trend of @n finite values in time order. Returns 0, E_TOO_FEW, or a negative errno. */
int drift_of(const double *values, size_t n, Drift *ret_drift);

/* The median slope per step of @n (2 or more) values. Returns 0 or a negative errno. */
int drift_slope(const double *values, size_t n, double *ret_slope);

/*
 * Mann and Kendall's statistic of @n values as a standard normal variable, its variance multiplied by @inflation
 * (1: the values are independent); 0 where all are the same.
 */
int drift_mann_kendall(const double *values, size_t n, double inflation, double *ret_z);
