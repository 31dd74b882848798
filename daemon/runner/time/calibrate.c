/* SPDX-License-Identifier: GPL-3.0-or-later */
#define BENCH_NO_MODULE
#include "runner/time/calibrate.h"

#include <benchd/bench.h>

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#include "clock/calibration.h"
#include "clock/cluster.h"
#include "clock/crosscheck.h"
#include "clock/probe.h"
#include "clock/ruler.h"
#include "clock/tick.h"
#include "clock/warp.h"
#include "ops/runner-plan.h"
#include "runner/time/beside.h"
#include "runner/time/body.h"
#include "runner/time/calibrate-rows.h"
#include "runner/time/siblings.h"
#include "runner/time/window.h"
#include "runner/watch/detect.h"
#include "runner/watch/report.h"
#include "runner/watch/usage.h"
#include "util/cleanup.h"

/*
 * The clock of the CPU that the runner is pinned to: its frequency, other sources for that, its step, the cost of
 * reading it, and whether it agrees with another CPU's.
 */

#define CALIBRATE_POINTS     32u
#define CALIBRATE_SPAN_NS    32000000u /* enough to begin with: the launcher refines it from run to run */
#define CALIBRATE_TRIES      8u
#define CALIBRATE_DELTAS     100000u
#define CALIBRATE_PAIRS      4000u
#define CALIBRATE_PAIR_WIDTH 1.1 /* of the pairs that nothing disturbed, beside a step of the clock */
#define CALIBRATE_WARP_MS    10u

_Static_assert((int)_CROSSCHECK_N <= (int)CLOCK_CHECKS_MAX, "a place for each source");

static TickStopwatch *clock_stopwatch(const ClockFacts *clock) {
        return clock->source == CLOCK_SOURCE_RAW ? tick_stopwatch_raw : NULL;
}

