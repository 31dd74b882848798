/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/estimate.h"

#include <stdlib.h>
#include <string.h>

#include "clock/ruler.h"
#include "front/conduct.h"
#include "front/core-counts.h"
#include "front/disturbance.h"
#include "front/message.h"
#include "front/quantity.h"
#include "front/trace.h"
#include "stats/interval.h"
#include "stats/quantile.h"
#include "util/error.h"
#include "util/time.h"

#define ESTIMATE_CYCLES_BATCH_NS (10 * NS_PER_MS) /* over a longer batch two rulers say nothing of the frequency */

#define ESTIMATE_LINE_BYTES 64 /* of a cache */

typedef struct EstimateProcess {
        double median_ns;
        double median_cycles; /* NaN: unavailable */
        double core_hz;       /* NaN: unavailable */
        double disturbed;     /* share of its samples; NaN: no detector worked */
        double first_call_ns; /* NaN: none was taken */
        double warmup_ms;
        double error_ns;
        double iterations; /* a batch */
        uint32_t stack_offset_bytes;
        uint32_t environment_bytes;
        uint32_t loop_offset;
        uint32_t n_trace;
        TracePhase trace[RUNNER_TRACE_MAX];
} EstimateProcess;

typedef struct EstimateCounter {
        char name[RUNNER_NAME_MAX];
        double sum;
        uint32_t n;
} EstimateCounter;

struct Estimate {
        Quantity time_ns;
        Quantity cycles;
        Disturbance disturbance;
        Conduct conduct;
        CoreCounts counts;
        EstimateProcess *processes;
        size_t n_processes;
        EstimateCounter counters[SAMPLE_BLOCK_COUNTERS_MAX];
        size_t n_counters;
        double ops_per_iteration;
        double items_per_iteration;
        double bytes_per_iteration;
        double operations;
        uint64_t iterations;
        double elapsed_ns;
        uint64_t user_ns;
        uint64_t system_ns;
        bool debugger_attached;
        bool long_batches;
        bool takes_off_loop;
        uint32_t inputs_max; /* where they bounded a batch */
};

int estimate_new(Estimate **ret_estimate) {
        Estimate *estimate;

        estimate = calloc(1, sizeof *estimate);
        if (!estimate)
                return error_origin(-ENOMEM);
        *ret_estimate = estimate;
        return 0;
}

void estimate_take_off_loop(Estimate *estimate) {
        estimate->takes_off_loop = true;
}

Estimate *estimate_free(Estimate *estimate) {
        if (!estimate)
                return NULL;
        quantity_deinit(&estimate->time_ns);
        quantity_deinit(&estimate->cycles);
        core_counts_deinit(&estimate->counts);
        free(estimate->processes);
        free(estimate);
        return NULL;
}

size_t estimate_count(const Estimate *estimate) {
        return estimate->n_processes;
}

/* ---- one process */

static int estimate_reserve(Estimate *estimate, const SampleBlock *block) {
        EstimateProcess *processes;
        int r;

        r = quantity_reserve(&estimate->time_ns, block->n_samples, block->n_loop_samples);
        if (r == 0)
                r = quantity_reserve(&estimate->cycles, block->n_samples, block->n_loop_samples);
        if (r)
                return error_trace(r);
        processes = realloc(estimate->processes, (estimate->n_processes + 1) * sizeof *processes);
        if (!processes)
                return error_origin(-ENOMEM);
        estimate->processes = processes;
        return 0;
}

static double ticks_to_ns(double ticks, const ClockFacts *clock) {
        return ticks / clock->hz * NS_PER_S;
}

double estimate_sample_ns(const Sample *sample, double ops, const ClockFacts *clock) {
        double ticks = (double)(sample->ticks - sample->paused_ticks) - clock->batch_cost_ticks;

        return ticks_to_ns(ticks, clock) / sample->iterations / ops;
}

