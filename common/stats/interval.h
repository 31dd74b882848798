/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A mean over processes with its interval by Student's t (Biometrika 6, 1908), within the conditions that they were run under
 * (strata).
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
typedef struct Interval {
        double point;
        double low;
        double high;
} Interval;

/* The mean of @n finite values of conditions @strata (NULL: of one), with its interval at @confidence (such as 0.95). Returns 0 or E_EMPTY. */
int interval_of_mean(const double *values, const uint32_t *strata, size_t n, double confidence, Interval *ret_interval);

/* A mean of logs as Student's t sees it, of processes or of several machines. */
typedef struct IntervalLogMean {
        double mean;
        double error;   /* standard error of the mean; NaN: unknown */
        double freedom; /* degrees, of the error */
} IntervalLogMean;

/* The mean of logs behind @interval at @confidence, of so many degrees. mean and error are NaN where they have no logs or are not known. */
IntervalLogMean interval_log_mean(const Interval *interval, double confidence, double freedom);

/*
 * Degrees of freedom of the sum of the squared errors of @n means, of which none is NaN (Satterthwaite, Biometrics Bulletin 2, 1946; Welch,
 * Biometrika 34, 1947); those of all where no error tells.
 */
double interval_log_means_freedom(const IntervalLogMean *means, size_t n);

/* @interval with at least @half (0 or more) on either side of its point, which the spread of its values does not show. */
Interval interval_of_at_least(Interval interval, double half);

/* @interval around another @point. */
Interval interval_moved(Interval interval, double point);

/* @interval with each half @factor (1 or more) times as long, on a scale of logarithms where @of_logs. */
Interval interval_widened(Interval interval, double factor, bool of_logs);

/* The geometric mean, with its interval. Returns 0, E_EMPTY, E_NOT_POSITIVE, or a negative errno. */
int interval_of_logs(const double *values, const uint32_t *strata, size_t n, double confidence, Interval *ret_interval);

/*
 * The mean over a few conditions that are all there are and weigh the same, such as the places of a loop within its cache line: the
 * mean of the conditions' means. Its error is only of the spread within them (Cochran, Sampling Techniques, 1977, 5.4), pooled, so that
 * a condition of one value tells nothing of it and still counts. If fewer than INTERVAL_STRATA_FREEDOM_MIN degrees of freedom are left, the
 * spread of all values stands in, which holds the differences between the conditions too: the error is then at most as large as said.
 */

#define INTERVAL_STRATA_MAX         16u /* conditions are numbered below it */
#define INTERVAL_STRATA_FREEDOM_MIN 2u
#define INTERVAL_STRATA_N_MIN       2u /* fewer values have a mean and no error */

enum {
        _INTERVAL_STRATA_E_SUCCESS,

        INTERVAL_STRATA_E_EMPTY,
};

typedef struct IntervalStrataMean {
        double mean;
        double error; /* standard error of the mean; NaN under INTERVAL_STRATA_N_MIN values */
        double freedom;
        double means[INTERVAL_STRATA_MAX]; /* of each condition; NaN: it has no value */
        size_t n_strata;                   /* that have one */
} IntervalStrataMean;

/* The mean of @n finite values, that at i of condition @strata[i]; NULL: there is one condition. Returns 0 or E_EMPTY. */
int interval_strata_mean(const double *values, const uint32_t *strata, size_t n, IntervalStrataMean *ret_mean);

/* The degrees of freedom of the error of @n values (1 or more) of @n_strata conditions; 0 stands for one. */
double interval_strata_freedom(size_t n, size_t n_strata);

/* Takes the level of each condition, by @mean of the @n values, off its values, so that all have that of the whole. May be in place. */
void interval_strata_level(const double *values, const uint32_t *strata, size_t n, const IntervalStrataMean *mean,
                double *ret_values);

/*
 * How many processes an interval of a wanted width needs, from the spread of the first few; and what so many never show.
 *
 * Stein's two stages (Annals of Mathematical Statistics 16, 1945): with the quantile of the first stage's degrees of freedom the interval
 * keeps its confidence, because the number is fixed once and results do not change it. On logs, with the standard deviation of the sample
 * (n - 1).
 */

#define INTERVAL_PROCESSES_MAX 1000000u /* a larger need is given as this */

enum {
        _INTERVAL_PROCESSES_E_SUCCESS,

        INTERVAL_PROCESSES_E_TOO_FEW,      /* under INTERVAL_STRATA_N_MIN values */
        INTERVAL_PROCESSES_E_NOT_POSITIVE, /* a value that has no logarithm */
};

/*
 * The number of processes for an interval at @confidence whose half is @relative of the point (0.01: 1 %), from the
 * medians of the first @n, of conditions @strata (NULL: of one). Not under @n. Returns 0, E_TOO_FEW, E_NOT_POSITIVE, or
 * a negative errno.
 */
int interval_processes(const double *values, const uint32_t *strata, size_t n, double relative, double confidence,
                size_t *ret_n);

/* The same from a standard deviation of @n values, with its degrees of @freedom, and a half-width in its unit. */
size_t interval_processes_needed(double stddev, double freedom, size_t n, double half_width, double confidence);

/*
 * The share of slow processes that @n (1 or more) processes may all have missed: up to this one, none is seen more often
 * than 1 - @confidence. 26 % for ten at 0.95: an interval of ten processes says nothing of rarer ones.
 */
double interval_unseen_share(size_t n, double confidence);