static int calibrate_frequency(ClockFacts *clock) {
        struct timespec pause = { .tv_nsec = CALIBRATE_SPAN_NS / CALIBRATE_POINTS };
        CalibrationPoint points[CALIBRATE_POINTS];
        CalibrationFrequency frequency;
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

/* Has no fences, so that the step shows. */
static uint64_t read_bare(TickStopwatch *stopwatch) {
        return stopwatch ? stopwatch() : __builtin_ia32_rdtsc();
}

/*
 * Waits up to some tens of ticks, a different number each time: readings at equal distances would show their own step.
 */
static void dawdle(size_t i) {
        for (uint32_t turns = (uint32_t)i * 2654435761u >> 27; turns > 0; turns--)
                __asm__ volatile("");
}

static int calibrate_quantum(ClockFacts *clock) {
        _cleanup_(freep) uint64_t *deltas = calloc(CALIBRATE_DELTAS, sizeof *deltas);
        TickStopwatch *stopwatch = clock_stopwatch(clock);
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
        TickStopwatch *stopwatch = clock_stopwatch(clock);

        if (!ticks)
                return -ENOMEM;
        for (size_t i = 0; i < CALIBRATE_PAIRS; i++) {
                uint64_t start = tick_stopwatch_start(stopwatch);

                ticks[i] = tick_stopwatch_stop(stopwatch) - start;
        }
        clock->pair_cost_ticks = cluster_mean(
                        cluster_lowest(ticks, CALIBRATE_PAIRS, CALIBRATE_PAIR_WIDTH, clock->quantum_ticks));
        return 0;
}

/* Does everything but the warp test. Returns 0, a positive number if the clocks do not agree, or -ENOMEM. */
static int calibrate_clock(ClockFacts *clock, ClockChecks *checks) {
        int r = 0;

        if (clock->source == CLOCK_SOURCE_RAW) {
                /* Its ticks are nanoseconds by definition, so there is nothing to calibrate or to compare. */
                clock->hz = 1e9;
                clock->error_ppm = 0;
        } else
                r = calibrate_frequency(clock);
        if (r)
                return r;
        if (clock->source == CLOCK_SOURCE_TSC) {
                double hz[_CROSSCHECK_N];

                crosscheck_read(clock->hz, hz);
                for (uint32_t i = 0; i < _CROSSCHECK_N; i++)
                        if (hz[i] > 0)
                                checks->rows[checks->n++] = (ClockCheck){ .source = i, .hz = hz[i] };
        }
        r = calibrate_quantum(clock);
        return r ? r : calibrate_pair(clock);
}

/* Runs the warp test against CPU @other; does nothing if that is this CPU or not available. Starts a second thread. */
static void calibrate_clock_warp(int own, int other, ClockFacts *clock) {
        Warp warp;

        if (own == other || clock->source != CLOCK_SOURCE_TSC || !warp_test(other, CALIBRATE_WARP_MS, &warp))
                return;
        clock->warp_handovers = warp.n_handovers < UINT32_MAX ? warp.n_handovers : UINT32_MAX;
        clock->warp_ticks = warp.largest_ticks < UINT32_MAX ? warp.largest_ticks : UINT32_MAX;
}

#define CALIBRATE_BATCHES          1000u  /* of each loop per round */
#define CALIBRATE_BATCHES_MAX      10000u /* ... in all, to find moments without a neighbour */
#define CALIBRATE_COUNTED          1000u
#define CALIBRATE_PAUSES           32u /* in a batch */
#define CALIBRATE_FEW              16u /* iterations, some of which may run untimed */
#define CALIBRATE_FREQUENCY_RULERS 50u
#define CALIBRATE_FREQUENCY        1.1 /* of the frequency that the ruler found; readings at one further off are dropped */
#define CALIBRATE_COST_WIDTH       1.1  /* of the cheapest batches, beside a step of the clock: a neighbour adds more */
#define CALIBRATE_QUIET_MIN        100u /* batches that had the core alone; if fewer, all batches are used */
#define CALIBRATE_COSTS_NS         100000000ull /* at most, for a round of batches */
#define CALIBRATE_RULERS           200u         /* rows per round */
#define CALIBRATE_RULERS_MAX       1600u        /* ... in all */
#define CALIBRATE_RULERS_NS        300000000ull /* at most, for all of them */
#define CALIBRATE_RULER_TURNS      50u
#define CALIBRATE_RULER_RESOLUTION 0.001       /* of a ruler, the clock's quantum */
#define CALIBRATE_PROBES           400u        /* rows per round */
#define CALIBRATE_PROBES_MAX       8000u       /* ... in all */
#define CALIBRATE_PROBES_NS        50000000ull /* at most, for a round */

#define TEN(step) step step step step step step step step step step

/*
 * Dependent multiplications: a body behind which the bookkeeping of a pause hides, as behind most work, since each has a latency of
 * some cycles; behind additions a pause takes a cycle more.
 */
#define CHAIN(x) __asm__ volatile(TEN("imul %0, %0\n\t") TEN("imul %0, %0\n\t") : "+r"(x))

/*
 * Each has its own loop, whose end the processor learns to predict; the assembler comment keeps the compiler from
 * merging them.
 */
#define EMPTY_LOOP(name)                                                                                               \
 static void name(struct bench *b) {                                                                                   \
  __asm__ volatile("# " #name);                                                                                        \
  bench_loop(b) {                                                                                                      \
  }                                                                                                                    \
 }

EMPTY_LOOP(empty_loop)
EMPTY_LOOP(few_loop)
EMPTY_LOOP(few_led_loop)

static void chain_loop(struct bench *b) {
        uint64_t x = 1;

        bench_loop(b) {
                CHAIN(x);
                CHAIN(x);
        }
}

static void pausing_loop(struct bench *b) {
        uint64_t x = 1;

        bench_loop(b) {
                CHAIN(x);
                bench_pause(b);
                CHAIN(x);
                bench_resume(b);
                CHAIN(x);
        }
}

enum {
        LOOP_EMPTY,
        LOOP_FEW, /* iterations, with and without untimed ones right before */
        LOOP_FEW_LED,
        LOOP_CHAIN,
        LOOP_PAUSING,
        _LOOP_N,
};

/* A given count has no untimed iterations. */
static const struct {
        struct bench_descriptor descriptor;
        uint64_t iterations;
        uint64_t given;
} loops[_LOOP_N] = {
        [LOOP_EMPTY] = { { .run = empty_loop }, 1, 1 },
        [LOOP_FEW] = { { .run = few_loop }, CALIBRATE_FEW, CALIBRATE_FEW },
        [LOOP_FEW_LED] = { { .run = few_led_loop }, CALIBRATE_FEW, 0 },
        [LOOP_CHAIN] = { { .run = chain_loop }, CALIBRATE_PAUSES, 0 },
        [LOOP_PAUSING] = { { .run = pausing_loop }, CALIBRATE_PAUSES, 0 },
};

/* Batches of the loops, which take turns, so that the core's frequency is the same for all; pauses are subtracted. */
typedef struct Costs {
        RunnerPlan plans[_LOOP_N]; /* with the probes that calibration found, as in every batch */
        const ClockFacts *clock;
        double cycles_per_tick;
        Body *bodies[_LOOP_N];
        double ticks[_LOOP_N][CALIBRATE_BATCHES_MAX];
        double quiet[_LOOP_N][CALIBRATE_BATCHES_MAX]; /* of batches that had the core alone */
        size_t n;                                     /* of each */
        size_t n_quiet[_LOOP_N];
} Costs;

static Costs *costs_free(Costs *costs) {
        for (size_t i = 0; costs && i < _LOOP_N; i++)
                body_free(costs->bodies[i]);
        free(costs);
        return NULL;
}

DEFINE_CLEANUP(Costs *, costs_free)

static int costs_new(const RunnerPlan *plan, const ClockFacts *clock, double cycles_per_tick, Costs **ret_costs) {
        _cleanup_(costs_freep) Costs *costs = calloc(1, sizeof *costs);

        if (!costs)
                return -ENOMEM;
        costs->clock = clock;
        costs->cycles_per_tick = cycles_per_tick;
        for (size_t i = 0; i < _LOOP_N; i++) {
                costs->plans[i] = *plan;
                costs->plans[i].clock = *clock;
                costs->plans[i].schedule.iterations = loops[i].given;
                if (body_new(&loops[i].descriptor, &costs->plans[i], 0, BODY_STACK_ASIDE, &costs->bodies[i]))
                        return -ENOMEM;
                body_start(costs->bodies[i]);
        }
        *ret_costs = take_pointer(costs);
        return 0;
}

static bool costs_are_quiet(const Costs *costs, const BodyBatch *batch) {
        return costs->clock->port_chains > 0 && !beside_is_slow(costs->clock, &batch->before, costs->cycles_per_tick) &&
               !beside_is_slow(costs->clock, &batch->after, costs->cycles_per_tick);
}

/* @scale: the core's frequency relative to the one at which the ruler was found, since costs are mostly cycles. */
static void costs_read(Costs *costs, size_t loop, double scale) {
        BodyBatch batch;
        double ticks;

        body_run_batch(costs->bodies[loop], loops[loop].iterations, &batch);
        ticks = scale * (batch.stop_ticks - batch.start_ticks - batch.paused_ticks);
        costs->ticks[loop][costs->n] = ticks;
        if (costs_are_quiet(costs, &batch))
                costs->quiet[loop][costs->n_quiet[loop]++] = ticks;
}

/* Runs a batch of each loop; an interrupt in the ruler beside them would make all of them look short. */
static void costs_read_row(Costs *costs) {
        const ClockFacts *clock = costs->clock;
        double scale = 1;

        if (clock->ruler_turns > 0)
                scale = ruler_cycles_per_tick(clock->ruler_turns, ruler_run(clock->ruler_turns),
                                        clock->ruler_cost_ticks) /
                        costs->cycles_per_tick;
        if (scale > CALIBRATE_FREQUENCY || CALIBRATE_FREQUENCY * scale < 1)
                return;
        for (size_t loop = 0; loop < _LOOP_N; loop++)
                costs_read(costs, loop, scale);
        costs->n++;
}

static bool costs_have_enough(const Costs *costs) {
        for (size_t i = 0; i < _LOOP_N; i++)
                if (costs->n_quiet[i] < CALIBRATE_QUIET_MIN)
                        return false;
        return true;
}

/* The ticks of a batch: the mean of the lowest cluster, among batches that had the core alone if there are enough. */
static double costs_level(Costs *costs, size_t loop) {
        const bool quiet = costs->n_quiet[loop] >= CALIBRATE_QUIET_MIN;
        double *ticks = quiet ? costs->quiet[loop] : costs->ticks[loop];
        const size_t n = quiet ? costs->n_quiet[loop] : costs->n;

        return cluster_mean(cluster_lowest(ticks, n, CALIBRATE_COST_WIDTH, costs->clock->quantum_ticks));
}

/* The present cycles per tick: the core may have left the frequency at which the ruler was found. */
static double calibrate_cycles_per_tick(const ClockFacts *clock) {
        double rulers[CALIBRATE_FREQUENCY_RULERS];

        for (size_t i = 0; i < CALIBRATE_FREQUENCY_RULERS; i++)
                rulers[i] = ruler_run(clock->ruler_turns);
        return ruler_cycles_per_tick(clock->ruler_turns,
                        cluster_mean(cluster_lowest(rulers, CALIBRATE_FREQUENCY_RULERS, CALIBRATE_FREQUENCY, 0)),
                        clock->ruler_cost_ticks);
}

static int calibrate_costs(const RunnerPlan *plan, Window *window, double cycles_per_tick, ClockFacts *clock) {
        _cleanup_(costs_freep) Costs *costs = NULL;
        size_t n_rows = 0;
        int r;

        if (clock->ruler_turns > 0)
                cycles_per_tick = calibrate_cycles_per_tick(clock);
        r = costs_new(plan, clock, cycles_per_tick, &costs);
        if (r)
                return r;
        do {
                window_ensure(window, CALIBRATE_COSTS_NS);
                for (size_t i = 0; i < CALIBRATE_BATCHES; i++)
                        costs_read_row(costs);
                n_rows += CALIBRATE_BATCHES;
        } while (clock->port_chains > 0 && !costs_have_enough(costs) && n_rows < CALIBRATE_BATCHES_MAX);
        if (costs->n < CALIBRATE_QUIET_MIN) {
                clock->batch_cost_ticks = clock->led_cost_ticks = clock->pair_cost_ticks;
                clock->missing |= CLOCK_MISSING_RULER;
                return 0;
        }
        clock->batch_cost_ticks = costs_level(costs, LOOP_EMPTY);
        clock->led_cost_ticks =
                        clock->batch_cost_ticks - costs_level(costs, LOOP_FEW) + costs_level(costs, LOOP_FEW_LED);
        if (clock->led_cost_ticks < 0)
                clock->led_cost_ticks = 0;
        clock->pause_cycles_per_tick = clock->ruler_turns > 0 ? cycles_per_tick : 0;
        clock->pause_cost_ticks =
                        (costs_level(costs, LOOP_PAUSING) - costs_level(costs, LOOP_CHAIN)) / CALIBRATE_PAUSES;
        return 0;
}

/*
 * The count of an empty batch: the mean of the middle half, since counts are nearly constant. 0 if it was not counted.
 */
static int calibrate_counter(const RunnerPlan *plan, unsigned counter, double *ret_cost) {
        _cleanup_(freep) double *counts = calloc(CALIBRATE_COUNTED, sizeof *counts);
        _cleanup_(body_freep) Body *body = NULL;
        size_t n = 0;
        BodyBatch batch;

        if (!counts || body_new(&loops[LOOP_EMPTY].descriptor, plan, 0, BODY_STACK_ASIDE, &body))
                return -ENOMEM;
        body_start(body);
        for (size_t i = 0; i < CALIBRATE_COUNTED; i++) {
                body_run_batch(body, 1, &batch);
                if (batch.usage.pmu.counters & (1u << counter))
                        counts[n++] = batch.usage.pmu.counts[counter];
        }
        *ret_cost = cluster_mean(cluster_middle(counts, n));
        return 0;
}

static int calibrate_counters(const RunnerPlan *plan, ClockFacts *clock) {
        RunnerPlan counted = *plan;
        int r = 0;

        clock->counters = counted.clock.counters = usage_pmu_find();
        for (unsigned i = 0; r == 0 && i < RUNNER_COUNTERS_MAX; i++)
                if (clock->counters & (1u << i))
                        r = calibrate_counter(&counted, i, &clock->counter_cost[i]);
        return r;
}

/* The number of turns of which the clock's step is CALIBRATE_RULER_RESOLUTION. */
static uint32_t ruler_length(const ClockFacts *clock) {
        double turn_ticks = (double)ruler_run(CALIBRATE_RULER_TURNS) / CALIBRATE_RULER_TURNS;
        double turns = clock->quantum_ticks / CALIBRATE_RULER_RESOLUTION / turn_ticks + 1;

        if (turns < CALIBRATE_RULER_TURNS)
                return CALIBRATE_RULER_TURNS;
        return turns < RUNNER_RULER_TURNS_MAX ? turns : RUNNER_RULER_TURNS_MAX;
}

/* Reads more rows if the core was rarely free of a neighbour. */
static int calibrate_ruler(ClockFacts *clock, double *ret_cycles_per_tick) {
        _cleanup_(freep) CalibrateRulerRow *rows = calloc(CALIBRATE_RULERS_MAX, sizeof *rows);
        _cleanup_(freep) double *work = calloc(CALIBRATE_RULERS_MAX, sizeof *work);
        const uint32_t turns = ruler_length(clock);
        size_t n = 0;

        if (!rows || !work)
                return -ENOMEM;
        do {
                for (size_t i = 0; i < CALIBRATE_RULERS; i++)
                        rows[n++] = (CalibrateRulerRow){
                                .once_ticks = ruler_run(turns),
                                .twice_ticks = ruler_run(2 * turns),
                                .multiplied_ticks = ruler_run_multiplications(turns),
                        };
        } while (!calibrate_rows_find_ruler(rows, n, turns, work, clock, ret_cycles_per_tick) &&
                        n < CALIBRATE_RULERS_MAX);
        return 0;
}

static void calibrate_read_probes(const ClockFacts *clock, CalibrateProbeRow *ret_row) {
        ret_row->ruler_ticks = ruler_run(clock->ruler_turns);
        for (uint32_t k = 0; k < 2; k++) {
                ret_row->branch_ticks[k] = probe_branches((k + 1) * PROBE_STEPS);
                for (size_t i = 0; i < CALIBRATE_PORTS; i++)
                        ret_row->ports_ticks[i][k] = probe_ports(calibrate_rows_chains[i], (k + 1) * PROBE_STEPS);
        }
}

/* Reads further rounds, since a neighbour's absence for a moment is enough to find the levels. */
static int calibrate_probes(Window *window, ClockFacts *clock) {
        _cleanup_(freep) CalibrateProbeRow *rows = calloc(CALIBRATE_PROBES_MAX, sizeof *rows);
        _cleanup_(freep) double *work = calloc(CALIBRATE_PROBES_MAX, sizeof *work);
        bool found = false;
        size_t n = 0;

        if (!rows || !work)
                return -ENOMEM;
        while (!found && n < CALIBRATE_PROBES_MAX) {
                window_ensure(window, CALIBRATE_PROBES_NS);
                for (size_t i = 0; i < CALIBRATE_PROBES; i++)
                        calibrate_read_probes(clock, &rows[n++]);
                found = calibrate_rows_find_levels(rows, n, work, clock);
        }
        if (!found)
                calibrate_rows_conclude(rows, n, work, clock);
        return 0;
}

/* Measures the costs of the loop and the ruler, in separate windows, since a ruler must not be interrupted. */
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
        if (r == 0)
                r = calibrate_costs(plan, &window, cycles_per_tick, clock);
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
