/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/measurement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "front/measurement-parts.h"
#include "front/message.h"
#include "front/method.h"
#include "front/steps.h"
#include "front/turns.h"
#include "util/error.h"
#include "util/time.h"

/* What no budget goes under: an interval takes three. */
#define MEASUREMENT_SAMPLES_MIN   3u
#define MEASUREMENT_PROCESSES_MIN 3u

static void measurement_begin(Measurement *measurement) {
        const RunPlan *plan = measurement->plan;

        measurement->count.benchmarks = plan->n_benchmarks;
        for (size_t i = 0; i < plan->n_benchmarks; i++) {
                MeasuredBenchmark *benchmark = &measurement->benchmarks[i];

                benchmark->processes = plan->benchmarks[i].processes_first;
                benchmark->counts = plan->memory && benchmark->processes > 0;
                measurement->count.processes += benchmark->processes + benchmark->counts;
                measurement->count.failed += plan->benchmarks[i].processes == 0;
                measurement->points_ns[i] = NAN;
        }
}

int measurement_new(RunPlan *plan, Measurement **ret_measurement) {
        Measurement *measurement;

        measurement = calloc(1, sizeof *measurement);
        if (!measurement)
                return error_origin(-ENOMEM);
        measurement->benchmarks = calloc(plan->n_benchmarks, sizeof *measurement->benchmarks);
        measurement->points_ns = calloc(plan->n_benchmarks, sizeof *measurement->points_ns);
        if (!measurement->benchmarks || !measurement->points_ns) {
                free(measurement->benchmarks);
                free(measurement->points_ns);
                free(measurement);
                return error_origin(-ENOMEM);
        }
        measurement->plan = plan;
        measurement_begin(measurement);
        *ret_measurement = measurement;
        return 0;
}

void measured_benchmark_clear(MeasuredBenchmark *benchmark) {
        for (size_t i = 0; i < RUNNER_SIDES_MAX; i++)
                benchmark->estimates[i] = estimate_free(benchmark->estimates[i]);
        benchmark->failure = (free(benchmark->failure), NULL);
        benchmark->memory = (free(benchmark->memory), NULL);
        benchmark->uncounted = (free(benchmark->uncounted), NULL);
        benchmark->output = (free(benchmark->output), NULL);
        benchmark->steps = (free(benchmark->steps), NULL);
}

Measurement *measurement_free(Measurement *measurement) {
        if (!measurement)
                return NULL;
        for (size_t i = 0; i < measurement->plan->n_benchmarks; i++) {
                measured_benchmark_clear(&measurement->benchmarks[i]);
                free(measurement->benchmarks[i].log_ratios);
        }
        free(measurement->benchmarks);
        free(measurement->points_ns);
        run_plan_free(measurement->plan);
        free(measurement);
        return NULL;
}

const RunPlan *measurement_plan(const Measurement *measurement) {
        return measurement->plan;
}

bool measured_benchmark_is_over(const MeasuredBenchmark *benchmark) {
        return benchmark->failed ||
               (benchmark->n_done == benchmark->processes && benchmark->counted == benchmark->counts);
}

static bool measurement_may_skip(const Measurement *measurement, const PlanProcess *process) {
        const MeasuredBenchmark *benchmark = &measurement->benchmarks[process->benchmark];

        return measured_benchmark_is_over(benchmark) || (!process->counts && benchmark->n_done == benchmark->processes);
}

const PlanProcess *measurement_next(Measurement *measurement) {
        const RunPlan *plan = measurement->plan;

        while (measurement->next < plan->n_processes &&
                        measurement_may_skip(measurement, &plan->processes[measurement->next]))
                measurement->next++;
        return measurement->next < plan->n_processes ? &plan->processes[measurement->next] : NULL;
}

static int measured_benchmark_keep_output(MeasuredBenchmark *benchmark, const ModuleOutput *output) {
        benchmark->output_cut |= output->cut;
        if (benchmark->output || output->n == 0)
                return 0;
        benchmark->output = malloc(output->n);
        if (!benchmark->output)
                return error_origin(-ENOMEM);
        memcpy(benchmark->output, output->text, output->n);
        benchmark->n_output = output->n;
        return 0;
}

/* From the first sample's start to the last one's end. */
static double block_sampling_ns(const SampleBlock *block, const ClockFacts *clock) {
        const Sample *last = &block->samples[block->n_samples - 1];

        return (double)(last->start_ticks + last->ticks - block->samples[0].start_ticks) / clock->hz * NS_PER_S;
}

/*
 * Fewer processes where one that took no more samples than it must, by @block, says that all would take longer than the
 * budget. By the first of them and never again, so that what the samples say decides nothing.
 */
static void measurement_shorten(Measurement *measurement, size_t index, const SampleBlock *block,
                const ClockFacts *clock) {
        MeasuredBenchmark *benchmark = &measurement->benchmarks[index];
        double fit = measurement->plan->budget_ns / block_sampling_ns(block, clock);
        uint32_t least = fit > MEASUREMENT_PROCESSES_MIN ? (uint32_t)fit : MEASUREMENT_PROCESSES_MIN;

        if (benchmark->n_done > 0 || block->n_samples > MEASUREMENT_SAMPLES_MIN || least >= benchmark->processes)
                return;
        measurement->shortened = benchmark->shortened_processes = true;
        measurement->count.processes -= benchmark->processes - least;
        benchmark->processes = least;
}

