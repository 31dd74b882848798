/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/measurement.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/company.h"
#include "front/estimate.h"
#include "front/memory-count.h"
#include "front/message.h"
#include "front/method.h"
#include "front/steps.h"
#include "front/turns.h"
#include "front/unrun.h"
#include "util/error.h"
#include "util/time.h"

/* What no budget goes under: an interval takes three. */
#define MEASUREMENT_SAMPLES_MIN   3u
#define MEASUREMENT_PROCESSES_MIN 3u

typedef struct MeasuredBenchmark {
        Estimate *estimates[RUNNER_SIDES_MAX]; /* the second: of a comparison, the old side's */
        double *log_ratios;                    /* of a comparison, one a process */
        size_t n_log_ratios;
        Ending *failure;
        MemoryBlock *memory; /* NULL: not counted, or not yet */
        Ending *uncounted;   /* why it could not be */
        char *output;        /* of the first process that printed anything */
        size_t n_output;
        uint32_t processes; /* to be timed: the plan's, or fewer where the budget ends before */
        uint32_t n_done;    /* of these */
        Company company;    /* of its threads */
        StepList *steps;    /* NULL: its method shows none */
        uint32_t oddities;  /* by its method */
        bool counts;        /* wants a process that counts what is allocated */
        bool counted;       /* ... and it came to its end, whatever that was */
        bool output_cut;
        bool shortened;
        bool failed;
        bool reported;
        uint32_t next_side; /* to be reported */
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
        for (size_t i = 0; i < plan->n_benchmarks; i++) {
                measurement->benchmarks[i].processes = plan->benchmarks[i].processes;
                measurement->benchmarks[i].counts = plan->memory && plan->benchmarks[i].processes > 0;
                measurement->count.failed += plan->benchmarks[i].processes == 0;
        }
        *ret_measurement = measurement;
        return 0;
}

static void measured_benchmark_clear(MeasuredBenchmark *benchmark) {
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
        run_plan_free(measurement->plan);
        free(measurement);
        return NULL;
}

const RunPlan *measurement_plan(const Measurement *measurement) {
        return measurement->plan;
}

static bool measured_benchmark_is_over(const MeasuredBenchmark *benchmark) {
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
        measurement->shortened = true;
        measurement->count.processes -= benchmark->processes - least;
        benchmark->processes = least;
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
        benchmark->n_done++;
        benchmark->shortened |= blocks->n_samples < planned->schedule.samples * planned->threads &&
                                !method_found_long(&planned->schedule, blocks);
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

/* ---- results */

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
        result->method = planned->method ? arena_text(arena, planned->method->name) : NULL;
        message_set(result, reference, entry->reference);
        message_set(result, index, index + 1);
        message_set(result, threads, planned->threads);
        return error_trace(report_arguments(entry, planned, arena, result));
}

/* The old side of a comparison goes by its own name. */
static void report_side(const RunPlan *plan, size_t index, uint32_t side, Arena *arena,
                Benchd__BenchmarkResult *result) {
        const PlanEntry *entry = &plan->entries[plan->benchmarks[index].entry];

        result->side = arena_text(arena, side == 0 ? "new" : "old");
        if (side == 0)
                return;
        result->name = result->title = arena_text(arena, entry->old.name);
        result->area = arena_text(arena, entry->old.area);
}

