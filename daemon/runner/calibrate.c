/* SPDX-License-Identifier: GPL-3.0-or-later */
#define BENCH_NO_MODULE
#include "runner/calibrate.h"

#include <benchd/bench.h>

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "clock/calibration.h"
#include "clock/tick.h"
#include "runner/body.h"
#include "runner/report.h"
#include "runner/window.h"
#include "util/cleanup.h"

#define CALIBRATE_POINTS     64u
#define CALIBRATE_SPAN_NS    100000000u
#define CALIBRATE_TRIES      8u
#define CALIBRATE_DELTAS     100000u
#define CALIBRATE_BATCHES    4000u
#define CALIBRATE_KEPT_SHARE 0.9 /* of the batches, the cheapest: interrupts are not the loop's cost */

DEFINE_CLEANUP(Body *, body_free)

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
        return 0;
}

static int calibrate_quantum(ClockFacts *clock) {
        _cleanup_(freep) uint64_t *deltas = calloc(CALIBRATE_DELTAS, sizeof *deltas);
        uint64_t last;
        uint32_t aux;

        if (!deltas)
                return -ENOMEM;
        last = tick_stop(&aux);
        for (size_t i = 0; i < CALIBRATE_DELTAS; i++) {
                uint64_t now = __builtin_ia32_rdtsc();

                deltas[i] = now - last;
                last = now;
        }
        clock->quantum_ticks = calibration_quantum(deltas, CALIBRATE_DELTAS);
        return 0;
}

static void empty_loop(struct bench *b) {
        bench_loop(b) {
        }
}

static int compare_ticks(const void *a, const void *b) {
        uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

        return (x > y) - (x < y);
}

/* The mean of the cheapest batches of one empty iteration; a median would fall on a multiple of the quantum. */
static double cheapest_mean(uint64_t *ticks, size_t n) {
        size_t n_kept = n * CALIBRATE_KEPT_SHARE;
        double sum = 0;

        qsort(ticks, n, sizeof *ticks, compare_ticks);
        for (size_t i = 0; i < n_kept; i++)
                sum += ticks[i];
        return sum / n_kept;
}

static int calibrate_batch_cost(const RunnerPlan *plan, ClockFacts *clock) {
        static const struct bench_descriptor descriptor = { .run = empty_loop };
        _cleanup_(freep) uint64_t *ticks = calloc(CALIBRATE_BATCHES, sizeof *ticks);
        _cleanup_(body_freep) Body *body = NULL;
        BodyBatch batch;

        if (!ticks || body_new(&descriptor, plan, &body))
                return -ENOMEM;
        body_start(body);
        for (size_t i = 0; i < CALIBRATE_BATCHES; i++) {
                body_run_batch(body, 1, &batch);
                ticks[i] = batch.stop_ticks - batch.start_ticks;
        }
        clock->batch_cost_ticks = cheapest_mean(ticks, CALIBRATE_BATCHES);
        return 0;
}

void calibrate_run(const RunnerPlan *plan, int control_fd, CalibrationBlock *block) {
        Window window = { .fd = control_fd };
        int r;

        r = calibrate_frequency(&block->clock);
        if (r) {
                report_end(&block->head, RUNNER_END_INTERNAL,
                                "the time-stamp counter and CLOCK_MONOTONIC_RAW do not agree");
                return;
        }
        window_ensure(&window, 1);
        r = calibrate_quantum(&block->clock);
        if (r == 0)
                r = calibrate_batch_cost(plan, &block->clock);
        window_close(&window);
        if (r)
                report_end(&block->head, RUNNER_END_INTERNAL, "no memory");
        else
                report_end(&block->head, RUNNER_END_COMPLETE, "%s", "");
}
