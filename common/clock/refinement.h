/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The frequency by an ever longer baseline: the line from a first point to the latest one. The errors of the two
 * readings weigh the less the further they are apart, so an hour tells more than the best fit over 100 ms.
 *
 * Code that reads the clocks anyway adds a point; there is no timer. A point is believed only if the stretch since the
 * last one agrees with the frequency that is known. After a suspend, a stop, or a move to another host it does not:
 * then a new baseline begins there, and until it tells more than the disagreement does, that is the error; a clock that
 * went backwards says nothing about how fast it goes, and changes no error. CLOCK_MONOTONIC_RAW stands still in
 * suspend; a counter that goes on, or is set, does not, and is found out.
 */

#include <stdbool.h>
#include <stdint.h>

#include "clock/calibration.h"

typedef enum RefinementOutcome {
        REFINEMENT_KEPT,     /* the first point of a baseline, or nothing better came of it */
        REFINEMENT_REFINED,  /* the frequency's error is smaller now */
        REFINEMENT_RESTARTED /* the point did not agree: a new baseline */
} RefinementOutcome;

typedef struct Refinement {
        CalibrationFrequency frequency; /* the best that is known */
        CalibrationPoint first;
        CalibrationPoint last;
        bool begun;
        uint32_t n_restarts;
        double disagreement_ppm; /* of the latest point that did not agree; infinite where a clock went backwards */
} Refinement;

/* Begins with a calibrated frequency and no point. */
void refinement_init(Refinement *refinement, const CalibrationFrequency *calibrated);

/* Adds a point. Pure. */
RefinementOutcome refinement_add(Refinement *refinement, const CalibrationPoint *point);

/* From the first point to the last, in ns. */
uint64_t refinement_baseline_ns(const Refinement *refinement);
