/* SPDX-License-Identifier: GPL-3.0-or-later */
#define BENCH_NO_MODULE
#include "runner/calibrate.h"

#include <benchd/bench.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "clock/calibration.h"
#include "clock/ruler.h"
#include "runner/body.h"
#include "runner/calibrate-clock.h"
#include "runner/detect.h"
#include "runner/pmu.h"
#include "runner/report.h"
#include "runner/window.h"
#include "util/cleanup.h"

#define CALIBRATE_BATCHES          4000u
#define CALIBRATE_COUNTED          1000u
#define CALIBRATE_PAUSES           32u
#define CALIBRATE_RULERS           1000u
#define CALIBRATE_RULERS_NS        300000000ull /* at most, that all of them take */
#define CALIBRATE_RULER_TURNS      50u
#define CALIBRATE_RULER_RESOLUTION 0.0005 /* of a ruler, the clock's quantum */
#define CALIBRATE_KEPT_SHARE       0.9    /* of the batches, the cheapest: interrupts are not the loop's cost */

DEFINE_CLEANUP(Body *, body_free)

static void empty_loop(struct bench *b) {
        bench_loop(b) {
        }
}

static int compare_doubles(const void *a, const void *b) {
        double x = *(const double *)a, y = *(const double *)b;

        return (x > y) - (x < y);
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

        if (!ticks || body_new(&descriptor, plan, 0, &body))
                return NAN;
        body_start(body);
        for (size_t i = 0; i < CALIBRATE_BATCHES; i++) {
                body_run_batch(body, iterations, &batch);
                ticks[i] = batch.stop_ticks - batch.start_ticks - batch.paused_ticks;
        }
        return calibration_cheapest_mean(ticks, CALIBRATE_BATCHES, CALIBRATE_KEPT_SHARE);
}

static int calibrate_costs(const RunnerPlan *plan, ClockFacts *clock) {
        clock->batch_cost_ticks = calibrate_loop(plan, empty_loop, 1);
        clock->pause_cost_ticks = (calibrate_loop(plan, pausing_loop, CALIBRATE_PAUSES) - clock->batch_cost_ticks) /
                                  CALIBRATE_PAUSES;
        return isfinite(clock->pause_cost_ticks) ? 0 : -ENOMEM;
}

/* The mean of the middle half: a median would fall on a multiple of the quantum. */
static double middle_mean(double *values, size_t n) {
        double sum = 0;

        qsort(values, n, sizeof *values, compare_doubles);
        for (size_t i = n / 4; i < n - n / 4; i++)
                sum += values[i];
        return sum / (n - 2 * (n / 4));
}

/* What an empty batch counts: of the middle half, since a batch counts alike each time. 0 where it was not counted. */
static int calibrate_counter(const RunnerPlan *plan, unsigned counter, double *ret_cost) {
        const struct bench_descriptor descriptor = { .run = empty_loop };
        _cleanup_(freep) double *counts = calloc(CALIBRATE_COUNTED, sizeof *counts);
        _cleanup_(body_freep) Body *body = NULL;
        size_t n = 0;
        BodyBatch batch;

        if (!counts || body_new(&descriptor, plan, 0, &body))
                return -ENOMEM;
        body_start(body);
        for (size_t i = 0; i < CALIBRATE_COUNTED; i++) {
                body_run_batch(body, 1, &batch);
                if (batch.usage.pmu.counters & (1u << counter))
                        counts[n++] = batch.usage.pmu.counts[counter];
        }
        *ret_cost = n > 0 ? middle_mean(counts, n) : 0;
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
        clock->ruler_cost_ticks = middle_mean(costs, CALIBRATE_RULERS);
        clock->ruler_check = middle_mean(ratios, CALIBRATE_RULERS);
        clock->ruler_turns = ruler_confirms(clock->ruler_check) ? turns : 0;
        return 0;
}

/* In windows of their own, since a ruler must not be interrupted: what the loop and the ruler cost. */
static int calibrate_harness(const RunnerPlan *plan, ClockFacts *clock) {
        Window window = {};
        int r;

        window_ensure(&window, 1);
        r = calibrate_costs(plan, clock);
        if (r == 0)
                r = calibrate_counters(plan, clock);
        if (r == 0 && clock->source == CLOCK_SOURCE_TSC) {
                window_ensure(&window, CALIBRATE_RULERS_NS);
                r = calibrate_ruler(clock);
        }
        clock->detectors = detect_test();
        window_close(&window);
        return r;
}

void calibrate_run(const RunnerPlan *plan, CalibrationBlock *block) {
        ClockFacts *clock = &block->clock;
        int r;

        clock->source = plan->clock.source;
        r = calibrate_clock(clock, &block->checks);
        if (r == 0)
                r = calibrate_harness(plan, clock);
        if (r == 0)
                calibrate_warp(plan->cpus[0], plan->cpus[1], clock);
        if (r > 0)
                report_end(&block->head, RUNNER_END_INTERNAL,
                                "the time-stamp counter and CLOCK_MONOTONIC_RAW do not agree");
        else if (r)
                report_end(&block->head, RUNNER_END_INTERNAL, "no memory");
        else
                report_end(&block->head, RUNNER_END_COMPLETE, "%s", "");
}
