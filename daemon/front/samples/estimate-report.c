/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "front/base/message.h"
#include "front/samples/estimate-parts.h"
#include "front/samples/estimate.h"
#include "front/samples/finding.h"
#include "front/samples/trace.h"
#include "front/samples/two-digits.h"
#include "stats/interval.h"
#include "stats/quantile.h"
#include "stats/summary.h"
#include "util/error.h"
#include "util/time.h"

#define ESTIMATE_STEPS_MIN 100 /* of the clock in a batch: fewer read it to over 1 % */

/* The median over the processes of the double at @offset; NaN where no process has one. */
static int processes_median(const Estimate *estimate, size_t offset, double *ret_median) {
        _cleanup_(freep) double *values = NULL;
        size_t n = 0;

        values = malloc(estimate->n_processes * sizeof *values);
        if (!values)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < estimate->n_processes; i++) {
                double value = *(const double *)((const char *)&estimate->processes[i] + offset);

                if (isfinite(value))
                        values[n++] = value;
        }
        *ret_median = n > 0 ? median_of(values, n) : NAN;
        return 0;
}

static int report_time(Estimate *estimate, double step_ns, Arena *arena, Benchd__BenchmarkResult *result,
                TextList *warnings) {
        QuantityFloor floor = {};
        int r;

        r = quantity_report(&estimate->time_ns, step_ns, arena, &result->time_ns, &floor);
        if (r)
                return error_trace(r);
        message_set(result, below_noise_floor, floor.below);
        message_set(result, within_loop_cost, floor.within_loop);
        return 0;
}

/* Where the count is given, nothing makes a batch long enough. */
static void report_steps(const Estimate *estimate, double step_ns, double point_ns, Arena *arena, TextList *warnings) {
        const double steps = fmax(point_ns, 0) / step_ns;

        if (steps < ESTIMATE_STEPS_MIN && !estimate->takes_off_loop)
                text_list_add(warnings, arena,
                                "a batch lasts %.10g steps of the clock: too short to be told to 1 %%. Give it more iterations, or "
                                "more work in each",
                                two_digits(steps));
}

static double interval_of(const Benchd__Quantity *quantity) {
        return quantity->has_low && quantity->low > 0 ? log(quantity->high / quantity->low) : NAN;
}

static int report_disturbance(const Estimate *estimate, Arena *arena, Benchd__BenchmarkResult *result,
                TextList *warnings) {
        conduct_report(&estimate->conduct, arena, warnings);
        return error_trace(disturbance_report(&estimate->disturbance, quantity_is_alone(&estimate->time_ns), arena,
                        &result->disturbed, warnings));
}

/* Beside a busy neighbour times vary as it comes and goes: that is said, and nothing is looked for in them. */
static int find_spread(const Estimate *estimate, SpreadFound *ret_found) {
        const bool alone = quantity_is_alone(&estimate->time_ns);
        _cleanup_(freep) double *medians = NULL;
        size_t n;
        int r;

        r = estimate_medians_ns(estimate, &medians, &n);
        if (r == 0)
                r = spread_find(&estimate->spread, alone, medians, ret_found);
        if (r)
                return error_trace(r);
        if (disturbance_judge(&estimate->disturbance, alone) == DISTURBANCE_SHARED) {
                ret_found->within.n = ret_found->between.n = 0;
                ret_found->drift = (Drift){ .change = NAN, .p_value = NAN };
        }
        return 0;
}

static int report_spread(const Estimate *estimate, double step_ns, Arena *arena, Benchd__BenchmarkResult *result,
                TextList *warnings) {
        FindingFacts facts = {
                .interval = interval_of(result->time_ns),
                .step = step_ns / result->time_ns->point,
                .mean = NAN,
                .median = NAN,
                .shared = disturbance_judge(&estimate->disturbance, quantity_is_alone(&estimate->time_ns)) ==
                          DISTURBANCE_SHARED,
        };
        SampleSummary summary;
        SpreadFound found;
        int r;

        r = find_spread(estimate, &found);
        if (r == 0)
                r = spread_report(&found, arena, result);
        if (r == 0)
                r = quantity_summarize(&estimate->time_ns, &summary);
        if (r)
                return error_fold(r);
        facts.spread = &found;
        if (summary.median > 0) {
                facts.mean = summary.mean;
                facts.median = summary.median;
        }
        finding_report(&facts, arena, warnings);
        return 0;
}

