/* SPDX-License-Identifier: GPL-3.0-or-later */
#define BENCH_NO_MODULE
#include "runner/calibrate.h"

#include <benchd/bench.h>

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "clock/calibration.h"
#include "clock/probe.h"
#include "clock/ruler.h"
#include "runner/beside.h"
#include "runner/body.h"
#include "runner/calibrate-clock.h"
#include "runner/detect.h"
#include "runner/pmu.h"
#include "runner/report.h"
#include "runner/siblings.h"
#include "runner/window.h"
#include "util/cleanup.h"

#define CALIBRATE_BATCHES          1000u
#define CALIBRATE_COUNTED          1000u
#define CALIBRATE_PAUSES           32u
#define CALIBRATE_RULERS           200u
#define CALIBRATE_RULER_ROUNDS     8u  /* of these */
#define CALIBRATE_COST_APART       0.3 /* of the clock pair's: a ruler costs that, and a few cycles for its loop */
#define CALIBRATE_RULERS_NS        300000000ull /* at most, that all of them take */
#define CALIBRATE_PORTS            3u           /* numbers of chains that are tried */
#define CALIBRATE_PROBES           400u         /* rows in a round */
#define CALIBRATE_PROBES_STEADY    2000u        /* rows without a probe of ports that counts cycles */
#define CALIBRATE_PROBES_MAX       8000u        /* ... in all, for a moment in which the core is ours alone */
#define CALIBRATE_RULER_ALONE      1.005        /* of the fastest */
#define CALIBRATE_BUSY             1.05         /* from the lowest tenth to the highest */
#define CALIBRATE_PROBES_NS        50000000ull  /* at most, that a round takes */
#define CALIBRATE_COSTS_NS         100000000ull /* ... and what the loop costs */
#define CALIBRATE_QUIET_MIN        100u         /* batches that had the core alone; of fewer, all are taken */
#define CALIBRATE_RULER_TURNS      50u
#define CALIBRATE_RULER_RESOLUTION 0.001 /* of a ruler, the clock's quantum */
#define CALIBRATE_KEPT_SHARE       0.9   /* of the batches, the cheapest: interrupts are not the loop's cost */

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

static bool calibrate_is_quiet(const ClockFacts *clock, const BodyBatch *batch, double cycles_per_tick) {
        return !beside_is_slow(clock, &batch->before, cycles_per_tick) &&
               !beside_is_slow(clock, &batch->after, cycles_per_tick);
}

/*
 * The ticks of a batch of @iterations of @loop, pauses taken off: the mean of the cheapest, of those that had the core
 * alone if there are enough. NaN if there is no memory.
 */
static double calibrate_loop(const RunnerPlan *plan, bench_function *loop, uint64_t iterations,
                double cycles_per_tick) {
        const struct bench_descriptor descriptor = { .run = loop };
        _cleanup_(freep) uint64_t *ticks = calloc(CALIBRATE_BATCHES, sizeof *ticks);
        _cleanup_(freep) uint64_t *quiet = calloc(CALIBRATE_BATCHES, sizeof *quiet);
        _cleanup_(body_freep) Body *body = NULL;
        size_t n_quiet = 0;
        BodyBatch batch;

        if (!ticks || !quiet || body_new(&descriptor, plan, 0, &body))
                return NAN;
        body_start(body);
        for (size_t i = 0; i < CALIBRATE_BATCHES; i++) {
                body_run_batch(body, iterations, &batch);
                ticks[i] = batch.stop_ticks - batch.start_ticks - batch.paused_ticks;
                if (plan->clock.port_chains > 0 && calibrate_is_quiet(&plan->clock, &batch, cycles_per_tick))
                        quiet[n_quiet++] = ticks[i];
        }
        if (n_quiet >= CALIBRATE_QUIET_MIN)
                return calibration_cheapest_mean(quiet, n_quiet, CALIBRATE_KEPT_SHARE);
        return calibration_cheapest_mean(ticks, CALIBRATE_BATCHES, CALIBRATE_KEPT_SHARE);
}