/* The core's frequency while @sample ran, by the rulers beside it; NaN where they cannot say. */
static double sample_core_hz(const Sample *sample, const ClockFacts *clock) {
        double ticks = ((double)sample->ruler_before_ticks + sample->ruler_after_ticks) / 2;

        if (clock->ruler_turns == 0 || sample->ruler_before_ticks == 0 || sample->ruler_after_ticks == 0 ||
                        ticks <= clock->ruler_cost_ticks ||
                        ticks_to_ns(sample->ticks, clock) > ESTIMATE_CYCLES_BATCH_NS)
                return NAN;
        return ruler_core_hz(clock->ruler_turns, ticks, clock->ruler_cost_ticks, clock->hz);
}

/* What the empty loop took, in each quantity; 0 where none was timed. */
typedef struct LoopCost {
        double ns;
        double cycles;
} LoopCost;

/* By the medians over its batches; no cycles unless all have them. */
static LoopCost block_loop_cost(const SampleBlock *block, const ClockFacts *clock) {
        double ns[RUNNER_LOOP_SAMPLES_MAX], cycles[RUNNER_LOOP_SAMPLES_MAX];
        bool known = true;
        LoopCost cost = {};

        for (uint32_t i = 0; i < block->n_loop_samples; i++) {
                ns[i] = estimate_sample_ns(&block->loop_samples[i], block->ops_per_iteration, clock);
                cycles[i] = ns[i] * sample_core_hz(&block->loop_samples[i], clock) / NS_PER_S;
                known &= isfinite(cycles[i]);
        }
        if (block->n_loop_samples == 0)
                return cost;
        cost.ns = median_of(ns, block->n_loop_samples);
        cost.cycles = known ? median_of(cycles, block->n_loop_samples) : NAN;
        return cost;
}

static void estimate_add_samples(Estimate *estimate, const SampleBlock *block, const ClockFacts *clock) {
        const LoopCost off = estimate->takes_off_loop ? block_loop_cost(block, clock) : (LoopCost){};

        for (uint32_t i = 0; i < block->n_samples; i++) {
                const Sample *sample = &block->samples[i];
                double ns = estimate_sample_ns(sample, block->ops_per_iteration, clock);
                double core_hz = sample_core_hz(sample, clock);
                bool undisturbed = disturbance_is_none(sample);

                quantity_add(&estimate->time_ns, ns - off.ns, undisturbed);
                if (isfinite(core_hz) && isfinite(off.cycles))
                        quantity_add(&estimate->cycles, ns * core_hz / NS_PER_S - off.cycles, undisturbed);
                estimate->iterations += sample->iterations;
                estimate->operations += sample->iterations * block->ops_per_iteration;
                estimate->elapsed_ns += ticks_to_ns(sample->ticks, clock);
        }
}

static void estimate_add_loop_samples(Estimate *estimate, const SampleBlock *block, const ClockFacts *clock) {
        for (uint32_t i = 0; i < block->n_loop_samples; i++) {
                const Sample *sample = &block->loop_samples[i];
                double ns = estimate_sample_ns(sample, block->ops_per_iteration, clock);
                double core_hz = sample_core_hz(sample, clock);

                quantity_add_loop(&estimate->time_ns, ns);
                if (isfinite(core_hz))
                        quantity_add_loop(&estimate->cycles, ns * core_hz / NS_PER_S);
        }
}

static EstimateProcess *estimate_add_process(Estimate *estimate, const SampleBlock *block, const ClockFacts *clock) {
        double per_batch = (double)block->samples[block->n_samples - 1].iterations * block->ops_per_iteration;
        double first_ticks = block->first_call_ticks - clock->batch_cost_ticks;
        EstimateProcess *process = &estimate->processes[estimate->n_processes++];

        *process = (EstimateProcess){
                .first_call_ns = block->first_call_ticks > 0 ? ticks_to_ns(first_ticks, clock) : NAN,
                .warmup_ms = ticks_to_ns(block->warmup_ticks, clock) / NS_PER_MS,
                .error_ns = ticks_to_ns(clock->quantum_ticks + clock->batch_cost_ticks, clock) / per_batch,
                .iterations = block->iterations,
                .stack_offset_bytes = block->stack_offset_bytes,
                .environment_bytes = block->environment_bytes,
                .loop_offset = block->loop_address % ESTIMATE_LINE_BYTES,
                .n_trace = block->n_trace,
        };
        memcpy(process->trace, block->trace, sizeof process->trace);
        return process;
}