/* What the precision is of: the processes' medians, or of a comparison their ratios. In a new array. */
static int measured_benchmark_values(const MeasuredBenchmark *benchmark, uint32_t n_sides, double **ret_values,
                size_t *ret_n) {
        size_t n = benchmark->n_log_ratios;
        const double *medians = n_sides == 1 ? estimate_medians_ns(benchmark->estimates[0], &n) : NULL;
        double *values = malloc((n + 1) * sizeof *values);

        if (!values)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < n; i++)
                values[i] = medians ? medians[i] : exp(benchmark->log_ratios[i]);
        *ret_values = values;
        *ret_n = n;
        return 0;
}

/* Where a precision was asked for and all processes of the first are done: how many it takes, once and for all. */
static int measurement_settle(Measurement *measurement, size_t index) {
        MeasuredBenchmark *benchmark = &measurement->benchmarks[index];
        EnoughFacts facts = {
                .precision = measurement->plan->precision,
                .sampling_ns = benchmark->sampling_ns,
                .budget_ns = measurement->plan->budget_ns,
                .most = measurement->plan->benchmarks[index].processes,
        };
        _cleanup_(freep) double *values = NULL;
        int r;

        if (!(facts.precision > 0) || measurement->plan->benchmarks[index].method->is_older || benchmark->settled ||
                        benchmark->n_done < benchmark->processes)
                return 0;
        r = measured_benchmark_values(benchmark, measurement->plan->n_sides, &values, &facts.n);
        if (r)
                return error_trace(r);
        facts.medians = values;
        facts.n_done = benchmark->n_done;
        r = enough_decide(&facts, &benchmark->enough);
        if (r)
                return error_trace(r);
        benchmark->settled = true;
        measurement->shortened |= benchmark->enough.limit == ENOUGH_BUDGET;
        measurement->count.processes += benchmark->enough.processes - benchmark->processes;
        benchmark->processes = benchmark->enough.processes;
        return 0;
}

static int measured_benchmark_add_steps(MeasuredBenchmark *benchmark, const SampleBlock *block,
                const ClockFacts *clock) {
        benchmark->steps = malloc(sizeof *benchmark->steps);
        if (!benchmark->steps)
                return error_origin(-ENOMEM);
        return error_trace(steps_of(block, clock, benchmark->steps));
}

/* The steps, where its method shows them, and what is left when they are told: in @ret_last, to be freed. */
static int measured_benchmark_take_steps(MeasuredBenchmark *benchmark, const PlanBenchmark *planned,
                const SampleBlock *block, const ClockFacts *clock, SampleBlock **ret_last) {
        StepList last;
        int r;

        r = steps_copy_last(block, ret_last);
        if (r == 0)
                r = steps_of(*ret_last, clock, &last);
        if (r == 0 && planned->schedule.pace == RUNNER_PACE_ALL_STEPS)
                r = measured_benchmark_add_steps(benchmark, block, clock);
        if (r)
                return error_trace(r);
        benchmark->oddities =
                        method_find_oddities(planned->method, &planned->schedule, *ret_last, last.rows[0].mean_ns);
        return 0;
}

static int measured_benchmark_add(MeasuredBenchmark *benchmark, size_t side, const Method *method,
                const SampleBlock *block, const ClockFacts *clock) {
        int r;

        if (!benchmark->estimates[side]) {
                r = estimate_new(&benchmark->estimates[side]);
                if (r)
                        return error_trace(r);
                if (method->takes_off_loop)
                        estimate_take_off_loop(benchmark->estimates[side]);
        }
        return error_trace(estimate_add(benchmark->estimates[side], block, clock));
}

/* What the process tells of both sides together. */
static int measured_benchmark_add_turns(MeasuredBenchmark *benchmark, const SampleBlock *blocks,
                const ClockFacts *clock) {
        double *grown, log_ratio;
        int r;

        r = turns_log_ratio(&blocks[0], &blocks[1], clock, &log_ratio);
        if (r)
                return r == TURNS_E_NONE ? 0 : error_trace(r);
        grown = realloc(benchmark->log_ratios, (benchmark->n_log_ratios + 1) * sizeof *grown);
        if (!grown)
                return error_origin(-ENOMEM);
        benchmark->log_ratios = grown;
        grown[benchmark->n_log_ratios++] = log_ratio;
        return 0;
}

static int measured_benchmark_add_sides(MeasuredBenchmark *benchmark, uint32_t n_sides, const Method *method,
                const SampleBlock *blocks, const ClockFacts *clock) {
        int r = 0;

        for (uint32_t i = 0; r == 0 && i < n_sides; i++)
                r = measured_benchmark_add(benchmark, i, method, &blocks[i], clock);
        if (r == 0 && n_sides > 1)
                r = measured_benchmark_add_turns(benchmark, blocks, clock);
        return error_trace(r);
}

