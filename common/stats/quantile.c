/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/quantile.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <stdlib.h>

static int value_compare(const void *a, const void *b) {
        double x = *(const double *)a, y = *(const double *)b;

        return (x > y) - (x < y);
}

void quantile_sort(double *values, size_t n) {
        qsort(values, n, sizeof *values, value_compare);
}

double quantile_sorted(const double *sorted, size_t n, double p) {
        return gsl_stats_quantile_from_sorted_data(sorted, 1, n, p);
}

double quantile_median(double *values, size_t n) {
        quantile_sort(values, n);
        return quantile_sorted(values, n, 0.5);
}

/* How often the median lies below the value of rank @rank. */
static double median_below(size_t rank, size_t n) {
        return rank == 0 ? 0 : gsl_cdf_binomial_P(rank - 1, 0.5, n);
}

static size_t rank_of(size_t n, double tail) {
        size_t low = 0, high = n / 2 + 1;

        while (high - low > 1) {
                size_t middle = low + (high - low) / 2;

                if (median_below(middle, n) <= tail)
                        low = middle;
                else
                        high = middle;
        }
        return low;
}

int quantile_ranks(size_t n, double confidence, QuantileRanks *ret_ranks) {
        size_t rank = rank_of(n, (1 - confidence) / 2);

        if (rank == 0)
                return QUANTILE_RANKS_E_TOO_FEW;
        *ret_ranks = (QuantileRanks){ .low = rank - 1, .high = n - rank, .confidence = 1 - 2 * median_below(rank, n) };
        return 0;
}
