/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/comparison.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

#include "stats/interval.h"
#include "util/cleanup.h"
#include "util/error.h"

#define POWER_POINTS   64 /* of the integral: four digits at 2 degrees, nine from 9 on */
#define POWER_REACH    9  /* deviations to either side of the peak: one tail falls off half as fast as a normal one */
#define POWER_HALVINGS 20 /* of the range of distances: six digits */
#define POWER_LIGHT    1e-10 /* of the peak's weight: what weighs less is not worth its time */

/* An angle at which the integral is taken: how large either run's spread is there, and how likely it is. */
typedef struct PowerPoint {
        double seen;
        double own;
        double weight;
} PowerPoint;

static double log_density(const ComparisonRun *run, double angle) {
        return (run->seen_freedom - 1) * log(cos(angle)) + (run->freedom - 1) * log(sin(angle));
}

/* The middles of equal parts of the angles that matter. */
static void points_make(const ComparisonRun *run, PowerPoint points[static POWER_POINTS]) {
        double all = run->seen_freedom + run->freedom;
        double peak = atan2(sqrt(run->freedom - 1), sqrt(run->seen_freedom - 1));
        double reach = POWER_REACH / sqrt(2 * fmax(all - 2, 1));
        double low = fmax(peak - reach, 0), part = (fmin(peak + reach, M_PI_2) - low) / POWER_POINTS;
        double top = -INFINITY;

        for (size_t i = 0; i < POWER_POINTS; i++)
                top = fmax(top, log_density(run, low + (i + 0.5) * part));
        for (size_t i = 0; i < POWER_POINTS; i++) {
                double angle = low + (i + 0.5) * part;

                points[i] = (PowerPoint){
                        .seen = cos(angle) * sqrt(all / run->seen_freedom),
                        .own = sin(angle) * sqrt(all / run->freedom),
                        .weight = exp(log_density(run, angle) - top),
                };
        }
}

/* How often both edges are cleared where the spreads are those at @point. */
static double point_power(const ComparisonRun *run, const PowerPoint *point, double near, double far) {
        double half = fmax(run->quantile * point->own, run->step * point->seen);
        double all = run->seen_freedom + run->freedom, missed = gsl_cdf_tdist_Q(near * point->seen - half, all);

        if (isfinite(far))
                missed += gsl_cdf_tdist_Q(far * point->seen - half, all);
        return fmax(1 - missed, 0);
}

static double power_at(const ComparisonRun *run, const PowerPoint points[static POWER_POINTS], double near,
                double far) {
        double sum = 0, weights = 0;

        for (size_t i = 0; i < POWER_POINTS; i++) {
                if (points[i].weight < POWER_LIGHT)
                        continue;
                sum += points[i].weight * point_power(run, &points[i], near, far);
                weights += points[i].weight;
        }
        return sum / weights;
}

double comparison_power(const ComparisonRun *run, double near, double far) {
        PowerPoint points[POWER_POINTS];

        points_make(run, points);
        return power_at(run, points, near, far);
}

double comparison_power_distance(const ComparisonRun *run, double power) {
        double low = 0, high = run->step + run->quantile;
        PowerPoint points[POWER_POINTS];

        points_make(run, points);
        while (power_at(run, points, high, INFINITY) < power)
                high *= 2;
        for (int i = 0; i < POWER_HALVINGS; i++) {
                double middle = (low + high) / 2;

                if (power_at(run, points, middle, INFINITY) < power)
                        low = middle;
                else
                        high = middle;
        }
        return high;
}

int comparison_holm_adjust(double *p_values, size_t n) {
        _cleanup_(freep) size_t *order = NULL;
        double least = 0;

        order = malloc((n + 1) * sizeof *order);
        if (!order)
                return error_origin(-ENOMEM);
        gsl_sort_index(order, p_values, 1, n);
        for (size_t i = 0; i < n; i++) {
                double *p = &p_values[order[i]];

                least = fmax(least, fmin(*p * (n - i), 1));
                *p = least;
        }
        return 0;
}

#define COMPARISON_POWER     0.8 /* how often is found what is told to be detectable, or resolved by so many processes */
#define COMPARISON_NO_SPREAD 1e-9 /* of the clock's step: values that agree so well are one */