int measurement_note_complete(Measurement *measurement, const SampleBlock *blocks, const ClockFacts *clock,
                const ModuleOutput *output) {
        size_t index = measurement->plan->processes[measurement->next].benchmark;
        const PlanBenchmark *planned = &measurement->plan->benchmarks[index];
        MeasuredBenchmark *benchmark = &measurement->benchmarks[index];
        _cleanup_(freep) SampleBlock *last = NULL;
        int r;

        if (planned->method->is_older) {
                r = measured_benchmark_take_steps(benchmark, planned, blocks, clock, &last);
                if (r)
                        return error_trace(r);
                blocks = last;
        }
        r = measured_benchmark_add_sides(benchmark, measurement->plan->n_sides, planned->method, blocks, clock);
        if (r)
                return error_trace(r);
        measurement_shorten(measurement, index, blocks, clock);
        company_add(&benchmark->company, blocks->samples, blocks->n_samples, planned->threads);
        benchmark->sampling_ns += block_sampling_ns(blocks, clock);
        benchmark->n_done++;
        benchmark->shortened |= blocks->n_samples < planned->schedule.samples * planned->threads &&
                                !method_found_long(&planned->schedule, blocks);
        measurement->shortened |= benchmark->shortened;
        measurement->count.processes_done++;
        measurement->next++;
        r = measurement_settle(measurement, index);
        if (r)
                return error_trace(r);
        return error_trace(measured_benchmark_keep_output(benchmark, output));
}

int measurement_note_failed(Measurement *measurement, const Ending *ending, const ModuleOutput *output) {
        size_t index = measurement->plan->processes[measurement->next].benchmark;
        MeasuredBenchmark *benchmark = &measurement->benchmarks[index];

        benchmark->failure = malloc(sizeof *benchmark->failure);
        if (!benchmark->failure)
                return error_origin(-ENOMEM);
        *benchmark->failure = *ending;
        benchmark->failed = true;
        for (size_t i = 0; i < RUNNER_SIDES_MAX; i++)
                benchmark->estimates[i] = estimate_free(benchmark->estimates[i]);
        if (strcmp(ending->code, "skipped") != 0)
                measurement->count.failed++;
        measurement->count.processes -= benchmark->processes + benchmark->counts - benchmark->n_done;
        measurement->next++;
        return error_trace(measured_benchmark_keep_output(benchmark, output));
}

static void *copy_of(const void *bytes, size_t n) {
        void *copy = malloc(n);

        return copy ? memcpy(copy, bytes, n) : NULL;
}

int measurement_note_memory(Measurement *measurement, const MemoryBlock *block, const Ending *ending) {
        MeasuredBenchmark *benchmark =
                        &measurement->benchmarks[measurement->plan->processes[measurement->next].benchmark];

        if (block)
                benchmark->memory = copy_of(block, sizeof *block);
        else
                benchmark->uncounted = copy_of(ending, sizeof *ending);
        if (!benchmark->memory && !benchmark->uncounted)
                return error_origin(-ENOMEM);
        benchmark->counted = true;
        measurement->count.processes_done++;
        measurement->next++;
        return 0;
}

void measurement_note_elapsed(Measurement *measurement, uint64_t elapsed_ns) {
        measurement->elapsed_ns += elapsed_ns;
        measurement->n_elapsed++;
}

MeasurementCount measurement_count(const Measurement *measurement) {
        MeasurementCount count = measurement->count;
        size_t left = count.processes - count.processes_done;

        if (measurement->n_elapsed > 0)
                count.left_ns = left * (measurement->elapsed_ns / measurement->n_elapsed);
        else
                count.left_ns = measurement->plan->expected_ns;
        return count;
}

void measurement_fill_progress(Measurement *measurement, Arena *arena, Benchd__Progress *progress) {
        const PlanProcess *next = measurement_next(measurement);
        MeasurementCount count = measurement_count(measurement);
        const PlanEntry *entry;

        message_set(progress, benchmarks, count.benchmarks);
        message_set(progress, process, count.processes_done);
        message_set(progress, processes, count.processes);
        message_set(progress, left_ns, count.left_ns);
        if (!next)
                return;
        entry = &measurement->plan->entries[measurement->plan->benchmarks[next->benchmark].entry];
        message_set(progress, benchmark, next->benchmark + 1);
        progress->benchmark_name = arena_format(arena, "%s/%s", entry->area, entry->name);
}

bool measurement_was_shortened(const Measurement *measurement) {
        return measurement->shortened;
}

uint32_t measurement_most_processes(const Measurement *measurement) {
        uint32_t most = 0;

        for (size_t i = 0; i < measurement->plan->n_benchmarks; i++)
                if (measurement->benchmarks[i].processes > most)
                        most = measurement->benchmarks[i].processes;
        return most;
}

const double *measurement_points_ns(const Measurement *measurement) {
        return measurement->points_ns;
}
