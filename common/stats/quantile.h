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
void values_sort(double *values, size_t n);

/* The quantile at @p (0 to 1) of @n (1 or more) values in rising order. */
double quantile_sorted(const double *sorted, size_t n, double p);

/* The median of @n (1 or more) values, which it sorts. */
double median_of(double *values, size_t n);
