/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/measurement.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "front/estimate.h"
#include "front/message.h"
#include "util/error.h"

typedef struct MeasuredBenchmark {
        Estimate *estimate;
        Ending *failure;
        char *output; /* of the first process that printed anything */
        size_t n_output;
        uint32_t n_done;
        bool output_cut;
        bool shortened;
        bool failed;
        bool reported;
} MeasuredBenchmark;

struct Measurement {
        RunPlan *plan;
        MeasuredBenchmark *benchmarks; /* as the plan's */
        size_t next;                   /* of the plan's processes */
        MeasurementCount count;
        size_t first_unreported;
        uint64_t elapsed_ns; /* of all processes that ended */
        size_t n_elapsed;
        bool shortened;
};

int measurement_new(RunPlan *plan, Measurement **ret_measurement) {
        Measurement *measurement;

        measurement = calloc(1, sizeof *measurement);
        if (!measurement)
                return error_origin(-ENOMEM);
        measurement->benchmarks = calloc(plan->n_benchmarks, sizeof *measurement->benchmarks);
        if (!measurement->benchmarks) {
                free(measurement);
                return error_origin(-ENOMEM);
        }
        measurement->plan = plan;
        measurement->count.benchmarks = plan->n_benchmarks;
        measurement->count.processes = plan->n_processes;
        for (size_t i = 0; i < plan->n_benchmarks; i++)
                measurement->count.failed += plan->benchmarks[i].unsupported;
        *ret_measurement = measurement;
        return 0;
}

static void measured_benchmark_clear(MeasuredBenchmark *benchmark) {
        benchmark->estimate = estimate_free(benchmark->estimate);
        benchmark->failure = (free(benchmark->failure), NULL);
        benchmark->output = (free(benchmark->output), NULL);
}

Measurement *measurement_free(Measurement *measurement) {
        if (!measurement)
                return NULL;
        for (size_t i = 0; i < measurement->plan->n_benchmarks; i++)
                measured_benchmark_clear(&measurement->benchmarks[i]);
        free(measurement->benchmarks);
        run_plan_free(measurement->plan);
        free(measurement);
        return NULL;
}

const RunPlan *measurement_plan(const Measurement *measurement) {
        return measurement->plan;
}