static void report_warnings(const MeasuredBenchmark *benchmark, const PlanBenchmark *planned, Arena *arena,
                TextList *warnings) {
        if (benchmark->output_cut)
                text_list_add(warnings, arena,
                                "printed more than 64 KiB; the rest was dropped: what is printed inside the loop is timed with it");
        if (benchmark->estimates[0] && benchmark->shortened)
                text_list_add(warnings, arena,
                                "fewer than %u samples a process: more would have taken longer than the budget allows",
                                planned->schedule.samples);
        if (benchmark->estimates[0] && company_share(&benchmark->company) < COMPANY_ENOUGH)
                text_list_add(warnings, arena,
                                "its threads ran side by side in only %.0f %% of the batches: what they do to each other is "
                                "not measured, and rates are too high",
                                100 * company_share(&benchmark->company));
        if (benchmark->estimates[0] && benchmark->processes < planned->processes)
                text_list_add(warnings, arena,
                                "%" PRIu32 " processes, of the %" PRIu32
                                " planned: more would have taken longer than the budget allows",
                                benchmark->processes, planned->processes);
        if (benchmark->estimates[0] && benchmark->n_done < benchmark->processes)
                text_list_add(warnings, arena, "cancelled after %" PRIu32 " of %" PRIu32 " processes",
                                benchmark->n_done, benchmark->processes);
        method_add_warnings(benchmark->oddities, arena, warnings);
        if (benchmark->uncounted)
                text_list_add(warnings, arena, "allocations were not counted: %s", benchmark->uncounted->message);
}

static int measurement_report(Measurement *measurement, size_t index, Arena *arena, Benchd__BenchmarkResult *result) {
        const PlanBenchmark *planned = &measurement->plan->benchmarks[index];
        MeasuredBenchmark *benchmark = &measurement->benchmarks[index];
        TextList warnings = {};
        int r;

        r = report_identity(measurement->plan, index, arena, result);
        if (r)
                return error_trace(r);
        if (benchmark->estimates[0]) {
                r = estimate_report(benchmark->estimates[benchmark->next_side], arena, result, &warnings);
                if (r == 0 && benchmark->steps)
                        r = steps_report(benchmark->steps, arena, result);
                if (r == 0 && benchmark->memory)
                        r = memory_count_report(benchmark->memory, arena, result, &warnings);
                if (r)
                        return error_trace(r);
        } else {
                Ending ending;

                unrun_explain(measurement->plan, planned, &ending);
                result->failed = report_failure(benchmark->failure ? benchmark->failure : &ending, arena);
        }
        if (measurement->plan->n_sides > 1 && benchmark->estimates[0])
                report_side(measurement->plan, index, benchmark->next_side, arena, result);
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
        if (measured_benchmark_is_over(benchmark))
                return true;
        return partial && benchmark->n_done > 0;
}

/* The new side is told before the old one; what failed is told once. */
static void measurement_note_reported(Measurement *measurement, size_t index) {
        MeasuredBenchmark *benchmark = &measurement->benchmarks[index];

        if (benchmark->estimates[0] && ++benchmark->next_side < measurement->plan->n_sides)
                return;
        benchmark->reported = true;
        measured_benchmark_clear(benchmark);
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
        measurement->count.measured += measurement->benchmarks[index].estimates[0] != NULL;
        measurement->count.unfit += result->disturbed && result->disturbed->unfit;
        measurement_note_reported(measurement, index);
        *ret_result = result;
        return 0;
}

/* ---- of a comparison */

const double *measurement_log_ratios(const Measurement *measurement, size_t index, size_t *ret_n) {
        *ret_n = measurement->benchmarks[index].n_log_ratios;
        return measurement->benchmarks[index].log_ratios;
}

/* The old side's name stands beside only where it is another. */
int measurement_identify(const Measurement *measurement, size_t index, Arena *arena, Benchd__ComparisonResult *row) {
        const PlanEntry *entry = &measurement->plan->entries[measurement->plan->benchmarks[index].entry];
        Benchd__BenchmarkResult identity = BENCHD__BENCHMARK_RESULT__INIT;
        int r;

        r = report_identity(measurement->plan, index, arena, &identity);
        if (r)
                return error_trace(r);
        row->name = identity.name;
        row->area = identity.area;
        row->args = identity.args;
        row->n_args = identity.n_args;
        message_set(row, index, identity.index);
        if (strcmp(entry->old.area, entry->area) == 0 && strcmp(entry->old.name, entry->name) == 0)
                return 0;
        row->old_area = arena_text(arena, entry->old.area);
        row->old_name = arena_text(arena, entry->old.name);
        return 0;
}
