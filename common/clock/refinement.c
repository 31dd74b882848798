/* SPDX-License-Identifier: MIT */
#include "clock/refinement.h"

#include <math.h>

/*
 * The bound of agreement: six standard errors of everything that is known, since a false alarm costs the baseline; and
 * one millionth, by which two crystals drift apart as they get warmer.
 */
#define REFINEMENT_SIGMAS    6.0
#define REFINEMENT_DRIFT_PPM 1.0

/* The change of the error that is worth reporting: so a baseline of years is reported some thirty times. */
#define REFINEMENT_WORTH 0.5

/* The reading of a point lies anywhere within its width: the standard deviation of a uniform distribution. */
static double point_variance(const CalibrationPoint *point) {
        return (double)point->width_ticks * point->width_ticks / 12;
}

static double error_ticks(const CalibrationPoint *a, const CalibrationPoint *b) {
        return sqrt(point_variance(a) + point_variance(b));
}

void refinement_init(Refinement *refinement, const CalibrationFrequency *calibrated) {
        *refinement = (Refinement){ .frequency = *calibrated };
}

static void refinement_begin(Refinement *refinement, const CalibrationPoint *point) {
        refinement->first = refinement->last = *point;
        refinement->begun = true;
}

/* By how much the stretch from the last point to @point is off, in ppm of it. */
static double disagreement_ppm(const Refinement *refinement, const CalibrationPoint *point, double *ret_tolerated) {
        double ns = (double)(point->raw_ns - refinement->last.raw_ns);
        double ticks = (double)(int64_t)(point->tsc_ticks - refinement->last.tsc_ticks);
        double expected = ns * refinement->frequency.hz / 1e9;
        double reading_ppm = 1e6 * error_ticks(&refinement->last, point) / expected;

        *ret_tolerated = REFINEMENT_SIGMAS * hypot(reading_ppm, refinement->frequency.error_ppm) + REFINEMENT_DRIFT_PPM;
        return 1e6 * (ticks - expected) / expected;
}

static RefinementOutcome refinement_restart(Refinement *refinement, const CalibrationPoint *point, double ppm) {
        refinement_begin(refinement, point);
        refinement->n_restarts++;
        refinement->disagreement_ppm = ppm;
        if (isfinite(ppm))
                refinement->frequency.error_ppm = fmax(refinement->frequency.error_ppm, fabs(ppm));
        return REFINEMENT_RESTARTED;
}

/* The line through the ends of the baseline. */
static CalibrationFrequency baseline_frequency(const Refinement *refinement) {
        const CalibrationPoint *first = &refinement->first, *last = &refinement->last;
        double ticks = (double)(int64_t)(last->tsc_ticks - first->tsc_ticks);

        return (CalibrationFrequency){
                .hz = ticks / (double)(last->raw_ns - first->raw_ns) * 1e9,
                .error_ppm = ticks > 0 ? 1e6 * error_ticks(first, last) / ticks : INFINITY,
        };
}

RefinementOutcome refinement_add(Refinement *refinement, const CalibrationPoint *point) {
        CalibrationFrequency found;
        double ppm, tolerated;

        if (!refinement->begun) {
                refinement_begin(refinement, point);
                return REFINEMENT_KEPT;
        }
        if (point->raw_ns < refinement->last.raw_ns ||
                        point->tsc_ticks + point->width_ticks < refinement->last.tsc_ticks)
                return refinement_restart(refinement, point, INFINITY);
        if (point->raw_ns == refinement->last.raw_ns)
                return REFINEMENT_KEPT;
        ppm = disagreement_ppm(refinement, point, &tolerated);
        if (fabs(ppm) > tolerated)
                return refinement_restart(refinement, point, ppm);

        refinement->last = *point;
        found = baseline_frequency(refinement);
        if (found.error_ppm > REFINEMENT_WORTH * refinement->frequency.error_ppm)
                return REFINEMENT_KEPT;
        refinement->frequency = found;
        return REFINEMENT_REFINED;
}

uint64_t refinement_baseline_ns(const Refinement *refinement) {
        return refinement->last.raw_ns - refinement->first.raw_ns;
}
