/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The rank test of Mann and Whitney (Annals of Mathematical Statistics 18, 1947): the usual way to compare two sets of
 * timings. It asks for values that are independent of each other, which pooled samples of a process are not: that is why
 * it stands only beside the daemon's own comparison, in the tables.
 */

#include <stddef.h>

#define RANK_TEST_EXACT_MAX 25u /* up to so many on each side, and without ties, the distribution is counted out */

enum {
        _RANK_TEST_E_SUCCESS,

        RANK_TEST_E_EMPTY, /* a side without a value */
};

typedef struct RankTest {
        double u;       /* of the first side: how many pairs it wins, a tie for a half */
        double p_value; /* two-sided; else normal, corrected for ties and continuity */
} RankTest;

/* Compares @n_a with @n_b finite values, and sorts both. Returns 0, E_EMPTY, or a negative errno. */
int rank_test(double *a, size_t n_a, double *b, size_t n_b, RankTest *ret_test);
