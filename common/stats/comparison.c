/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/comparison.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "stats/holm.h"
#include "stats/precision.h"
#include "util/cleanup.h"
#include "util/error.h"

/* A difference of logs as Student's t sees it. */
typedef struct Difference {
        double mean;
        double error; /* standard error of the mean */
        double freedom;
} Difference;

static double difference_half(const Difference *difference, const ComparisonRule *rule) {
        return fmax(rule->step,
                        difference->error * gsl_cdf_tdist_Pinv((1 + rule->confidence) / 2, difference->freedom));
}

static double difference_p(const Difference *difference, double step) {
        if (fabs(difference->mean) < step)
                return 1;
        if (difference->error == 0)
                return difference->mean == 0 ? 1 : 0;
        return 2 * gsl_cdf_tdist_Q(fabs(difference->mean / difference->error), difference->freedom);
}

static ComparisonVerdict verdict_of(double low, double high, double margin) {
        if (low > margin)
                return COMPARISON_SLOWER;
        if (high < -margin)
                return COMPARISON_FASTER;
        if (low > -margin && high < margin)
                return COMPARISON_SAME;
        return COMPARISON_UNRESOLVED;
}

static bool verdict_is_difference(ComparisonVerdict verdict) {
        return verdict == COMPARISON_FASTER || verdict == COMPARISON_SLOWER;
}

/* How many processes on the smaller side, of @n now, bring the nearer edge of the margin out of the interval. */
static size_t processes_needed(const Difference *difference, size_t n, double margin, const ComparisonRule *rule) {
        double distance = fabs(fabs(difference->mean) - margin);

        if (distance < rule->step)
                return PRECISION_N_MAX;
        return precision_needed(difference->error * sqrt(n), n, distance, rule->confidence);
}

static Comparison comparison_of(const Difference *difference, size_t n, const ComparisonRule *rule) {
        double half = difference_half(difference, rule), margin = log1p(rule->margin);
        double low = difference->mean - half, high = difference->mean + half, p = difference_p(difference, rule->step);

        return (Comparison){
                .ratio = exp(difference->mean),
                .low = exp(low),
                .high = exp(high),
                .p_value = p,
                .p_adjusted = p,
                .detectable = expm1(margin + half),
                .verdict = verdict_of(low, high, margin),
                .step = half == rule->step ? half : 0,
                .processes_needed = processes_needed(difference, n, margin, rule),
        };
}

int comparison_paired(const double *log_ratios, size_t n, const ComparisonRule *rule, Comparison *ret_comparison) {
        Difference difference;

        if (n < COMPARISON_N_MIN)
                return COMPARISON_E_TOO_FEW;
        difference = (Difference){
                .mean = gsl_stats_mean(log_ratios, 1, n),
                .error = gsl_stats_sd(log_ratios, 1, n) / sqrt(n),
                .freedom = n - 1,
        };
        *ret_comparison = comparison_of(&difference, n, rule);
        return 0;
}

/* Variance of a side's mean. */
static double side_variance(const ComparisonSide *side) {
        return gsl_stats_variance(side->logs, 1, side->n) / side->n;
}

int comparison_independent(const ComparisonSide *old, const ComparisonSide *new, const ComparisonRule *rule,
                Comparison *ret_comparison) {
        double old_variance, new_variance, variance;
        Difference difference;

        if (old->n < COMPARISON_N_MIN || new->n < COMPARISON_N_MIN)
                return COMPARISON_E_TOO_FEW;
        old_variance = side_variance(old);
        new_variance = side_variance(new);
        variance = old_variance + new_variance;
        difference = (Difference){
                .mean = gsl_stats_mean(new->logs, 1, new->n) - gsl_stats_mean(old->logs, 1, old->n),
                .error = sqrt(variance),
                .freedom = variance == 0 ? old->n + new->n - 2
                                         : variance *variance /
                                                           (old_variance * old_variance / (old->n - 1) +
                                                                           new_variance * new_variance / (new->n - 1)),
        };
        *ret_comparison = comparison_of(&difference, old->n < new->n ? old->n : new->n, rule);
        return 0;
}

int comparisons_adjust(Comparison *rows, size_t n, const ComparisonRule *rule) {
        _cleanup_(freep) double *p_values = NULL;
        int r;

        p_values = malloc((n + 1) * sizeof *p_values);
        if (!p_values)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < n; i++)
                p_values[i] = rows[i].p_value;
        r = holm_adjust(p_values, n);
        if (r)
                return error_trace(r);
        for (size_t i = 0; i < n; i++) {
                rows[i].p_adjusted = p_values[i];
                if (!verdict_is_difference(rows[i].verdict) || p_values[i] < 1 - rule->confidence)
                        continue;
                rows[i].verdict = COMPARISON_UNRESOLVED;
                rows[i].taken_back = true;
        }
        return 0;
}
