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

static uint64_t raw_ns(void) {
        struct timespec t;

        clock_gettime(CLOCK_MONOTONIC_RAW, &t);
        return (uint64_t)t.tv_sec * 1000000000u + t.tv_nsec;
}

CalibrationPoint calibration_read(unsigned n_tries) {
        CalibrationPoint point = {};
        uint64_t narrowest = UINT64_MAX;
        uint32_t aux;

        for (unsigned i = 0; i < n_tries; i++) {
                uint64_t before = tick_start();
                uint64_t ns = raw_ns();
                uint64_t after = tick_stop(&aux);

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

int calibration_fit(const CalibrationPoint *points, size_t n_points, TscFrequency *ret_frequency) {
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

        *ret_frequency = (TscFrequency){
                .hz = line.slope * 1e9,
                .error_ppm = 1e6 * line.slope_standard_error / line.slope,
        };
        return 0;
}

static int compare_ticks(const void *a, const void *b) {
        uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

        return (x > y) - (x < y);
}

/*
 * Gathers the distinct deltas that are frequent, the most frequent first. Those far below the median are left out: a
 * hypervisor that scales a coarse counter lets it advance by one in between, so that it never stands still.
 */
static size_t quantum_candidates(const uint64_t *deltas, size_t n, uint64_t candidates[static QUANTUM_CANDIDATES_MAX]) {
        uint64_t smallest = deltas[n / 2] / 4;
        size_t n_candidates = 0, longest = 0;

        for (size_t i = 0, run; i < n && n_candidates < QUANTUM_CANDIDATES_MAX; i += run) {
                for (run = 1; i + run < n && deltas[i + run] == deltas[i];)
                        run++;
                if (deltas[i] <= smallest || run < QUANTUM_FREQUENT_SHARE * n)
                        continue;
                candidates[n_candidates++] = deltas[i];
                if (run > longest) {
                        longest = run;
                        candidates[n_candidates - 1] = candidates[0];
                        candidates[0] = deltas[i];
                }
        }
        return n_candidates;
}

static bool all_multiples(const uint64_t *candidates, size_t n, double step) {
        for (size_t i = 0; i < n; i++) {
                uint64_t nearest = candidates[i] / step + 0.5;

                if (fabs(candidates[i] - step * nearest) > 1)
                        return false;
        }
        return true;
}

double calibration_quantum(uint64_t *deltas, size_t n_deltas) {
        uint64_t candidates[QUANTUM_CANDIDATES_MAX];
        size_t n;

        qsort(deltas, n_deltas, sizeof *deltas, compare_ticks);
        n = quantum_candidates(deltas, n_deltas, candidates);
        if (n == 0)
                return 1;
        for (unsigned parts = 1; candidates[0] / parts > 3; parts++) {
                double step = (double)candidates[0] / parts;

                if (all_multiples(candidates, n, step))
                        return step;
        }
        return 1;
}

double calibration_cheapest_mean(uint64_t *ticks, size_t n, double share) {
        size_t n_kept = n * share;
        double sum = 0;

        qsort(ticks, n, sizeof *ticks, compare_ticks);
        for (size_t i = 0; i < n_kept; i++)
                sum += ticks[i];
        return sum / n_kept;
}
