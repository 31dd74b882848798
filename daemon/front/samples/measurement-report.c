/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "front/base/message.h"
#include "front/plan/method.h"
#include "front/samples/finding.h"
#include "front/samples/measurement-parts.h"
#include "front/samples/memory-count.h"
#include "front/samples/method-steps.h"
#include "stats/interval.h"
#include "util/error.h"

static Benchd__Failure *report_failure(const ProcessEnd *end, Arena *arena) {
        Benchd__Failure *failure = message_new(arena, Benchd__Failure, benchd__failure);

        if (!failure)
                return NULL;
        failure->code = arena_text(arena, end->code);
        failure->message = arena_text(arena, end->message);
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

/* Half of the interval, relative; 0 where there is none. */
static double half_width(const Benchd__Quantity *quantity) {
        return quantity && quantity->has_low && quantity->low > 0 ? sqrt(quantity->high / quantity->low) - 1 : 0;
}

/* Later processes may lie further apart than those that the number was reckoned from; and a clock ticks as it does. */
static void report_missed(double half, double precision, double step, Arena *arena, TextList *warnings) {
        if (half > precision && step > precision)
                text_list_add(warnings, arena,
                                "the interval is ± %.10g %%, not the ± %.3g %% that was asked for: a step of the clock is %.10g %% "
                                "of a batch. Give it more iterations (--min-time), or more work in each",
                                finding_two_digits(100 * half), 100 * precision, finding_two_digits(100 * step));
        else if (half > precision)
                text_list_add(warnings, arena,
                                "the interval is ± %.10g %%, not the ± %.3g %% that was asked for: the processes lay further apart "
                                "than the first five. Run it again with about %.0f times as many (--processes)",
                                finding_two_digits(100 * half), 100 * precision, ceil(pow(half / precision, 2)));
}

/* Why there are fewer processes than the precision takes. */
static void report_needed(const ProcessesNeeded *needed, double precision, Arena *arena, TextList *warnings) {
        if (needed->limit == PROCESSES_NEEDED_BUDGET)
                text_list_add(warnings, arena,
                                "an interval of ± %.3g %% takes about %zu processes; the budget holds %" PRIu32
                                ". Give it more (--budget), or ask for less",
                                100 * precision, needed->wanted, needed->processes);
        if (needed->limit == PROCESSES_NEEDED_MOST)
                text_list_add(warnings, arena,
                                "an interval of ± %.3g %% takes about %zu processes; at most %" PRIu32
                                " may be run. Find out why they differ, or ask for less",
                                100 * precision, needed->wanted, needed->processes);
        if (needed->limit == PROCESSES_NEEDED_UNKNOWN)
                text_list_add(warnings, arena,
                                "how many processes ± %.3g %% takes cannot be told from these: one alone, or a time that is not "
                                "above zero",
                                100 * precision);
}

/* An older method says of itself that it measures in one. */
static void report_too_few(const MeasuredBenchmark *benchmark, const PlanBenchmark *planned, Arena *arena,
                TextList *warnings) {
        if (benchmark->n_done >= INTERVAL_N_MIN || (planned->method && planned->method->is_older))
                return;
        text_list_add(warnings, arena,
                        "no interval: measured in %" PRIu32
                        " process%s, and the spread between processes takes %u to see. Take "
                        "more (--processes)",
                        benchmark->n_done, benchmark->n_done == 1 ? "" : "es", INTERVAL_N_MIN);
}

static void report_warnings(const MeasuredBenchmark *benchmark, const PlanBenchmark *planned,
                const Benchd__BenchmarkResult *result, double precision, Arena *arena, TextList *warnings) {
        if (benchmark->output_cut)
                text_list_add(warnings, arena,
                                "printed more than 64 KiB; the rest was dropped: what is printed inside the loop is timed with it");
        if (benchmark->estimates[0] && benchmark->shortened)
                text_list_add(warnings, arena,
                                "fewer than %u samples a process: more would have taken longer than the budget allows (--budget)",
                                planned->schedule.samples);
        if (benchmark->estimates[0] && behaviour_share_together(&benchmark->batches) < BEHAVIOUR_TOGETHER)
                text_list_add(warnings, arena,
                                "its threads ran side by side in only %.0f %% of the batches: what they do to each other is "
                                "not measured, and rates are too high",
                                100 * behaviour_share_together(&benchmark->batches));
        if (benchmark->estimates[0] && benchmark->shortened_processes)
                text_list_add(warnings, arena,
                                "%" PRIu32 " processes, of the %" PRIu32
                                " planned: more would have taken longer than the budget allows (--budget)",
                                benchmark->processes, planned->processes_first);
        if (benchmark->estimates[0] && benchmark->settled)
                report_needed(&benchmark->needed, precision, arena, warnings);
        if (benchmark->estimates[0] && benchmark->settled && benchmark->needed.limit == PROCESSES_NEEDED_UNLIMITED &&
                        !result->side)
                report_missed(half_width(result->time_ns), precision, estimate_step(benchmark->estimates[0]), arena,
                                warnings);
        if (benchmark->estimates[0] && benchmark->n_done < benchmark->processes)
                text_list_add(warnings, arena, "cancelled after %" PRIu32 " of %" PRIu32 " processes",
                                benchmark->n_done, benchmark->processes);
        method_add_warnings(benchmark->oddities, arena, warnings);
        if (benchmark->uncounted)
                text_list_add(warnings, arena, "allocations were not counted: %s", benchmark->uncounted->message);
}

static int measurement_report(const Measurement *measurement, size_t index, Arena *arena,
                Benchd__BenchmarkResult *result) {
        const PlanBenchmark *planned = &measurement->plan->benchmarks[index];
        const MeasuredBenchmark *benchmark = &measurement->benchmarks[index];
        TextList warnings = {};
        int r;

        r = report_identity(measurement->plan, index, arena, result);
        if (r)
                return error_trace(r);
        if (benchmark->estimates[0]) {
                report_too_few(benchmark, planned, arena, &warnings);
                r = estimate_report(benchmark->estimates[benchmark->next_side], arena, result, &warnings);
                if (r == 0 && benchmark->steps)
                        r = method_steps_report(benchmark->steps, arena, result);
                if (r == 0 && benchmark->memory)
                        r = memory_count_report(benchmark->memory, arena, result, &warnings);
                if (r)
                        return error_trace(r);
        } else {
                ProcessEnd end;

                process_end_explain_unrun(measurement->plan, planned, &end);
                result->failed = report_failure(benchmark->failure ? benchmark->failure : &end, arena);
        }
        if (measurement->plan->n_sides > 1 && benchmark->estimates[0])
                report_side(measurement->plan, index, benchmark->next_side, arena, result);
        report_warnings(benchmark, planned, result, measurement->plan->precision, arena, &warnings);
        result->warnings = warnings.texts;
        result->n_warnings = warnings.n;
        if (benchmark->output)
                result->output = arena_lines(arena, benchmark->output, benchmark->n_output);
        return error_trace(arena_check(arena));
}

/* ---- which, and when */

/* Of a benchmark that was measured to its end. */
static double point_of(const MeasuredBenchmark *benchmark, const Benchd__BenchmarkResult *result) {
        const bool whole = benchmark->n_done == benchmark->processes && result->time_ns && result->time_ns->has_point;

        return whole ? result->time_ns->point : NAN;
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
        measurement->points_ns[index] = point_of(&measurement->benchmarks[index], result);
        measurement_note_reported(measurement, index);
        *ret_result = result;
        return 0;
}

/* ---- of a comparison */

const PairedRatios *measurement_ratios(const Measurement *measurement, size_t index) {
        return measured_benchmark_ratios(&measurement->benchmarks[index]);
}

bool measurement_ratios_are_shared(const Measurement *measurement, size_t index) {
        return measured_benchmark_is_shared(&measurement->benchmarks[index]);
}

double measurement_log_step(const Measurement *measurement, size_t index) {
        return measurement->benchmarks[index].log_step;
}

const uint64_t *measurement_loop_addresses(const Measurement *measurement, size_t index) {
        return measurement->benchmarks[index].loop_addresses;
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
