/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The comparison of two sides that share nothing, each process running one: Welch's (Biometrika 34, 1947) on the logs of the
 * processes' medians. The daemon pairs both sides in each process; the tables show what that gains.
 */

#include <stddef.h>

#include "stats/comparison.h"

/* The logs of the medians of a side's processes. */
typedef struct IndependentSide {
        const double *logs;
        size_t n;
} IndependentSide;

/* Compares @new with @old. Returns 0 or COMPARISON_E_TOO_FEW. */
int independent_compare(const IndependentSide *old, const IndependentSide *new, const ComparisonRule *rule,
                Comparison *ret_comparison);
