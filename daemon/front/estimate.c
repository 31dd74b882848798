/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/estimate.h"

#include <stdlib.h>
#include <string.h>

#include "front/message.h"
#include "stats/interval.h"
#include "stats/quantile.h"
#include "stats/summary.h"
#include "util/error.h"
#include "util/time.h"

#define ESTIMATE_CONFIDENCE 0.95

typedef struct EstimateProcess {
        double median_ns;
        double first_call_ns; /* NaN: none was taken */
        double warmup_ms;
        double error_ns;
        double iterations; /* a batch */
        uint32_t stack_offset_bytes;
        uint32_t environment_bytes;
} EstimateProcess;

typedef struct EstimateCounter {
        char name[RUNNER_NAME_MAX];
        double sum;
        uint32_t n;
} EstimateCounter;

struct Estimate {
        double *samples_ns; /* of all processes */
        size_t n_samples;
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
};

int estimate_new(Estimate **ret_estimate) {
        Estimate *estimate;

        estimate = calloc(1, sizeof *estimate);
        if (!estimate)
                return error_origin(-ENOMEM);
        *ret_estimate = estimate;
        return 0;
}

Estimate *estimate_free(Estimate *estimate) {
        if (!estimate)
                return NULL;
        free(estimate->samples_ns);
        free(estimate->processes);
        free(estimate);
        return NULL;
}

size_t estimate_count(const Estimate *estimate) {
        return estimate->n_processes;
}

/* ---- one process */

static int estimate_reserve(Estimate *estimate, size_t n_samples) {
        EstimateProcess *processes;
        double *samples;

        samples = realloc(estimate->samples_ns, (estimate->n_samples + n_samples) * sizeof *samples);
        if (!samples)
                return error_origin(-ENOMEM);
        estimate->samples_ns = samples;

        processes = realloc(estimate->processes, (estimate->n_processes + 1) * sizeof *processes);
        if (!processes)
                return error_origin(-ENOMEM);
        estimate->processes = processes;
        return 0;
}

static double ticks_to_ns(double ticks, const ClockFacts *clock) {
        return ticks / clock->hz * NS_PER_S;
}

static double sample_ns(const Sample *sample, double ops, const ClockFacts *clock) {
        double ticks = (double)(sample->ticks - sample->paused_ticks) - clock->batch_cost_ticks;

        return ticks_to_ns(ticks, clock) / sample->iterations / ops;
}

static void estimate_add_samples(Estimate *estimate, const SampleBlock *block, const ClockFacts *clock) {
        for (uint32_t i = 0; i < block->n_samples; i++) {
                const Sample *sample = &block->samples[i];

                estimate->samples_ns[estimate->n_samples++] = sample_ns(sample, block->ops_per_iteration, clock);
                estimate->iterations += sample->iterations;
                estimate->operations += sample->iterations * block->ops_per_iteration;
                estimate->elapsed_ns += ticks_to_ns(sample->ticks, clock);
        }
}

