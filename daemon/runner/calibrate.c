/* SPDX-License-Identifier: GPL-3.0-or-later */
#define BENCH_NO_MODULE
#include "runner/calibrate.h"

#include <benchd/bench.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "clock/calibration.h"
#include "clock/ruler.h"
#include "clock/tick.h"
#include "runner/body.h"
#include "runner/detect.h"
#include "runner/pmu.h"
#include "runner/report.h"
#include "runner/window.h"
#include "util/cleanup.h"

#define CALIBRATE_POINTS           64u
#define CALIBRATE_SPAN_NS          100000000u
#define CALIBRATE_TRIES            8u
#define CALIBRATE_DELTAS           100000u
#define CALIBRATE_BATCHES          4000u
#define CALIBRATE_COUNTED          1000u
#define CALIBRATE_PAUSES           32u
#define CALIBRATE_RULERS           1000u
#define CALIBRATE_RULERS_NS        200000000ull /* at most, that all of them take */
#define CALIBRATE_RULER_TURNS      50u
#define CALIBRATE_RULER_RESOLUTION 0.002 /* of a ruler, the clock's quantum */
#define CALIBRATE_KEPT_SHARE       0.9   /* of the batches, the cheapest: interrupts are not the loop's cost */

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

static int compare_doubles(const void *a, const void *b) {
        double x = *(const double *)a, y = *(const double *)b;

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

static void pausing_loop(struct bench *b) {
        bench_loop(b) {
                bench_pause(b);
                bench_resume(b);
        }
}

/* What a batch of @iterations of @loop takes, pauses taken off: the mean of the cheapest. NaN where there is no memory. */
static double calibrate_loop(const RunnerPlan *plan, bench_function *loop, uint64_t iterations) {
        const struct bench_descriptor descriptor = { .run = loop };
        _cleanup_(freep) uint64_t *ticks = calloc(CALIBRATE_BATCHES, sizeof *ticks);
        _cleanup_(body_freep) Body *body = NULL;
        BodyBatch batch;

        if (!ticks || body_new(&descriptor, plan, &body))
                return NAN;
        body_start(body);
        for (size_t i = 0; i < CALIBRATE_BATCHES; i++) {
                body_run_batch(body, iterations, &batch);
                ticks[i] = batch.stop_ticks - batch.start_ticks - batch.paused_ticks;
        }
        return cheapest_mean(ticks, CALIBRATE_BATCHES);
}

static int calibrate_costs(const RunnerPlan *plan, ClockFacts *clock) {
        clock->batch_cost_ticks = calibrate_loop(plan, empty_loop, 1);
        clock->pause_cost_ticks = (calibrate_loop(plan, pausing_loop, CALIBRATE_PAUSES) - clock->batch_cost_ticks) /
                                  CALIBRATE_PAUSES;
        return isfinite(clock->pause_cost_ticks) ? 0 : -ENOMEM;
}

static double median_of(double *values, size_t n) {
        qsort(values, n, sizeof *values, compare_doubles);
        return values[n / 2];
}

/* What an empty batch counts: the median, since a batch counts alike each time. 0 where it was not counted. */
static int calibrate_counter(const RunnerPlan *plan, unsigned counter, double *ret_cost) {
        const struct bench_descriptor descriptor = { .run = empty_loop };
        _cleanup_(freep) double *counts = calloc(CALIBRATE_COUNTED, sizeof *counts);
        _cleanup_(body_freep) Body *body = NULL;
        size_t n = 0;
        BodyBatch batch;

        if (!counts || body_new(&descriptor, plan, &body))
                return -ENOMEM;
        body_start(body);
        for (size_t i = 0; i < CALIBRATE_COUNTED; i++) {
                body_run_batch(body, 1, &batch);
                if (batch.usage.pmu.counters & (1u << counter))
                        counts[n++] = batch.usage.pmu.counts[counter];
        }
        *ret_cost = n > 0 ? median_of(counts, n) : 0;
        return 0;
}

static int calibrate_counters(const RunnerPlan *plan, ClockFacts *clock) {
        RunnerPlan counted = *plan;
        int r = 0;

        clock->counters = counted.clock.counters = pmu_find();
        for (unsigned i = 0; r == 0 && i < RUNNER_COUNTERS_MAX; i++)
                if (clock->counters & (1u << i))
                        r = calibrate_counter(&counted, i, &clock->counter_cost[i]);
        return r;
}

/* How many turns last long enough for the clock's step to be CALIBRATE_RULER_RESOLUTION of them. */
static uint32_t ruler_length(const ClockFacts *clock) {
        double turn_ticks = (double)ruler_run(CALIBRATE_RULER_TURNS) / CALIBRATE_RULER_TURNS;
        double turns = clock->quantum_ticks / CALIBRATE_RULER_RESOLUTION / turn_ticks + 1;

        if (turns < CALIBRATE_RULER_TURNS)
                return CALIBRATE_RULER_TURNS;
        return turns < RUNNER_RULER_TURNS_MAX ? turns : RUNNER_RULER_TURNS_MAX;
}

/*
 * The ruler's fixed cost is what a ruler of twice the length does not have twice; its check is how long a multiplication
 * takes, in additions. Each from triples beside one another, so that the core's frequency may change between them.
 */
static int calibrate_ruler(ClockFacts *clock) {
        _cleanup_(freep) double *costs = calloc(CALIBRATE_RULERS, sizeof *costs);
        _cleanup_(freep) double *ratios = calloc(CALIBRATE_RULERS, sizeof *ratios);
        uint32_t turns = ruler_length(clock);

        if (!costs || !ratios)
                return -ENOMEM;
        for (size_t i = 0; i < CALIBRATE_RULERS; i++) {
                double once = ruler_run(turns), twice = ruler_run(2 * turns);
                double multiplied = ruler_run_multiplications(turns);

                costs[i] = 2 * once - twice;
                ratios[i] = (multiplied - clock->batch_cost_ticks) / (once - clock->batch_cost_ticks);
        }
        clock->ruler_cost_ticks = median_of(costs, CALIBRATE_RULERS);
        clock->ruler_check = median_of(ratios, CALIBRATE_RULERS);
        clock->ruler_turns = ruler_confirms(clock->ruler_check) ? turns : 0;
        return 0;
}

void calibrate_run(const RunnerPlan *plan, CalibrationBlock *block) {
        Window window = {};
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
                r = calibrate_costs(plan, &block->clock);
        if (r == 0)
                r = calibrate_counters(plan, &block->clock);
        window_ensure(&window, CALIBRATE_RULERS_NS);
        if (r == 0)
                r = calibrate_ruler(&block->clock);
        block->clock.detectors = detect_test();
        window_close(&window);
        if (r)
                report_end(&block->head, RUNNER_END_INTERNAL, "no memory");
        else
                report_end(&block->head, RUNNER_END_COMPLETE, "%s", "");
}