const PlanProcess *measurement_next(Measurement *measurement) {
        const RunPlan *plan = measurement->plan;

        while (measurement->next < plan->n_processes &&
                        measurement->benchmarks[plan->processes[measurement->next].benchmark].failed)
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

int measurement_note_complete(Measurement *measurement, const SampleBlock *block, const ClockFacts *clock,
                const ModuleOutput *output) {
        size_t index = measurement->plan->processes[measurement->next].benchmark;
        MeasuredBenchmark *benchmark = &measurement->benchmarks[index];
        int r;

        if (!benchmark->estimate) {
                r = estimate_new(&benchmark->estimate);
                if (r)
                        return error_trace(r);
        }
        r = estimate_add(benchmark->estimate, block, clock);
        if (r)
                return error_trace(r);
        benchmark->n_done++;
        benchmark->shortened |= block->n_samples < measurement->plan->benchmarks[index].schedule.samples;
        measurement->shortened |= benchmark->shortened;
        measurement->count.processes_done++;
        measurement->next++;
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
        benchmark->estimate = estimate_free(benchmark->estimate);
        if (strcmp(ending->code, "skipped") != 0)
                measurement->count.failed++;
        measurement->count.processes -= measurement->plan->benchmarks[index].processes - benchmark->n_done;
        measurement->next++;
        return error_trace(measured_benchmark_keep_output(benchmark, output));
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

/* ---- results */

static const Ending ending_threads = {
        .code = "unsupported",
        .message = "It asks for several threads, which this benchd does not do yet.",
};

static Benchd__Failure *report_failure(const Ending *ending, Arena *arena) {
        Benchd__Failure *failure = message_new(arena, Benchd__Failure, benchd__failure);

        if (!failure)
                return NULL;
        failure->code = arena_text(arena, ending->code);
        failure->message = arena_text(arena, ending->message);
        return failure;
}

static int report_arguments(const PlanEntry *entry, const PlanBenchmark *planned, Arena *arena,
                Benchd__BenchmarkResult *result) {
        result->args = arena_zero(arena, RUNNER_ARGS_MAX * sizeof *result->args);
        if (!result->args)
                return error_origin(-ENOMEM);
        for (uint32_t i = 0; i < entry->n_args; i++) {
                Benchd__ArgumentValue *value = message_new(arena, Benchd__ArgumentValue, benchd__argument_value);

                if (!value)
                        return error_origin(-ENOMEM);
                value->name = arena_text(arena, entry->arg_names[i]);
                message_set(value, value, planned->args[i]);
                result->args[result->n_args++] = value;
        }
        return 0;
}

/* Who it is: what stands in a result whether or not it gave a number. */
static int report_identity(const RunPlan *plan, size_t index, Arena *arena, Benchd__BenchmarkResult *result) {
        const PlanBenchmark *planned = &plan->benchmarks[index];
        const PlanEntry *entry = &plan->entries[planned->entry];

        result->name = arena_text(arena, entry->name);
        result->title = arena_text(arena, entry->title);
        result->area = arena_text(arena, entry->area);
        message_set(result, index, index + 1);
        message_set(result, threads, planned->threads);
        return error_trace(report_arguments(entry, planned, arena, result));
}

static void report_warnings(const MeasuredBenchmark *benchmark, const PlanBenchmark *planned, Arena *arena,
                TextList *warnings) {
        if (benchmark->output_cut)
                text_list_add(warnings, arena,
                                "printed more than 64 KiB; the rest was dropped: what is printed inside the loop is timed with it");
        if (benchmark->estimate && benchmark->shortened)
                text_list_add(warnings, arena,
                                "fewer than %u samples a process: more would have taken longer than the budget allows",
                                planned->schedule.samples);
        if (benchmark->estimate && benchmark->n_done < planned->processes)
                text_list_add(warnings, arena, "cancelled after %" PRIu32 " of %" PRIu32 " processes",
                                benchmark->n_done, planned->processes);
}

static int measurement_report(Measurement *measurement, size_t index, Arena *arena, Benchd__BenchmarkResult *result) {
        const PlanBenchmark *planned = &measurement->plan->benchmarks[index];
        MeasuredBenchmark *benchmark = &measurement->benchmarks[index];
        TextList warnings = {};
        int r;

        r = report_identity(measurement->plan, index, arena, result);
        if (r)
                return error_trace(r);
        if (benchmark->estimate) {
                r = estimate_report(benchmark->estimate, arena, result, &warnings);
                if (r)
                        return error_trace(r);
        } else {
                result->failed = report_failure(benchmark->failure ? benchmark->failure : &ending_threads, arena);
        }
        report_warnings(benchmark, planned, arena, &warnings);
        result->warnings = warnings.texts;
        result->n_warnings = warnings.n;
        if (benchmark->output)
                result->output = arena_lines(arena, benchmark->output, benchmark->n_output);
        return error_trace(arena_check(arena));
}

static bool measurement_is_reportable(const Measurement *measurement, size_t index, bool partial) {
        const MeasuredBenchmark *benchmark = &measurement->benchmarks[index];

        if (benchmark->reported)
                return false;
        if (benchmark->failed || benchmark->n_done == measurement->plan->benchmarks[index].processes)
                return true;
        return partial && benchmark->n_done > 0;
}

int measurement_take_result(Measurement *measurement, bool partial, Arena *arena,
                Benchd__BenchmarkResult **ret_result) {
        size_t n = measurement->plan->n_benchmarks;
        Benchd__BenchmarkResult *result;
        size_t index = measurement->first_unreported;
        int r;

        while (index < n && measurement->benchmarks[index].reported)
                index++;
        measurement->first_unreported = index;
        while (index < n && !measurement_is_reportable(measurement, index, partial))
                index++;
        if (index == n) {
                *ret_result = NULL;
                return 0;
        }

        result = message_new(arena, Benchd__BenchmarkResult, benchd__benchmark_result);
        if (!result)
                return error_origin(-ENOMEM);
        r = measurement_report(measurement, index, arena, result);
        if (r)
                return error_trace(r);
        measurement->count.measured += measurement->benchmarks[index].estimate != NULL;
        measurement->count.unfit += result->disturbed && result->disturbed->unfit;
        measurement->benchmarks[index].reported = true;
        measured_benchmark_clear(&measurement->benchmarks[index]);
        *ret_result = result;
        return 0;
}
