/* SPDX-License-Identifier: MIT */
#include "clock/calibration.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "clock/square-root.h"
#include "clock/tick.h"

/* A delta is frequent if it makes up at least this share: what interrupts leave is not. */
#define QUANTUM_FREQUENT_SHARE 0.002

#define QUANTUM_CANDIDATES_MAX 64u

/* Steps that are looked at between two that differ by the rounding of a reading. */
#define QUANTUM_GRID 64u

/* Every number is a multiple of less, rounded: such a step is found only where it is a whole number of ticks. */
#define QUANTUM_ROUNDED_MIN 5u

static uint64_t raw_ns(void) {
        struct timespec t;

        clock_gettime(CLOCK_MONOTONIC_RAW, &t);
        return (uint64_t)t.tv_sec * 1000000000u + t.tv_nsec;
}

CalibrationPoint calibration_read(unsigned n_tries) {
        CalibrationPoint point = {};
        uint64_t narrowest = UINT64_MAX;

        for (unsigned i = 0; i < n_tries; i++) {
                uint64_t before = tick_start();
                uint64_t ns = raw_ns();
                uint64_t after = tick_stop();

                if (after - before >= narrowest)
                        continue;
                narrowest = after - before;
                point = (CalibrationPoint){
                        .tsc_ticks = before + narrowest / 2,
                        .raw_ns = ns,
                        .width_ticks = narrowest,
                };
        }
        return point;
}

typedef struct Line {
        double slope;
        double slope_standard_error;
} Line;

/* Ordinary least squares of y on x; both are small offsets from a first point, so doubles are exact enough. */
static Line line_fit(const CalibrationPoint *points, size_t n, double mean_x, double mean_y) {
        double xx = 0, xy = 0, residuals = 0;
        Line line;

        for (size_t i = 0; i < n; i++) {
                double x = points[i].raw_ns - points[0].raw_ns - mean_x;
                double y = points[i].tsc_ticks - points[0].tsc_ticks - mean_y;

                xx += x * x;
                xy += x * y;
        }
        line.slope = xx > 0 ? xy / xx : NAN;
        for (size_t i = 0; i < n; i++) {
                double x = points[i].raw_ns - points[0].raw_ns - mean_x;
                double y = points[i].tsc_ticks - points[0].tsc_ticks - mean_y;

                residuals += (y - line.slope * x) * (y - line.slope * x);
        }
        line.slope_standard_error = square_root(residuals / (n - 2) / xx);
        return line;
}

int calibration_fit(const CalibrationPoint *points, size_t n_points, CalibrationFrequency *ret_frequency) {
        double mean_x = 0, mean_y = 0;
        Line line;

        if (n_points < 3)
                return CALIBRATION_E_DEGENERATE;
        for (size_t i = 0; i < n_points; i++) {
                mean_x += (double)(points[i].raw_ns - points[0].raw_ns) / n_points;
                mean_y += (double)(points[i].tsc_ticks - points[0].tsc_ticks) / n_points;
        }

        line = line_fit(points, n_points, mean_x, mean_y);
        if (!isfinite(line.slope) || line.slope <= 0)
                return CALIBRATION_E_DEGENERATE;

        *ret_frequency = (CalibrationFrequency){
                .hz = line.slope * 1e9,
                .error_ppm = 1e6 * line.slope_standard_error / line.slope,
        };
        return 0;
}

static int compare_ticks(const void *a, const void *b) {
        uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

        return (x > y) - (x < y);
}

/* The distinct deltas that are frequent, rising. */
typedef struct QuantumCandidates {
        size_t n;
        uint64_t ticks[QUANTUM_CANDIDATES_MAX];
        uint64_t most_frequent;
        bool stood_still; /* the counter did, between two readings */
} QuantumCandidates;

/*
 * A reading within the step of the one before adds nothing, or the single tick by which some processors let the counter grow all the same,
 * and which is missing from the next step: it is added to that. Returns how many deltas are left.
 */