const char *comparison_verdict_word(ComparisonVerdict verdict) {
        static const char *const words[_COMPARISON_VERDICT_N] = {
                [COMPARISON_UNRESOLVED] = "unresolved",
                [COMPARISON_SAME] = "same",
                [COMPARISON_FASTER] = "faster",
                [COMPARISON_SLOWER] = "slower",
        };

        return words[verdict];
}

/* The quantile of Student's t by which an edge is held to be cleared: both edges of an interval of @confidence, or one edge of "same". */
static double quantile_beyond(double confidence, double freedom) {
        return gsl_cdf_tdist_Pinv((1 + confidence) / 2, freedom);
}

static double quantile_inside(const ComparisonRule *rule, double freedom) {
        return gsl_cdf_tdist_Pinv(rule->same_confidence > 0 ? rule->same_confidence : rule->confidence, freedom);
}

static double half_at(const ComparisonDifference *difference, double quantile, const ComparisonRule *rule) {
        return fmax(rule->step, difference->error * quantile);
}

/* How far the estimate lies beyond the nearer edge of @margin; below 0: inside. */
static double distance_beyond(const ComparisonDifference *difference, double margin) {
        return fabs(difference->mean) - margin;
}

/* Under 1 - confidence exactly where the interval lies beyond @margin; at margin 0 Student's own. */
static double difference_p(const ComparisonDifference *difference, double margin, double step) {
        double distance = distance_beyond(difference, margin);

        if (distance <= 0 || distance < step)
                return 1;
        if (difference->error == 0)
                return 0;
        return 2 * gsl_cdf_tdist_Q(distance / difference->error, difference->freedom);
}

/* With @half of the interval. */
static ComparisonVerdict verdict_of(const ComparisonDifference *difference, double half, double margin,
                const ComparisonRule *rule) {
        double distance = distance_beyond(difference, margin);

        if (distance > half)
                return difference->mean > 0 ? COMPARISON_SLOWER : COMPARISON_FASTER;
        if (distance < 0 && -distance > half_at(difference, quantile_inside(rule, difference->freedom), rule))
                return COMPARISON_SAME;
        return COMPARISON_UNRESOLVED;
}

static bool verdict_is_difference(ComparisonVerdict verdict) {
        return verdict == COMPARISON_FASTER || verdict == COMPARISON_SLOWER;
}

static double detectable_beyond(const ComparisonDifference *difference, double seen_freedom,
                const ComparisonRule *rule) {
        ComparisonRun run = {
                .seen_freedom = seen_freedom,
                .freedom = difference->freedom,
                .quantile = quantile_beyond(rule->confidence, difference->freedom),
        };

        if (difference->error <= COMPARISON_NO_SPREAD * rule->step)
                return rule->step;
        run.step = rule->step / difference->error;
        return difference->error * comparison_power_distance(&run, COMPARISON_POWER);
}

double comparison_detectable(const ComparisonDifference *difference, double seen_freedom, const ComparisonRule *rule) {
        return expm1(log1p(rule->margin) + detectable_beyond(difference, seen_freedom, rule));
}

/* How often a run of @n processes on the smaller side resolves what stays as it is. */
static double power_of_processes(const ComparisonDifference *difference, size_t n, double margin,
                const ComparisonRule *rule) {
        double distance = distance_beyond(difference, margin);
        double error = difference->error * sqrt((double)difference->n / n);
        ComparisonRun run = {
                .seen_freedom = difference->freedom,
                .freedom = difference->freedom * (n - 1) / (difference->n - 1),
                .step = rule->step / error,
        };

        if (distance > 0) {
                run.quantile = quantile_beyond(rule->confidence, run.freedom);
                return comparison_power(&run, distance / error, INFINITY);
        }
        run.quantile = quantile_inside(rule, run.freedom);
        return comparison_power(&run, -distance / error, (margin + fabs(difference->mean)) / error);
}

