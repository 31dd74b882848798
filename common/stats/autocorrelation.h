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

#include <stddef.h>

#define AUTOCORRELATION_N_MIN 4u

enum {
        _AUTOCORRELATION_E_SUCCESS,

        AUTOCORRELATION_E_TOO_FEW, /* under AUTOCORRELATION_N_MIN values */
};

typedef struct Autocorrelation {
        double lag1; /* -1 to 1; NaN where all values are the same */
        double ess;  /* 1 to n */
} Autocorrelation;

/* Of @n finite values in time order, in n lg n steps. Returns 0, E_TOO_FEW, or a negative errno. */
int autocorrelation_of(const double *values, size_t n, Autocorrelation *ret_autocorrelation);
