/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Order statistics of one sample.
 *
 * Quantiles are of type 7 of Hyndman and Fan (The American Statistician 50, 1996), the default of R and NumPy: linear
 * between the values of rank 1 + (n - 1) p. Sorting is the C library's qsort(), since GSL's is a heapsort.
 */

#include <stddef.h>

/* Sorts @n finite values in rising order. */
void quantile_sort(double *values, size_t n);

/* The quantile at @p (0 to 1) of @n (1 or more) values in rising order. */
double quantile_sorted(const double *sorted, size_t n, double p);

/* The median of @n (1 or more) values, which it sorts. */
double quantile_median(double *values, size_t n);

/*
 * The interval of a median between two order statistics, whatever the distribution (Thompson, Annals of Mathematical
 * Statistics 7, 1936): of ranks l and n + 1 - l, l the largest for which a binomial variable of n and 1/2 is under l with
 * at most half of what the confidence leaves over. It holds for independent values; those of one process hardly are, so
 * there it describes.
 */

enum {
        _QUANTILE_RANKS_E_SUCCESS,

        QUANTILE_RANKS_E_TOO_FEW, /* not even the smallest and the largest cover it: 6 are needed for 95 % */
};

/* Which two of the values in rising order, from 0. */
typedef struct QuantileRanks {
        size_t low;
        size_t high;
        double confidence; /* that of the two, at least what was asked for */
} QuantileRanks;

/* The ranks that cover the median of @n values at @confidence. Returns 0 or E_TOO_FEW. */
int quantile_ranks(size_t n, double confidence, QuantileRanks *ret_ranks);
