/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * How fast the time-stamp counter runs, and by what step it advances.
 *
 * Readings come in as data; calibration_read() is the only function here that touches a clock. The frequency is the
 * slope of a least-squares line through (CLOCK_MONOTONIC_RAW, TSC) points, its error the slope's standard error
 * (n - 2 degrees of freedom). A point is the narrowest of several (TSC, RAW, TSC) triples, so that an interrupt between
 * the two clocks does not count. Over 100 ms with 64 points the error is of the order of 0.02 ppm.
 */

#include <stddef.h>
#include <stdint.h>

enum {
        _CALIBRATION_E_SUCCESS,

        CALIBRATION_E_DEGENERATE, /* too few points, or none of them apart in time */
};

/* The counter at a moment of CLOCK_MONOTONIC_RAW. */
typedef struct CalibrationPoint {
        uint64_t tsc_ticks;
        uint64_t raw_ns;
        uint64_t width_ticks; /* the uncertainty of that moment; 0: not read */
} CalibrationPoint;

typedef struct CalibrationFrequency {
        double hz;
        double error_ppm; /* standard error of hz, in millionths of it */
} CalibrationFrequency;

/* Reads one point: the narrowest of @n_tries triples. */
CalibrationPoint calibration_read(unsigned n_tries);

/* Fits @points in the order of time. Returns 0 or E_DEGENERATE. */
int calibration_fit(const CalibrationPoint *points, size_t n_points, CalibrationFrequency *ret_frequency);

/*
 * The quantum, in ticks: the step by which the counter really advances, from @deltas between readings in a row, in the order of time, which
 * are overwritten. Readings should lie unequally far apart.
 *
 * A counter may advance in steps of several ticks (AMD: at 100 MHz), and a hypervisor scales both to another frequency: then a step is no
 * whole number of ticks, and a delta is a multiple of it, rounded. The step is the largest number of which all frequent deltas are such
 * multiples, found exactly as the sum of the deltas by the number of steps in them. 1 if they are multiples of nothing else.
 */
double calibration_quantum(uint64_t *deltas, size_t n_deltas);