static void estimate_add_process(Estimate *estimate, const SampleBlock *block, const ClockFacts *clock,
                double median_ns) {
        double per_batch = (double)block->samples[block->n_samples - 1].iterations * block->ops_per_iteration;
        double first_ticks = block->first_call_ticks - clock->batch_cost_ticks;

        estimate->processes[estimate->n_processes++] = (EstimateProcess){
                .median_ns = median_ns,
                .first_call_ns = block->first_call_ticks > 0 ? ticks_to_ns(first_ticks, clock) : NAN,
                .warmup_ms = ticks_to_ns(block->warmup_ticks, clock) / NS_PER_MS,
                .error_ns = ticks_to_ns(clock->quantum_ticks + clock->batch_cost_ticks, clock) / per_batch,
                .iterations = block->iterations,
                .stack_offset_bytes = block->stack_offset_bytes,
                .environment_bytes = block->environment_bytes,
        };
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

/* The median of samples, which keep their order. */
static int samples_median(const double *samples, size_t n, double *ret_median) {
        _cleanup_(freep) double *copy = NULL;

        copy = malloc(n * sizeof *copy);
        if (!copy)
                return error_origin(-ENOMEM);
        memcpy(copy, samples, n * sizeof *copy);
        *ret_median = median_of(copy, n);
        return 0;
}

int estimate_add(Estimate *estimate, const SampleBlock *block, const ClockFacts *clock) {
        size_t first = estimate->n_samples;
        double median_ns = NAN;
        int r;

        r = estimate_reserve(estimate, block->n_samples);
        if (r)
                return error_trace(r);
        estimate_add_samples(estimate, block, clock);
        r = samples_median(estimate->samples_ns + first, block->n_samples, &median_ns);
        if (r)
                return error_trace(r);
        estimate_add_process(estimate, block, clock, median_ns);
        for (uint32_t i = 0; i < block->n_counters; i++)
                estimate_add_counter(estimate, &block->counters[i]);

        estimate->ops_per_iteration = block->ops_per_iteration;
        estimate->items_per_iteration = block->items_per_iteration;
        estimate->bytes_per_iteration = block->bytes_per_iteration;
        estimate->user_ns += block->user_ns;
        estimate->system_ns += block->system_ns;
        estimate->debugger_attached |= block->debugger_attached != 0;
        estimate->long_batches |= block->long_batches != 0;
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

static int estimate_headline(const Estimate *estimate, MeanInterval *ret_interval, bool *ret_positive) {
        _cleanup_(freep) double *medians = NULL;
        int r;

        medians = malloc(estimate->n_processes * sizeof *medians);
        if (!medians)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < estimate->n_processes; i++)
                medians[i] = estimate->processes[i].median_ns;

        r = log_mean_interval(medians, estimate->n_processes, ESTIMATE_CONFIDENCE, ret_interval);
        *ret_positive = r != INTERVAL_E_NOT_POSITIVE;
        if (r == INTERVAL_E_NOT_POSITIVE)
                r = mean_interval(medians, estimate->n_processes, ESTIMATE_CONFIDENCE, ret_interval);
        return error_fold(r);
}

static Benchd__Summary *report_summary(const SampleSummary *of, Arena *arena) {
        Benchd__Summary *summary = message_new(arena, Benchd__Summary, benchd__summary);

        if (!summary)
                return NULL;
        message_set(summary, samples, of->n);
        message_set_finite(summary, min, of->min);
        message_set_finite(summary, p1, of->p1);
        message_set_finite(summary, p5, of->p5);
        message_set_finite(summary, p25, of->p25);
        message_set_finite(summary, median, of->median);
        message_set_finite(summary, p75, of->p75);
        message_set_finite(summary, p95, of->p95);
        message_set_finite(summary, p99, of->p99);
        message_set_finite(summary, max, of->max);
        message_set_finite(summary, mean, of->mean);
        message_set_finite(summary, stddev, of->stddev);
        message_set_finite(summary, mad, of->mad);
        message_set_finite(summary, best, of->best);
        message_set_finite(summary, trimmed_mean, of->trimmed_mean);
        return summary;
}

static int report_time(Estimate *estimate, Arena *arena, Benchd__BenchmarkResult *result, TextList *warnings) {
        Benchd__Quantity *time = message_new(arena, Benchd__Quantity, benchd__quantity);
        MeanInterval interval;
        SampleSummary summary;
        bool positive = true;
        int r;

        if (!time)
                return error_origin(-ENOMEM);
        r = estimate_headline(estimate, &interval, &positive);
        if (r)
                return error_trace(r);
        r = sample_summarize(estimate->samples_ns, estimate->n_samples, &summary);
        if (r)
                return error_fold(r);

        message_set_finite(time, point, interval.point);
        message_set_finite(time, low, interval.low);
        message_set_finite(time, high, interval.high);
        time->raw = report_summary(&summary, arena);
        result->time_ns = time;
        message_set(result, below_noise_floor, !positive);
        if (!positive)
                text_list_add(warnings, arena, "below the noise floor: a batch took no longer than an empty one");
        if (estimate->n_processes < INTERVAL_N_MIN)
                text_list_add(warnings, arena,
                                "no interval: measured in %zu process%s, and the spread between them takes %u to see",
                                estimate->n_processes, estimate->n_processes == 1 ? "" : "es", INTERVAL_N_MIN);
        return 0;
}

static int report_processes(const Estimate *estimate, Arena *arena, Benchd__BenchmarkResult *result) {
        size_t n = estimate->n_processes;

        result->processes = arena_zero(arena, n * sizeof *result->processes);
        if (!result->processes)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < n; i++) {
                const EstimateProcess *of = &estimate->processes[i];
                Benchd__ProcessResult *process;

                process = message_new(arena, Benchd__ProcessResult, benchd__process_result);
                if (!process)
                        return error_origin(-ENOMEM);
                message_set_finite(process, median_ns, of->median_ns);
                message_set(process, iterations, of->iterations);
                message_set(process, stack_offset, of->stack_offset_bytes);
                message_set(process, environment_bytes, of->environment_bytes);
                result->processes[result->n_processes++] = process;
        }
        return 0;
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
        double iterations_per_second = NS_PER_S / (result->time_ns->point * estimate->ops_per_iteration);
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

static int report_cycles(Arena *arena, Benchd__BenchmarkResult *result) {
        result->cycles = message_new(arena, Benchd__Quantity, benchd__quantity);
        if (!result->cycles)
                return error_origin(-ENOMEM);
        message_set(result->cycles, source, BENCHD__QUANTITY__SOURCE__UNAVAILABLE);
        return 0;
}

static void report_counts(const Estimate *estimate, Arena *arena, Benchd__BenchmarkResult *result, TextList *warnings) {
        message_set(result, ops_per_iteration, estimate->ops_per_iteration);
        message_set(result, samples, estimate->n_samples);
        message_set(result, operations_total, estimate->operations);
        message_set(result, iterations_total, estimate->iterations);
        message_set(result, elapsed_ns, estimate->elapsed_ns);
        message_set(result, cpu_user_ns, estimate->user_ns);
        message_set(result, cpu_system_ns, estimate->system_ns);
        message_set(result, debugger_attached, estimate->debugger_attached);
        if (estimate->debugger_attached)
                text_list_add(warnings, arena, "a debugger was attached");
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
                r = report_cycles(arena, result);
        return error_trace(r);
}