static int estimate_end_process(Estimate *estimate, EstimateProcess *process) {
        int r;

        r = quantity_end_process(&estimate->time_ns, &process->median_ns);
        if (r == 0)
                r = quantity_end_process(&estimate->cycles, &process->median_cycles);
        if (r)
                return error_trace(r);
        process->core_hz = process->median_ns > 0 ? process->median_cycles / process->median_ns * NS_PER_S : NAN;
        return 0;
}

static void estimate_add_counter(Estimate *estimate, const SampleCounter *counter) {
        EstimateCounter *mine = NULL;

        for (size_t i = 0; i < estimate->n_counters && !mine; i++)
                if (strcmp(estimate->counters[i].name, counter->name) == 0)
                        mine = &estimate->counters[i];
        if (!mine && estimate->n_counters == SAMPLE_BLOCK_COUNTERS_MAX)
                return;
        if (!mine) {
                mine = &estimate->counters[estimate->n_counters++];
                memcpy(mine->name, counter->name, sizeof mine->name);
        }
        mine->sum += counter->value;
        mine->n++;
}

int estimate_add(Estimate *estimate, const SampleBlock *block, const ClockFacts *clock) {
        EstimateProcess *process;
        int r;

        r = estimate_reserve(estimate, block);
        if (r)
                return error_trace(r);
        estimate_add_samples(estimate, block, clock);
        if (!estimate->takes_off_loop)
                estimate_add_loop_samples(estimate, block, clock);
        process = estimate_add_process(estimate, block, clock);
        r = estimate_end_process(estimate, process);
        if (r)
                return error_trace(r);
        r = disturbance_add_process(&estimate->disturbance, block, clock, process->median_ns, &process->disturbed);
        if (r == 0)
                r = core_counts_add(&estimate->counts, block, clock);
        if (r)
                return error_trace(r);
        conduct_add(&estimate->conduct, block);
        for (uint32_t i = 0; i < block->n_counters; i++)
                estimate_add_counter(estimate, &block->counters[i]);

        estimate->ops_per_iteration = block->ops_per_iteration;
        estimate->items_per_iteration = block->items_per_iteration;
        estimate->bytes_per_iteration = block->bytes_per_iteration;
        estimate->user_ns += block->user_ns;
        estimate->system_ns += block->system_ns;
        estimate->debugger_attached |= block->debugger_attached != 0;
        estimate->long_batches |= block->long_batches != 0;
        if (block->inputs_max > 0 && block->iterations == block->inputs_max)
                estimate->inputs_max = block->inputs_max;
        return 0;
}

/* ---- all of them */

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

static int report_time(Estimate *estimate, Arena *arena, Benchd__BenchmarkResult *result, TextList *warnings) {
        QuantityFloor floor = {};
        int r;

        r = quantity_report(&estimate->time_ns, arena, &result->time_ns, &floor);
        if (r)
                return error_trace(r);
        message_set(result, below_noise_floor, floor.below);
        message_set(result, within_loop_cost, floor.within_loop);
        if (estimate->n_processes < INTERVAL_N_MIN)
                text_list_add(warnings, arena,
                                "no interval: measured in %zu process%s, and the spread between them takes %u to see",
                                estimate->n_processes, estimate->n_processes == 1 ? "" : "es", INTERVAL_N_MIN);
        return 0;
}

static int report_disturbance(const Estimate *estimate, Arena *arena, Benchd__BenchmarkResult *result,
                TextList *warnings) {
        const Benchd__Quantity *time_ns = result->time_ns;
        double interval = time_ns->has_low && time_ns->low > 0 ? log(time_ns->high / time_ns->low) : NAN;

        conduct_report(&estimate->conduct, arena, warnings);
        return error_trace(disturbance_report(&estimate->disturbance, interval, arena, &result->disturbed, warnings));
}

