/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "independent.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>

/* Variance of a side's mean. */
static double side_variance(const IndependentSide *side) {
        return gsl_stats_variance(side->logs, 1, side->n) / side->n;
}

int independent_compare(const IndependentSide *old, const IndependentSide *new, const ComparisonRule *rule,
                Comparison *ret_comparison) {
        double old_variance, new_variance, variance;
        ComparisonDifference difference;

        if (old->n < COMPARISON_N_MIN || new->n < COMPARISON_N_MIN)
                return INDEPENDENT_E_TOO_FEW;
        old_variance = side_variance(old);
        new_variance = side_variance(new);
        variance = old_variance + new_variance;
        difference = (ComparisonDifference){
                .mean = gsl_stats_mean(new->logs, 1, new->n) - gsl_stats_mean(old->logs, 1, old->n),
                .error = sqrt(variance),
                .freedom = variance == 0 ? old->n + new->n - 2
                                         : variance *variance /
                                                           (old_variance * old_variance / (old->n - 1) +
                                                                           new_variance * new_variance / (new->n - 1)),
                .n = old->n < new->n ? old->n : new->n,
        };
        *ret_comparison = comparison_of(&difference, rule);
        return 0;
}
