/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The mean over a few conditions that are all there are and weigh the same, such as the places of a loop within its cache line: the
 * mean of the conditions' means. Its error is only of the spread within them (Cochran, Sampling Techniques, 1977, 5.4), pooled, so that
 * a condition of one value tells nothing of it and still counts. If fewer than STRATA_FREEDOM_MIN degrees of freedom are left, the
 * spread of all values stands in, which holds the differences between the conditions too: the error is then at most as large as said.
 */

#include <stddef.h>
#include <stdint.h>

#define STRATA_MAX         16u /* conditions are numbered below it */
#define STRATA_FREEDOM_MIN 2u
#define STRATA_N_MIN       2u /* fewer values have a mean and no error */

enum {
        _STRATA_E_SUCCESS,

        STRATA_E_EMPTY,
};

typedef struct StrataMean {
        double mean;
        double error; /* standard error of the mean; NaN under STRATA_N_MIN values */
        double freedom;
        double means[STRATA_MAX]; /* of each condition; NaN: it has no value */
        size_t n_strata;          /* that have one */
} StrataMean;

/* The mean of @n finite values, that at i of condition @strata[i]; NULL: there is one condition. Returns 0 or E_EMPTY. */
int strata_mean(const double *values, const uint32_t *strata, size_t n, StrataMean *ret_mean);

/* The degrees of freedom of the error of @n values (1 or more) of @n_strata conditions; 0 stands for one. */
double strata_freedom(size_t n, size_t n_strata);

/* Takes the level of each condition, by @mean of the @n values, off its values, so that all have that of the whole. May be in place. */
void strata_level(const double *values, const uint32_t *strata, size_t n, const StrataMean *mean, double *ret_values);