static int report_process(const EstimateProcess *of, Arena *arena, Benchd__ProcessResult **ret_process) {
        Benchd__ProcessResult *process = message_new(arena, Benchd__ProcessResult, benchd__process_result);

        if (!process)
                return error_origin(-ENOMEM);
        message_set_finite(process, median_ns, of->median_ns);
        message_set_finite(process, median_cycles, of->median_cycles);
        message_set_finite(process, core_hz, of->core_hz);
        message_set_finite(process, disturbed, of->disturbed);
        message_set(process, iterations, of->iterations);
        message_set(process, stack_offset, of->stack_offset_bytes);
        message_set(process, environment_bytes, of->environment_bytes);
        message_set(process, loop_offset, of->loop_offset);
        *ret_process = process;
        return error_trace(trace_report(of->trace, of->n_trace, arena, process));
}

static int report_processes(const Estimate *estimate, Arena *arena, Benchd__BenchmarkResult *result) {
        size_t n = estimate->n_processes;
        int r = 0;

        result->processes = arena_zero(arena, n * sizeof *result->processes);
        if (!result->processes)
                return error_origin(-ENOMEM);
        for (; result->n_processes < n && r == 0; result->n_processes++)
                r = report_process(&estimate->processes[result->n_processes], arena,
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

static int report_throughput(const Estimate *estimate, Arena *arena, Benchd__BenchmarkResult *result) {
        double iterations_per_second =
                        result->threads * NS_PER_S / (result->time_ns->point * estimate->ops_per_iteration);
        Benchd__Throughput *throughput;

        if (result->time_ns->point <= 0 || (estimate->items_per_iteration <= 0 && estimate->bytes_per_iteration <= 0))
                return 0;
        throughput = message_new(arena, Benchd__Throughput, benchd__throughput);
        if (!throughput)
                return error_origin(-ENOMEM);
        if (estimate->items_per_iteration > 0)
                message_set_finite(throughput, items_per_second, estimate->items_per_iteration * iterations_per_second);
        if (estimate->bytes_per_iteration > 0)
                message_set_finite(throughput, bytes_per_second, estimate->bytes_per_iteration * iterations_per_second);
        result->throughput = throughput;
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

static int report_cycles(Estimate *estimate, Arena *arena, Benchd__BenchmarkResult *result) {
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
        r = quantity_report(cycles, arena, &result->cycles, &floor);
        if (r == 0)
                r = processes_median(estimate, offsetof(EstimateProcess, core_hz), &core_hz);
        if (r)
                return error_trace(r);
        message_set(result->cycles, source, counted ? BENCHD__QUANTITY__SOURCE__PMU : BENCHD__QUANTITY__SOURCE__RULER);
        message_set_finite(result, core_hz, core_hz);
        return 0;
}

static void report_counts(const Estimate *estimate, Arena *arena, Benchd__BenchmarkResult *result, TextList *warnings) {
        message_set(result, ops_per_iteration, estimate->ops_per_iteration);
        message_set(result, samples, estimate->time_ns.all.n);
        message_set(result, operations_total, estimate->operations);
        message_set(result, iterations_total, estimate->iterations);
        message_set(result, elapsed_ns, estimate->elapsed_ns);
        message_set(result, cpu_user_ns, estimate->user_ns);
        message_set(result, cpu_system_ns, estimate->system_ns);
        message_set(result, debugger_attached, estimate->debugger_attached);
        if (estimate->debugger_attached)
                text_list_add(warnings, arena, "a debugger was attached");
        if (estimate->inputs_max)
                text_list_add(warnings, arena,
                                "a batch is shorter than wanted: %u prepared inputs fill half of the second-level cache",
                                estimate->inputs_max);
        if (estimate->long_batches)
                text_list_add(warnings, arena,
                                "a batch is longer than a window of SCHED_FIFO, so it ran without: pinned, not undisturbed");
}

int estimate_report(Estimate *estimate, Arena *arena, Benchd__BenchmarkResult *result, TextList *warnings) {
        int r;

        report_counts(estimate, arena, result, warnings);
        r = report_time(estimate, arena, result, warnings);
        if (r == 0)
                r = report_medians(estimate, result);
        if (r == 0)
                r = report_processes(estimate, arena, result);
        if (r == 0)
                r = report_counters(estimate, arena, result);
        if (r == 0)
                r = report_throughput(estimate, arena, result);
        if (r == 0)
                r = report_cycles(estimate, arena, result);
        if (r == 0)
                r = report_disturbance(estimate, arena, result, warnings);
        return error_trace(r);
}