/* @alone: the headline is of quiet samples, and one that gave no median of these is not in it. */
static int report_process(const EstimateProcess *of, bool alone, Arena *arena, Benchd__ProcessResult **ret_process) {
        const bool counts = of->quiet || !alone;
        Benchd__ProcessResult *process = message_new(arena, Benchd__ProcessResult, benchd__process_result);

        if (!process)
                return error_origin(-ENOMEM);
        message_set_finite(process, median_ns, counts ? of->median_ns : NAN);
        message_set_finite(process, median_cycles, counts ? of->median_cycles : NAN);
        message_set_finite(process, core_hz, of->core_hz);
        message_set_finite(process, disturbed, of->shares.disturbed);
        message_set_finite(process, shared, of->shares.shared);
        message_set_finite(process, quiet, of->shares.quiet);
        message_set_whole(process, iterations, of->iterations);
        message_set(process, stack_offset, of->stack_offset_bytes);
        message_set(process, environment_bytes, of->environment_bytes);
        message_set(process, loop_offset, of->loop_offset);
        message_set(process, image_offset, of->image_offset_bytes);
        *ret_process = process;
        return error_trace(trace_report(of->trace, of->n_trace, arena, process));
}

static int report_processes(const Estimate *estimate, Arena *arena, Benchd__BenchmarkResult *result) {
        const bool alone = quantity_is_alone(&estimate->time_ns);
        size_t n = estimate->n_processes;
        int r = 0;

        result->processes = arena_zero(arena, n * sizeof *result->processes);
        if (!result->processes)
                return error_origin(-ENOMEM);
        for (; result->n_processes < n && r == 0; result->n_processes++)
                r = report_process(&estimate->processes[result->n_processes], alone, arena,
                                &result->processes[result->n_processes]);
        return error_trace(r);
}

static int report_counters(const Estimate *estimate, Arena *arena, Benchd__BenchmarkResult *result) {
        result->counters = arena_zero(arena, SAMPLE_BLOCK_COUNTERS_MAX * sizeof *result->counters);
        if (!result->counters)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < estimate->n_counters; i++) {
                Benchd__Counter *counter = message_new(arena, Benchd__Counter, benchd__counter);

                if (!counter)
                        return error_origin(-ENOMEM);
                counter->name = arena_text(arena, estimate->counters[i].name);
                message_set_finite(counter, value, estimate->counters[i].sum / estimate->counters[i].n);
                result->counters[result->n_counters++] = counter;
        }
        return 0;
}

static int report_medians(const Estimate *estimate, Benchd__BenchmarkResult *result) {
        double first_call_ns, warmup_ms, error_ns, iterations;
        int r;

        r = processes_median(estimate, offsetof(EstimateProcess, first_call_ns), &first_call_ns);
        if (r == 0)
                r = processes_median(estimate, offsetof(EstimateProcess, warmup_ms), &warmup_ms);
        if (r == 0)
                r = processes_median(estimate, offsetof(EstimateProcess, error_ns), &error_ns);
        if (r == 0)
                r = processes_median(estimate, offsetof(EstimateProcess, iterations), &iterations);
        if (r)
                return error_trace(r);
        message_set_finite(result, first_call_ns, first_call_ns);
        message_set_finite(result, warmup_ms, warmup_ms);
        message_set_finite(result, harness_error_ns, error_ns);
        message_set_finite(result, iterations_per_sample, iterations);
        return 0;
}

