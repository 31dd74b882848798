/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * How many processes an interval of a wanted width needs, from the spread of the first few; and what so many never show.
 *
 * Stein's two stages (Annals of Mathematical Statistics 16, 1945): with the quantile of the first stage's degrees of
 * freedom the interval keeps its confidence, because the number is fixed once and nobody looks again. On logs, with the
 * standard deviation of the sample (n - 1).
 */

#include <stddef.h>
#include <stdint.h>

#define PRECISION_N_MAX 1000000u /* a larger need is given as this */

enum {
        _PRECISION_E_SUCCESS,

        PRECISION_E_TOO_FEW,      /* under STRATA_N_MIN values */
        PRECISION_E_NOT_POSITIVE, /* a value that has no logarithm */
};

/*
 * The number of processes for an interval at @confidence whose half is @relative of the point (0.01: 1 %), from the
 * medians of the first @n, of conditions @strata (NULL: of one; stats/strata.h). Not under @n. Returns 0, E_TOO_FEW, E_NOT_POSITIVE, or
 * a negative errno.
 */
int precision_processes(const double *values, const uint32_t *strata, size_t n, double relative, double confidence,
                size_t *ret_n);

/* The same from a standard deviation of @n values, with its degrees of @freedom, and a half-width in its unit. */
size_t precision_needed(double stddev, double freedom, size_t n, double half_width, double confidence);

/*
 * The share of slow processes that @n (1 or more) processes may all have missed: up to this one, none is seen more often
 * than 1 - @confidence. 26 % for ten at 0.95: an interval of ten processes says nothing of rarer ones.
 */
double precision_unseen_share(size_t n, double confidence);
