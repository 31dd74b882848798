/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * How much a sequence in time order repeats itself: the samples of one process are not independent, and the mean of n of
 * them is only as sure as that of fewer.
 *
 * Autocovariances have divisor n (the estimator that is positive definite). The effective sample size is n / tau, tau by
 * the initial monotone sequence of Geyer (Statistical Science 7, 1992): sums of neighbouring pairs of autocorrelations,
 * up to the first that is not positive, each held to the least before it. It is never said to be over n.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AUTOCORRELATION_N_MIN 4u

enum {
        _AUTOCORRELATION_E_SUCCESS,

        AUTOCORRELATION_E_TOO_FEW, /* under AUTOCORRELATION_N_MIN values */
};

typedef struct Autocorrelation {
        double lag1; /* -1 to 1; NaN where all values are the same */
        double ess;  /* 1 to n */
} Autocorrelation;

/* Computes that of @n finite values in time order, in n lg n steps. Returns 0, E_TOO_FEW, or a negative errno. */
int autocorrelation_of(const double *values, size_t n, Autocorrelation *ret_autocorrelation);

/*
 * The medians of consecutive processes may follow each other, as where something changed during the run: then fewer of them
 * are independent, and an interval by their spread is too narrow.
 *
 * They do where the autocorrelation of their logs at lag 1 is beyond what independent values show in 5 % of cases: Anderson's
 * one-sided bound, (-1 + 1.645 sqrt(n - 2)) / (n - 1) (Annals of Mathematical Statistics 13, 1942). The standard error of a mean
 * of a sequence in which each value has so much of the one before is sqrt((1 + r) / (1 - r)) times as large.
 */
#define AUTOCORRELATION_LOGS_N_MIN 6u

/* The resemblance of each of a sequence of values to the one before. */
typedef struct AutocorrelationLag {
        double lag1; /* NaN under AUTOCORRELATION_LOGS_N_MIN of them, where one has no logarithm, and where all are the same */
        size_t n; /* of the values, those that are free: each condition beyond the first takes one */
} AutocorrelationLag;

/*
 * That of the logs of @n values in time order, with the levels of their conditions @strata (NULL: they have one; stats/interval.h) taken
 * off. Returns 0 or a negative errno.
 */
int autocorrelation_of_logs(const double *values, const uint32_t *strata, size_t n, AutocorrelationLag *ret_succession);

/* True where lag1 is beyond the bound; false where it is NaN. */
bool autocorrelation_is_beyond(const AutocorrelationLag *succession);

/* The factor for half of an interval: 1 where lag1 is not beyond the bound. */
double autocorrelation_widening(const AutocorrelationLag *succession);
