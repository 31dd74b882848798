/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "independent.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>

static IntervalLogMean mean_of(const IndependentSide *side) {
        return (IntervalLogMean){
                .mean = gsl_stats_mean(side->logs, 1, side->n),
                .error = gsl_stats_sd(side->logs, 1, side->n) / sqrt(side->n),
                .freedom = side->n - 1.0,
        };
}

int independent_compare(const IndependentSide *old, const IndependentSide *new, const ComparisonRule *rule,
                Comparison *ret_comparison) {
        const IntervalLogMean old_mean = mean_of(old), new_mean = mean_of(new);

        return comparison_independent(&old_mean, old->n, &new_mean, new->n, rule, ret_comparison);
}