/* With the probes that calibration found, as every batch has them. */
static int calibrate_costs(const RunnerPlan *plan, double cycles_per_tick, ClockFacts *clock) {
        RunnerPlan probed = *plan;

        probed.clock = *clock;
        clock->batch_cost_ticks = calibrate_loop(&probed, empty_loop, 1, cycles_per_tick);
        clock->pause_cost_ticks = (calibrate_loop(&probed, pausing_loop, CALIBRATE_PAUSES, cycles_per_tick) -
                                                  clock->batch_cost_ticks) /
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

/* The count of an empty batch: of the middle half, since a batch counts alike each time. 0 if it was not counted. */
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

/* Rulers beside one another, so that the core's frequency may change between such rows. */
typedef struct RulerRow {
        double once_ticks;
        double twice_ticks; /* of twice the length */
        double multiplied_ticks;
} RulerRow;

/* The level of the fastest rulers at @offset of each row. */
static double rulers_level(const RulerRow *rows, size_t n, size_t offset, double *work) {
        for (size_t i = 0; i < n; i++)
                work[i] = *(const double *)((const char *)&rows[i] + offset);
        return probe_level(work, n);
}

/*
 * Leaves in @rows those that had the core alone all the time. A neighbour slows additions by 1 or 2 %, which is little in a ruler and much
 * in its fixed cost. Returns how many.
 */
static size_t rulers_keep_alone(RulerRow *rows, size_t n, double *work) {
        const double once = rulers_level(rows, n, offsetof(RulerRow, once_ticks), work);
        const double twice = rulers_level(rows, n, offsetof(RulerRow, twice_ticks), work);
        size_t n_kept = 0;

        for (size_t i = 0; i < n; i++)
                if (rows[i].once_ticks <= CALIBRATE_RULER_ALONE * once &&
                                rows[i].twice_ticks <= CALIBRATE_RULER_ALONE * twice)
                        rows[n_kept++] = rows[i];
        return n_kept;
}

/* Reads more where the core was hardly ever alone. Returns how many rows were. */
static size_t rulers_read(uint32_t turns, RulerRow *rows, double *work) {
        size_t n = 0;

        for (unsigned round = 0; round < CALIBRATE_RULER_ROUNDS && n < PROBE_READINGS_MIN; round++) {
                for (size_t i = n; i < CALIBRATE_RULERS; i++)
                        rows[i] = (RulerRow){
                                .once_ticks = ruler_run(turns),
                                .twice_ticks = ruler_run(2 * turns),
                                .multiplied_ticks = ruler_run_multiplications(turns),
                        };
                n = rulers_keep_alone(rows, CALIBRATE_RULERS, work);
        }
        return n;
}

/*
 * The ruler's fixed cost is what a ruler of twice the length does not have twice; its check is how long a
 * multiplication takes, in additions. If the core was never alone for long enough, the cost is that of the clock pair,
 * which is nearly all of it.
 */
static int calibrate_ruler(ClockFacts *clock, double *ret_cycles_per_tick) {
        _cleanup_(freep) RulerRow *rows = calloc(CALIBRATE_RULERS, sizeof *rows);
        _cleanup_(freep) double *work = calloc(CALIBRATE_RULERS, sizeof *work);
        const uint32_t turns = ruler_length(clock);
        size_t n;

        if (!rows || !work)
                return -ENOMEM;
        n = rulers_read(turns, rows, work);
        for (size_t i = 0; i < n; i++)
                work[i] = 2 * rows[i].once_ticks - rows[i].twice_ticks;
        clock->ruler_cost_ticks = n >= PROBE_READINGS_MIN ? middle_mean(work, n) : 0;
        if (fabs(clock->ruler_cost_ticks - clock->pair_cost_ticks) > CALIBRATE_COST_APART * clock->pair_cost_ticks)
                clock->ruler_cost_ticks = clock->pair_cost_ticks;
        n = n >= PROBE_READINGS_MIN ? n : CALIBRATE_RULERS;
        for (size_t i = 0; i < n; i++)
                work[i] = (rows[i].multiplied_ticks - clock->pair_cost_ticks) /
                          (rows[i].once_ticks - clock->pair_cost_ticks);
        clock->ruler_check = middle_mean(work, n);
        clock->ruler_turns = ruler_confirms(clock->ruler_check) ? turns : 0;
        for (size_t i = 0; i < n; i++)
                work[i] = rows[i].once_ticks;
        *ret_cycles_per_tick = ruler_cycles_per_tick(turns, middle_mean(work, n), clock->ruler_cost_ticks);
        return 0;
}

/* Readings taken in one go: a ruler, and each probe with as many steps as beside a batch and with twice as many. */
typedef struct ProbeRow {
        double ruler_ticks;
        double branch_ticks[2];
        double ports_ticks[CALIBRATE_PORTS][2];
} ProbeRow;

static const uint32_t calibrate_chains[CALIBRATE_PORTS] = { 8, 6, PROBE_CHAINS_MIN };

static void calibrate_read_probes(const ClockFacts *clock, ProbeRow *ret_row) {
        ret_row->ruler_ticks = ruler_run(clock->ruler_turns);
        for (uint32_t k = 0; k < 2; k++) {
                ret_row->branch_ticks[k] = probe_branches((k + 1) * PROBE_STEPS);
                for (size_t i = 0; i < CALIBRATE_PORTS; i++)
                        ret_row->ports_ticks[i][k] = probe_ports(calibrate_chains[i], (k + 1) * PROBE_STEPS);
        }
}

/*
 * The level in cycles, by two lengths, of the probe at @offset of each row, if each step takes a cycle; else 0. Rows whose ruler was slow
 * were not alone; a neighbour slows it a little.
 */
static double rows_level(const ClockFacts *clock, const ProbeRow *rows, size_t n, size_t offset, double *work) {
        double levels[2], fastest;

        for (size_t i = 0; i < n; i++)
                work[i] = rows[i].ruler_ticks;
        fastest = probe_level(work, n);
        for (size_t k = 0; k < 2; k++) {
                size_t n_kept = 0;

                for (size_t i = 0; i < n; i++) {
                        const double *ticks = (const double *)((const char *)&rows[i] + offset);

                        if (rows[i].ruler_ticks <= CALIBRATE_RULER_ALONE * fastest)
                                work[n_kept++] = ticks[k] * ruler_cycles_per_tick(clock->ruler_turns,
                                                                            rows[i].ruler_ticks,
                                                                            clock->ruler_cost_ticks);
                }
                levels[k] = probe_level(work, n_kept);
        }
        return probe_counts_cycles(levels[0], levels[1]) ? levels[0] : 0;
}

/* As many chains as still take a cycle a step are all that the core adds at once. */
static void rows_find_levels(const ProbeRow *rows, size_t n, double *work, ClockFacts *clock) {
        clock->branch_cycles = rows_level(clock, rows, n, offsetof(ProbeRow, branch_ticks), work);
        for (size_t i = 0; i < CALIBRATE_PORTS && clock->branch_cycles > 0 && clock->port_chains == 0; i++) {
                clock->ports_cycles = rows_level(clock, rows, n, offsetof(ProbeRow, ports_ticks[i]), work);
                if (clock->ports_cycles > 0)
                        clock->port_chains = calibrate_chains[i];
        }
}

/*
 * The cycles of the port probe of @chains[@which] in the rows whose branches had the core alone, if they are alike; else 0: a core that adds
 * a number at once that none of these divides takes no whole cycle a step.
 */
static double rows_steady_level(const ClockFacts *clock, const ProbeRow *rows, size_t n, size_t which, double *work) {
        size_t n_kept = 0;

        for (size_t i = 0; i < n; i++) {
                const double cycles_per_tick =
                                ruler_cycles_per_tick(clock->ruler_turns, rows[i].ruler_ticks, clock->ruler_cost_ticks);
                const ProbeReading reading = { .branch_ticks = rows[i].branch_ticks[0] };
                const ProbeLevels levels = { .branch_cycles = clock->branch_cycles };

                if (!probe_is_slow(&reading, &levels, cycles_per_tick))
                        work[n_kept++] = rows[i].ports_ticks[which][0] * cycles_per_tick;
        }
        return probe_steady_level(work, n_kept);
}

static void rows_find_steady_level(const ProbeRow *rows, size_t n, double *work, ClockFacts *clock) {
        for (size_t i = 0; i < CALIBRATE_PORTS && clock->branch_cycles > 0 && clock->port_chains == 0; i++) {
                clock->ports_cycles = rows_steady_level(clock, rows, n, i, work);
                if (clock->ports_cycles > 0)
                        clock->port_chains = calibrate_chains[i];
        }
}

/* A core of another kind takes another time, but always the same; beside a neighbour no two readings are alike. */
static bool rows_are_busy(const ProbeRow *rows, size_t n, double *work) {
        for (size_t i = 0; i < n; i++)
                work[i] = rows[i].branch_ticks[0];
        qsort(work, n, sizeof *work, compare_doubles);
        return work[n - n / 10] > CALIBRATE_BUSY * work[n / 10];
}

/*
 * A neighbour makes a probe slower, never quicker, so that what does not come out may do so when it is away: a moment of it is enough.
 * If there was none, the levels are what the steps come to by design.
 */
static int calibrate_probes(Window *window, ClockFacts *clock) {
        _cleanup_(freep) ProbeRow *rows = calloc(CALIBRATE_PROBES_MAX, sizeof *rows);
        _cleanup_(freep) double *work = calloc(CALIBRATE_PROBES_MAX, sizeof *work);
        size_t n = 0;

        if (!rows || !work)
                return -ENOMEM;
        while (clock->port_chains == 0 && n < CALIBRATE_PROBES_MAX) {
                window_ensure(window, CALIBRATE_PROBES_NS);
                for (size_t i = 0; i < CALIBRATE_PROBES; i++)
                        calibrate_read_probes(clock, &rows[n++]);
                rows_find_levels(rows, n, work, clock);
                if (n >= CALIBRATE_PROBES_STEADY)
                        rows_find_steady_level(rows, n, work, clock);
        }
        if (clock->port_chains == 0 && rows_are_busy(rows, n, work)) {
                clock->branch_cycles = clock->ports_cycles = PROBE_STEPS + PROBE_FIXED_CYCLES;
                clock->port_chains = PROBE_CHAINS_MIN;
        }
        return 0;
}

/* In windows of their own, since a ruler must not be interrupted: what the loop and the ruler cost. */
static int calibrate_harness(const RunnerPlan *plan, ClockFacts *clock) {
        Window window = {};
        double cycles_per_tick = 0;
        int r = 0;

        if (clock->source == CLOCK_SOURCE_TSC) {
                window_ensure(&window, CALIBRATE_RULERS_NS);
                r = calibrate_ruler(clock, &cycles_per_tick);
                if (r == 0 && clock->ruler_turns > 0)
                        r = calibrate_probes(&window, clock);
        }
        window_ensure(&window, CALIBRATE_COSTS_NS);
        if (r == 0)
                r = calibrate_costs(plan, cycles_per_tick, clock);
        if (r == 0)
                r = calibrate_counters(plan, clock);
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
        if (r == 0) {
                calibrate_clock_warp(plan->cpus[0], plan->cpus[1], clock);
                siblings_find(plan, clock, &block->suspects_tested, &block->suspects_found);
        }
        if (r > 0)
                report_end(&block->head, RUNNER_END_INTERNAL,
                                "the time-stamp counter and CLOCK_MONOTONIC_RAW do not agree");
        else if (r)
                report_end(&block->head, RUNNER_END_INTERNAL, "no memory");
        else
                report_end(&block->head, RUNNER_END_COMPLETE, "%s", "");
}
