/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/order-interval.h"

#include <gsl/gsl_cdf.h>

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

int order_ranks(size_t n, double confidence, OrderRanks *ret_ranks) {
        size_t rank = rank_of(n, (1 - confidence) / 2);

        if (rank == 0)
                return ORDER_INTERVAL_E_TOO_FEW;
        *ret_ranks = (OrderRanks){ .low = rank - 1, .high = n - rank, .confidence = 1 - 2 * median_below(rank, n) };
        return 0;
}
