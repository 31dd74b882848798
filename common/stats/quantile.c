/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/quantile.h"

#include <gsl/gsl_statistics_double.h>
#include <stdlib.h>

static int value_compare(const void *a, const void *b) {
        double x = *(const double *)a, y = *(const double *)b;

        return (x > y) - (x < y);
}

void values_sort(double *values, size_t n) {
        qsort(values, n, sizeof *values, value_compare);
}

double quantile_sorted(const double *sorted, size_t n, double p) {
        return gsl_stats_quantile_from_sorted_data(sorted, 1, n, p);
}

double median_of(double *values, size_t n) {
        values_sort(values, n);
        return quantile_sorted(values, n, 0.5);
}