/* The core's counters count; only what the clock timed comes in its steps. */
static int report_cycles(Estimate *estimate, double step_ns, Arena *arena, Benchd__BenchmarkResult *result) {
        Quantity *counted = core_counts_cycles(&estimate->counts), *cycles = counted ? counted : &estimate->cycles;
        QuantityFloor floor;
        double core_hz;
        int r;

        r = core_counts_report(&estimate->counts, arena, &result->pmu);
        if (r)
                return error_trace(r);

        if (!quantity_is_known(cycles)) {
                result->cycles = message_new(arena, Benchd__Quantity, benchd__quantity);
                if (!result->cycles)
                        return error_origin(-ENOMEM);
                message_set(result->cycles, source, BENCHD__QUANTITY__SOURCE__UNAVAILABLE);
                return 0;
        }
        r = processes_median(estimate, offsetof(EstimateProcess, core_hz), &core_hz);
        if (r == 0)
                r = quantity_report(cycles, counted ? 0 : step_ns * core_hz / NS_PER_S, arena, &result->cycles, &floor);
        if (r)
                return error_trace(r);
        message_set(result->cycles, source, counted ? BENCHD__QUANTITY__SOURCE__PMU : BENCHD__QUANTITY__SOURCE__RULER);
        message_set_finite(result, core_hz, core_hz);
        return 0;
}

static void report_counts(const Estimate *estimate, Arena *arena, Benchd__BenchmarkResult *result, TextList *warnings) {
        bool traced;

        message_set(result, ops_per_iteration, estimate->ops_per_iteration);
        message_set(result, samples, quantity_count(&estimate->time_ns));
        message_set_whole(result, operations_total, estimate->operations);
        message_set(result, iterations_total, estimate->iterations);
        message_set_whole(result, elapsed_ns, estimate->elapsed_ns);
        message_set(result, cpu_user_ns, estimate->user_ns);
        message_set(result, cpu_system_ns, estimate->system_ns);
        if (conduct_traced(&estimate->conduct, &traced) == 0)
                message_set(result, debugger_attached, traced);
        if (estimate->inputs_max)
                text_list_add(warnings, arena,
                                "a batch is shorter than wanted: %u prepared inputs fill half of the second-level cache. "
                                "Smaller ones make it longer",
                                estimate->inputs_max);
        if (2 * estimate->n_rises > estimate->n_processes)
                text_list_add(warnings, arena,
                                "an iteration takes %.2g times as long in the longest batch as in shorter ones: each leaves the next "
                                "more to do. Give it a .reset, or a fixed count (--iterations)",
                                estimate->rise);
        if (estimate->crowded)
                text_list_add(warnings, arena,
                                "a batch is shorter than wanted: what is not timed takes most of the budget (pauses, filling of inputs, "
                                "the other side of a comparison). Do less there, or give it more (--budget)");
        if (estimate->long_batches)
                text_list_add(warnings, arena,
                                "a batch is longer than a window of SCHED_FIFO, so it ran without: pinned, not "
                                "undisturbed. Make it shorter (--min-time, --iterations, or less work in each)");
}

int estimate_report(Estimate *estimate, Arena *arena, Benchd__BenchmarkResult *result, TextList *warnings) {
        double step_ns;
        int r;

        report_counts(estimate, arena, result, warnings);
        r = processes_median(estimate, offsetof(EstimateProcess, step_ns), &step_ns);
        if (r == 0)
                r = report_time(estimate, step_ns, arena, result, warnings);
        if (r)
                return error_trace(r);
        report_steps(estimate, step_ns, result->time_ns->point, arena, warnings);
        if (r == 0)
                r = report_medians(estimate, result);
        if (r == 0)
                r = report_processes(estimate, arena, result);
        if (r == 0)
                r = report_counters(estimate, arena, result);
        if (r == 0)
                r = throughput_report(&estimate->throughput, quantity_is_alone(&estimate->time_ns), arena,
                                &result->throughput);
        if (r == 0)
                r = report_cycles(estimate, step_ns, arena, result);
        if (r == 0)
                r = report_disturbance(estimate, arena, result, warnings);
        if (r == 0)
                r = report_spread(estimate, step_ns, arena, result, warnings);
        return error_trace(r);
}