/* The least number on the smaller side that power_of_processes() promises enough of. */
size_t comparison_processes_needed(const Comparison *comparison, const ComparisonRule *rule) {
        const ComparisonDifference *difference = &comparison->difference;
        const double margin = log1p(rule->margin);
        size_t few = difference->n, enough = few;

        if (comparison->verdict != COMPARISON_UNRESOLVED)
                return difference->n;
        if (fabs(distance_beyond(difference, margin)) <= rule->step)
                return INTERVAL_PROCESSES_MAX;
        while (power_of_processes(difference, enough, margin, rule) < COMPARISON_POWER) {
                if (enough == INTERVAL_PROCESSES_MAX)
                        return INTERVAL_PROCESSES_MAX;
                few = enough;
                enough = enough < INTERVAL_PROCESSES_MAX / 2 ? 2 * enough : INTERVAL_PROCESSES_MAX;
        }
        while (enough - few > 1) {
                size_t middle = few + (enough - few) / 2;

                if (power_of_processes(difference, middle, margin, rule) < COMPARISON_POWER)
                        few = middle;
                else
                        enough = middle;
        }
        return enough;
}

void comparison_foresee(Comparison *comparison, const ComparisonRule *rule) {
        const ComparisonDifference *difference = &comparison->difference;

        comparison->detectable = comparison_detectable(difference, difference->freedom, rule);
        comparison->processes_needed = comparison_processes_needed(comparison, rule);
}

Comparison comparison_of(const ComparisonDifference *difference, const ComparisonRule *rule) {
        double half = half_at(difference, quantile_beyond(rule->confidence, difference->freedom), rule);
        double margin = log1p(rule->margin), p = difference_p(difference, margin, rule->step);

        return (Comparison){
                .difference = *difference,
                .ratio = exp(difference->mean),
                .low = exp(difference->mean - half),
                .high = exp(difference->mean + half),
                .p_value = p,
                .p_adjusted = p,
                .verdict = verdict_of(difference, half, margin, rule),
                .step = half == rule->step ? half : 0,
        };
}

int comparison_paired(const double *log_ratios, const uint32_t *strata, size_t n, const ComparisonRule *rule,
                Comparison *ret_comparison) {
        ComparisonDifference difference = { .n = n };
        IntervalStrataMean of;

        if (n < COMPARISON_N_MIN || interval_strata_mean(log_ratios, strata, n, &of) != 0)
                return COMPARISON_E_TOO_FEW;
        difference.mean = of.mean;
        difference.error = of.error;
        difference.freedom = of.freedom;
        *ret_comparison = comparison_of(&difference, rule);
        return 0;
}

int comparison_independent(const IntervalLogMean *old, size_t n_old, const IntervalLogMean *new, size_t n_new,
                const ComparisonRule *rule, Comparison *ret_comparison) {
        const ComparisonDifference difference = {
                .mean = new->mean - old->mean,
                .error = hypot(old->error, new->error),
                .freedom = interval_log_means_freedom((IntervalLogMean[]){ *old, *new }, 2),
                .n = n_old < n_new ? n_old : n_new,
        };

        if (difference.n < COMPARISON_N_MIN || isnan(difference.error))
                return COMPARISON_E_TOO_FEW;
        *ret_comparison = comparison_of(&difference, rule);
        return 0;
}

ComparisonDoubt comparison_doubt(const Comparison *comparison) {
        if (comparison->difference.n == 0)
                return COMPARISON_DOUBT_TOO_FEW;
        if (comparison->verdict != COMPARISON_UNRESOLVED)
                return COMPARISON_DOUBT_NONE;
        if (comparison->taken_back)
                return COMPARISON_DOUBT_CHANCE;
        return comparison->step > 0 ? COMPARISON_DOUBT_COARSE_CLOCK : COMPARISON_DOUBT_MARGIN;
}

int comparisons_adjust(Comparison *rows, size_t n, const ComparisonRule *rule) {
        _cleanup_(freep) double *p_values = NULL;
        size_t n_compared = 0;
        int r;

        p_values = malloc((n + 1) * sizeof *p_values);
        if (!p_values)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < n; i++)
                if (rows[i].difference.n > 0)
                        p_values[n_compared++] = rows[i].p_value;
        r = comparison_holm_adjust(p_values, n_compared);
        if (r)
                return error_trace(r);
        for (size_t i = 0, k = 0; i < n; i++) {
                if (rows[i].difference.n == 0)
                        continue;
                rows[i].n_rows = n_compared;
                rows[i].p_adjusted = p_values[k++];
                if (!verdict_is_difference(rows[i].verdict) || rows[i].p_adjusted < 1 - rule->confidence)
                        continue;
                rows[i].verdict = COMPARISON_UNRESOLVED;
                rows[i].taken_back = true;
        }
        return 0;
}