static size_t quantum_join(uint64_t *deltas, size_t n) {
        uint64_t carried = 0;
        size_t n_left = 0;

        for (size_t i = 0; i < n; i++) {
                carried += deltas[i];
                if (deltas[i] <= 1)
                        continue;
                deltas[n_left++] = carried;
                carried = 0;
        }
        return n_left;
}

static void quantum_candidates(const uint64_t *deltas, size_t n, QuantumCandidates *ret_candidates) {
        size_t longest = 0;

        *ret_candidates = (QuantumCandidates){};
        for (size_t i = 0, run; i < n && ret_candidates->n < QUANTUM_CANDIDATES_MAX; i += run) {
                for (run = 1; i + run < n && deltas[i + run] == deltas[i];)
                        run++;
                if (run < QUANTUM_FREQUENT_SHARE * n)
                        continue;
                ret_candidates->ticks[ret_candidates->n++] = deltas[i];
                if (run > longest) {
                        longest = run;
                        ret_candidates->most_frequent = deltas[i];
                }
        }
}

static uint64_t quantum_greatest_divisor(const QuantumCandidates *candidates) {
        uint64_t divisor = 0;

        for (size_t i = 0; i < candidates->n; i++)
                for (uint64_t a = candidates->ticks[i]; a > 0;) {
                        uint64_t rest = divisor % a;

                        divisor = a;
                        a = rest;
                }
        return divisor;
}

/* The number of steps in @ticks. Not floor(): the runner links no libm. */
static double quantum_steps(uint64_t ticks, double step) {
        return (uint64_t)(ticks / step + 0.5);
}

/* True if all are multiples of @step, within the tick that is lost to rounding at either end, and not all the same multiple. */
static bool is_quantum(const QuantumCandidates *candidates, double step) {
        const double first = quantum_steps(candidates->ticks[0], step);
        bool differ = candidates->stood_still;

        for (size_t i = 0; i < candidates->n; i++) {
                double multiple = quantum_steps(candidates->ticks[i], step);

                if (multiple < 1 || fabs(candidates->ticks[i] - step * multiple) >= 1)
                        return false;
                differ |= multiple != first;
        }
        return differ;
}

/* The middle of the steps of which all @candidates are multiples, and of which the most frequent is @parts; 0 if there are none. */
static double quantum_within(const QuantumCandidates *candidates, unsigned parts) {
        double high = 0, low = 0;

        for (unsigned i = 1; i < QUANTUM_GRID; i++) {
                double step = (candidates->most_frequent + 1 - 2.0 * i / QUANTUM_GRID) / parts;

                if (is_quantum(candidates, step)) {
                        high = high > 0 ? high : step;
                        low = step;
                } else if (high > 0)
                        break;
        }
        return (high + low) / 2;
}

/* All ticks by all steps, as far as the frequent deltas reach: an interrupt may last for any number of steps. */
static double quantum_refine(const uint64_t *deltas, size_t n, const QuantumCandidates *candidates, double step) {
        double ticks = 0, steps = 0;

        for (size_t i = 0; i < n && deltas[i] <= candidates->ticks[candidates->n - 1]; i++) {
                ticks += deltas[i];
                steps += quantum_steps(deltas[i], step);
        }
        return ticks / steps;
}

double calibration_quantum(uint64_t *deltas, size_t n_deltas) {
        size_t n = quantum_join(deltas, n_deltas);
        QuantumCandidates candidates;

        qsort(deltas, n, sizeof *deltas, compare_ticks);
        quantum_candidates(deltas, n, &candidates);
        candidates.stood_still = n_deltas - n > QUANTUM_FREQUENT_SHARE * n_deltas;
        if (candidates.n == 0 || (candidates.n == 1 && !candidates.stood_still))
                return 1;
        for (unsigned parts = 1; candidates.most_frequent / parts >= QUANTUM_ROUNDED_MIN; parts++) {
                double step = quantum_within(&candidates, parts);

                if (step > 0)
                        return quantum_refine(deltas, n, &candidates, step);
        }
        return quantum_greatest_divisor(&candidates);
}
