/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/variance.h"

#include <math.h>

/* Running mean and squares by Welford (Technometrics 4, 1962), which loses no digits to a large mean. */
int variance_group(const double *values, size_t n, VarianceGroup *ret_group) {
        VarianceGroup group = {};

        for (size_t i = 0; i < n; i++) {
                double deviation;

                if (values[i] <= 0)
                        return VARIANCE_E_NOT_POSITIVE;
                deviation = log(values[i]) - group.mean;
                group.mean += deviation / ++group.n;
                group.squares += deviation * (log(values[i]) - group.mean);
        }
        *ret_group = group;
        return 0;
}

typedef struct Totals {
        double n, n_squared, mean, within, between;
} Totals;

static Totals totals_of(const VarianceGroup *groups, size_t n) {
        Totals totals = {};

        for (size_t i = 0; i < n; i++) {
                totals.n += groups[i].n;
                totals.n_squared += (double)groups[i].n * groups[i].n;
                totals.within += groups[i].squares;
        }
        for (size_t i = 0; i < n; i++)
                totals.mean += groups[i].n / totals.n * groups[i].mean;
        for (size_t i = 0; i < n; i++)
                totals.between += groups[i].n * pow(groups[i].mean - totals.mean, 2);
        return totals;
}

int variance_components(const VarianceGroup *groups, size_t n, VarianceComponents *ret_components) {
        Totals totals = totals_of(groups, n);
        double within, between, n0;

        if (n < 2 || totals.n <= n)
                return VARIANCE_E_TOO_FEW;
        n0 = (totals.n - totals.n_squared / totals.n) / (n - 1);
        within = totals.within / (totals.n - n);
        between = fmax((totals.between / (n - 1) - within) / n0, 0);
        *ret_components = (VarianceComponents){
                .within = sqrt(within),
                .between = sqrt(between),
                .share = between / (within + between),
        };
        return 0;
}
