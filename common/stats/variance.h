/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The sources of the spread: from sample to sample within a process, and from process to process.
 *
 * One-way analysis of variance with random effects, the number of samples free (Searle, Casella and McCulloch, Variance
 * Components, 1992, 3.6): within = mean square within; between = (mean square between - within) / n0, 0 where that is
 * negative. On the logs of the values, so that a standard deviation is relative. Each process is reduced to three numbers
 * when it ends.
 */

#include <stddef.h>

enum {
        _VARIANCE_E_SUCCESS,

        VARIANCE_E_NOT_POSITIVE, /* a value that has no logarithm */
        VARIANCE_E_TOO_FEW,      /* under two processes, or under two samples in each */
};

/* A process: how many samples, the mean of their logs, the sum of the squared deviations from it. */
typedef struct VarianceGroup {
        size_t n;
        double mean;
        double squares;
} VarianceGroup;

typedef struct VarianceComponents {
        double within;  /* standard deviation of the logs: sample to sample */
        double between; /* process to process, beyond what @within explains */
        double share;   /* of the variance that is between processes, 0 to 1; NaN where there is none at all */
} VarianceComponents;

/* Reduces the @n (1 or more) samples of a process. Returns 0 or E_NOT_POSITIVE. */
int variance_group(const double *values, size_t n, VarianceGroup *ret_group);

/* The components over @n processes. Returns 0 or E_TOO_FEW. */
int variance_components(const VarianceGroup *groups, size_t n, VarianceComponents *ret_components);
