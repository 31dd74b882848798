/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/calibrate-clock.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "clock/calibration.h"
#include "clock/cluster.h"
#include "clock/crosscheck.h"
#include "clock/tick.h"
#include "clock/warp.h"
#include "util/cleanup.h"

#define CALIBRATE_POINTS     32u
#define CALIBRATE_SPAN_NS    32000000u /* enough to begin with: the launcher refines it from run to run */
#define CALIBRATE_TRIES      8u
#define CALIBRATE_DELTAS     100000u
#define CALIBRATE_PAIRS      4000u
#define CALIBRATE_PAIR_WIDTH 1.1 /* of the pairs that nothing disturbed, beside a step of the clock */
#define CALIBRATE_WARP_MS    10u

_Static_assert((int)_CROSSCHECK_N <= (int)CLOCK_CHECKS_MAX, "a place for each source");

static StopwatchFunction *clock_stopwatch(const ClockFacts *clock) {
        return clock->source == CLOCK_SOURCE_RAW ? stopwatch_raw : NULL;
}

static int calibrate_frequency(ClockFacts *clock) {
        struct timespec pause = { .tv_nsec = CALIBRATE_SPAN_NS / CALIBRATE_POINTS };
        CalibrationPoint points[CALIBRATE_POINTS];
        TscFrequency frequency;
        int r;

        for (size_t i = 0; i < CALIBRATE_POINTS; i++) {
                points[i] = calibration_read(CALIBRATE_TRIES);
                nanosleep(&pause, NULL);
        }
        r = calibration_fit(points, CALIBRATE_POINTS, &frequency);
        if (r)
                return r;
        clock->hz = frequency.hz;
        clock->error_ppm = frequency.error_ppm;
        clock->baseline_ns = points[CALIBRATE_POINTS - 1].raw_ns - points[0].raw_ns;
        return 0;
}

static void calibrate_checks(double raw_hz, ClockChecks *checks) {
        double hz[_CROSSCHECK_N];

        crosscheck_read(raw_hz, hz);
        for (uint32_t i = 0; i < _CROSSCHECK_N; i++)
                if (hz[i] > 0)
                        checks->rows[checks->n++] = (ClockCheck){ .source = i, .hz = hz[i] };
}

/* Without fences, so that the step shows. */
static uint64_t read_bare(StopwatchFunction *stopwatch) {
        return stopwatch ? stopwatch() : __builtin_ia32_rdtsc();
}

/* Up to some tens of ticks, another number each time: readings at equal distances would show a step that is their own. */
static void dawdle(size_t i) {
        for (uint32_t turns = (uint32_t)i * 2654435761u >> 27; turns > 0; turns--)
                __asm__ volatile("");
}

static int calibrate_quantum(ClockFacts *clock) {
        _cleanup_(freep) uint64_t *deltas = calloc(CALIBRATE_DELTAS, sizeof *deltas);
        StopwatchFunction *stopwatch = clock_stopwatch(clock);
        uint64_t last;

        if (!deltas)
                return -ENOMEM;
        last = read_bare(stopwatch);
        for (size_t i = 0; i < CALIBRATE_DELTAS; i++) {
                uint64_t now;

                dawdle(i);
                now = read_bare(stopwatch);
                deltas[i] = now - last;
                last = now;
        }
        clock->quantum_ticks = calibration_quantum(deltas, CALIBRATE_DELTAS);
        return 0;
}

static int calibrate_pair(ClockFacts *clock) {
        _cleanup_(freep) double *ticks = calloc(CALIBRATE_PAIRS, sizeof *ticks);
        StopwatchFunction *stopwatch = clock_stopwatch(clock);

        if (!ticks)
                return -ENOMEM;
        for (size_t i = 0; i < CALIBRATE_PAIRS; i++) {
                uint64_t start = stopwatch_start(stopwatch);

                ticks[i] = stopwatch_stop(stopwatch) - start;
        }
        clock->pair_cost_ticks = cluster_mean(
                        cluster_lowest(ticks, CALIBRATE_PAIRS, CALIBRATE_PAIR_WIDTH, clock->quantum_ticks));
        return 0;
}

/* Its ticks are nanoseconds by definition: there is nothing to calibrate or to hold it against. */
static void accept_raw(ClockFacts *clock) {
        clock->hz = 1e9;
        clock->error_ppm = 0;
}

int calibrate_clock(ClockFacts *clock, ClockChecks *checks) {
        int r = 0;

        if (clock->source == CLOCK_SOURCE_RAW)
                accept_raw(clock);
        else
                r = calibrate_frequency(clock);
        if (r)
                return r;
        if (clock->source == CLOCK_SOURCE_TSC)
                calibrate_checks(clock->hz, checks);
        r = calibrate_quantum(clock);
        return r ? r : calibrate_pair(clock);
}

void calibrate_clock_warp(int own, int other, ClockFacts *clock) {
        Warp warp;

        if (own == other || clock->source != CLOCK_SOURCE_TSC || !warp_test(other, CALIBRATE_WARP_MS, &warp))
                return;
        clock->warp_handovers = warp.n_handovers < UINT32_MAX ? warp.n_handovers : UINT32_MAX;
        clock->warp_ticks = warp.largest_ticks < UINT32_MAX ? warp.largest_ticks : UINT32_MAX;
}
