/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/samples/measurement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "front/base/message.h"
#include "front/samples/measurement-parts.h"
#include "front/samples/sample.h"
#include "util/cleanup.h"
#include "util/error.h"

/* What no budget goes under: an interval takes three. */
#define MEASUREMENT_SAMPLES_MIN   3u
#define MEASUREMENT_PROCESSES_MIN 3u

static void measurement_begin(Measurement *measurement) {
        const RunPlan *plan = measurement->plan;

        measurement->count.benchmarks = plan->n_benchmarks;
        for (size_t i = 0; i < plan->n_benchmarks; i++) {
                MeasuredBenchmark *benchmark = &measurement->benchmarks[i];

                benchmark->processes = plan->benchmarks[i].processes_first;
                benchmark->counts = plan_counts(plan, &plan->benchmarks[i]);
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

Measurement *measurement_free(Measurement *measurement) {
        if (!measurement)
                return NULL;
        for (size_t i = 0; i < measurement->plan->n_benchmarks; i++) {
                measured_benchmark_deinit(&measurement->benchmarks[i]);
        }
        free(measurement->benchmarks);
        free(measurement->points_ns);
        plan_free(measurement->plan);
        free(measurement);
        return NULL;
}

/* ---- which is next */

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

/* ---- how many there are to be */

/*
 * Fewer processes where one that took no more samples than it must, by @block, says that all would take longer than the
 * budget. By the first of them and never again, so that what the samples say decides nothing.
 */
static void measurement_shorten(Measurement *measurement, size_t index, const SampleBlock *block,
                const ClockFacts *clock) {
        MeasuredBenchmark *benchmark = &measurement->benchmarks[index];
        double fit = measurement->plan->budget_ns / sample_sequence_ns(block, clock);
        uint32_t least = fit > MEASUREMENT_PROCESSES_MIN ? (uint32_t)fit : MEASUREMENT_PROCESSES_MIN;

        if (benchmark->n_done > 0 || block->n_samples > MEASUREMENT_SAMPLES_MIN || least >= benchmark->processes)
                return;
        measurement->shortened = benchmark->shortened_processes = true;
        measurement->count.processes -= benchmark->processes - least;
        benchmark->processes = least;
}

/* Where a precision was asked for and all processes of the first are done: how many it takes, once and for all. */
static int measurement_settle(Measurement *measurement, size_t index) {
        MeasuredBenchmark *benchmark = &measurement->benchmarks[index];
        ProcessesNeededFacts facts = {
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
        r = processes_needed_decide(&facts, &benchmark->needed);
        if (r)
                return error_trace(r);
        benchmark->settled = true;
        measurement->shortened |= benchmark->needed.limit == PROCESSES_NEEDED_BUDGET;
        measurement->count.processes += benchmark->needed.processes - benchmark->processes;
        benchmark->processes = benchmark->needed.processes;
        return 0;
}

/* ---- told how processes ended */

int measurement_note_complete(Measurement *measurement, const SampleBlock *blocks, const ClockFacts *clock,
                const ModuleOutput *output) {
        const RunPlan *plan = measurement->plan;
        size_t index = plan->processes[measurement->next].benchmark;
        MeasuredBenchmark *benchmark = &measurement->benchmarks[index];
        int r;

        measurement_shorten(measurement, index, blocks, clock);
        r = measured_benchmark_add(benchmark, &plan->benchmarks[index], plan->n_sides, blocks, clock);
        if (r)
                return error_trace(r);
        measurement->shortened |= benchmark->shortened;
        measurement->count.processes_done++;
        measurement->next++;
        r = measurement_settle(measurement, index);
        if (r)
                return error_trace(r);
        return error_trace(measured_benchmark_keep_output(benchmark, output));
}

int measurement_note_failed(Measurement *measurement, const ProcessEnd *end, const ModuleOutput *output) {
        size_t index = measurement->plan->processes[measurement->next].benchmark;
        MeasuredBenchmark *benchmark = &measurement->benchmarks[index];
        int r;

        r = measured_benchmark_fail(benchmark, end);
        if (r)
                return error_trace(r);
        if (strcmp(end->code, "skipped") != 0)
                measurement->count.failed++;
        measurement->count.processes -= benchmark->processes + benchmark->counts - benchmark->n_done;
        measurement->next++;
        return error_trace(measured_benchmark_keep_output(benchmark, output));
}

int measurement_note_memory(Measurement *measurement, const MemoryBlock *block, const ProcessEnd *end) {
        size_t index = measurement->plan->processes[measurement->next].benchmark;
        int r;

        r = measured_benchmark_count(&measurement->benchmarks[index], block, end);
        if (r)
                return error_trace(r);
        measurement->count.processes_done++;
        measurement->next++;
        return 0;
}

void measurement_note_elapsed(Measurement *measurement, uint64_t elapsed_ns) {
        measurement->elapsed_ns += elapsed_ns;
        measurement->n_elapsed++;
}

/* ---- how far it is */

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

const RunPlan *measurement_plan(const Measurement *measurement) {
        return measurement->plan;
}

const double *measurement_points_ns(const Measurement *measurement) {
        return measurement->points_ns;
}
