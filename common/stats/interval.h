/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A mean over processes with its interval by Student's t (Biometrika 6, 1908), within the conditions that they were run under
 * (stats/strata.h).
 *
 * On the logs of the processes' medians, because their spread is relative and skewed to the right: the point is their
 * geometric mean. On the values themselves only where one of them is not positive.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INTERVAL_N_MIN 3u /* fewer values give a point and no interval */

enum {
        _INTERVAL_E_SUCCESS,

        INTERVAL_E_EMPTY,
        INTERVAL_E_NOT_POSITIVE, /* a value that has no logarithm */
};

/* low and high are NaN where there were fewer than INTERVAL_N_MIN values. */
typedef struct MeanInterval {
        double point;
        double low;
        double high;
} MeanInterval;

/* The mean of @n finite values of conditions @strata (NULL: of one), with its interval at @confidence (such as 0.95). Returns 0 or E_EMPTY. */
int interval_of_mean(const double *values, const uint32_t *strata, size_t n, double confidence,
                MeanInterval *ret_interval);

/* A mean of logs as Student's t sees it, of processes or of several machines. */
typedef struct LogMean {
        double mean;
        double error;   /* standard error of the mean; NaN: unknown */
        double freedom; /* degrees, of the error */
} LogMean;

/* The mean of logs behind @interval at @confidence, of so many degrees. mean and error are NaN where they have no logs or are not known. */
LogMean log_mean_of(const MeanInterval *interval, double confidence, double freedom);

/*
 * Degrees of freedom of the sum of the squared errors of @n means, of which none is NaN (Satterthwaite, Biometrics Bulletin 2, 1946; Welch,
 * Biometrika 34, 1947); those of all where no error tells.
 */
double log_means_freedom(const LogMean *means, size_t n);

/* @interval with at least @half (0 or more) on either side of its point, which the spread of its values does not show. */
MeanInterval interval_of_at_least(MeanInterval interval, double half);

/* @interval around another @point. */
MeanInterval interval_moved(MeanInterval interval, double point);

/* @interval with each half @factor (1 or more) times as long, on a scale of logarithms where @of_logs. */
MeanInterval interval_widened(MeanInterval interval, double factor, bool of_logs);

/* The geometric mean, with its interval. Returns 0, E_EMPTY, E_NOT_POSITIVE, or a negative errno. */
int interval_of_log_mean(const double *values, const uint32_t *strata, size_t n, double confidence,
                MeanInterval *ret_interval);
