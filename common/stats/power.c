/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/power.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stddef.h>

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

static double log_density(const PowerRun *run, double angle) {
        return (run->seen_freedom - 1) * log(cos(angle)) + (run->freedom - 1) * log(sin(angle));
}

/* The middles of equal parts of the angles that matter. */
static void points_make(const PowerRun *run, PowerPoint points[static POWER_POINTS]) {
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
static double point_power(const PowerRun *run, const PowerPoint *point, double near, double far) {
        double half = fmax(run->quantile * point->own, run->step * point->seen);
        double all = run->seen_freedom + run->freedom, missed = gsl_cdf_tdist_Q(near * point->seen - half, all);

        if (isfinite(far))
                missed += gsl_cdf_tdist_Q(far * point->seen - half, all);
        return fmax(1 - missed, 0);
}

static double power_at(const PowerRun *run, const PowerPoint points[static POWER_POINTS], double near, double far) {
        double sum = 0, weights = 0;

        for (size_t i = 0; i < POWER_POINTS; i++) {
                if (points[i].weight < POWER_LIGHT)
                        continue;
                sum += points[i].weight * point_power(run, &points[i], near, far);
                weights += points[i].weight;
        }
        return sum / weights;
}

double power_of(const PowerRun *run, double near, double far) {
        PowerPoint points[POWER_POINTS];

        points_make(run, points);
        return power_at(run, points, near, far);
}

double power_distance(const PowerRun *run, double power) {
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
