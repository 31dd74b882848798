/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/samples/measurement.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "front/base/message.h"
#include "front/plan/method.h"
#include "front/samples/empty-loop.h"
#include "front/samples/finding.h"
#include "front/samples/measured-benchmark.h"
#include "front/samples/memory-count.h"
#include "front/samples/method-steps.h"
#include "front/samples/sample.h"
#include "stats/interval.h"
#include "util/cleanup.h"
#include "util/error.h"

/* No budget goes under these: an interval takes three. */
#define MEASUREMENT_SAMPLES_MIN   3u
#define MEASUREMENT_PROCESSES_MIN 3u

/* A sample is kept as a time and as cycles. */
#define MEASUREMENT_SAMPLE_BYTES (2 * sizeof(double))

#define MEASUREMENT_CONFIDENCE 0.95
#define MEASUREMENT_UNSEEN_MAX 0.5 /* share of processes that can be unlike the others unseen: under five processes */

struct Measurement {
        Plan *plan;
        MeasuredBenchmark *benchmarks; /* as the plan's */
        EmptyLoop empty;               /* of a plan of one side */
        double *points_ns;             /* of each that was reported in whole; NaN elsewhere */
        size_t next;                   /* of the plan's processes */
        MeasurementCount count;
        size_t first_unreported;
        uint64_t n_kept;     /* samples, over all benchmarks and the empty loop */
        uint64_t elapsed_ns; /* of all processes that ended */
        size_t n_elapsed;
        bool shortened;
};

static uint32_t process_place(const PlanProcess *process) {
        return process->image_offset_bytes * RUNNER_IMAGE_OFFSETS / RUNNER_IMAGE_OFFSET_MAX;
}

/* The first processes of each benchmark are due, at the places that the plan gives them. */
static void measurement_lay_out(Measurement *measurement) {
        const Plan *plan = measurement->plan;

        for (size_t i = 0; i < plan->n_processes; i++) {
                const PlanProcess *process = &plan->processes[i];
                MeasuredBenchmark *benchmark = &measurement->benchmarks[process->benchmark];
                const uint32_t place = process_place(process);

                if (process->counts)
                        continue;
                benchmark->left[place]++;
                if (benchmark->n_due < benchmark->wanted) {
                        benchmark->due[place]++;
                        benchmark->n_due++;
                }
        }
}

int measurement_new(Plan *plan, Measurement **ret_measurement) {
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
        measurement->count.benchmarks = plan->n_benchmarks;
        for (size_t i = 0; i < plan->n_benchmarks; i++) {
                MeasuredBenchmark *benchmark = &measurement->benchmarks[i];

                benchmark->n_looks = plan->benchmarks[i].n_looks;
                benchmark->wanted = benchmark->processes = plan_least_processes(&plan->benchmarks[i]);
                benchmark->keeps = plan->keeps;
                benchmark->counts = plan_counts(plan, &plan->benchmarks[i]);
                measurement->count.processes += benchmark->processes + benchmark->counts;
                measurement->count.failed += plan->benchmarks[i].processes == 0 && !plan->benchmarks[i].skipped;
                measurement->points_ns[i] = NAN;
        }
        measurement_lay_out(measurement);
        *ret_measurement = measurement;
        return 0;
}

Measurement *measurement_free(Measurement *measurement) {
        if (!measurement)
                return NULL;
        for (size_t i = 0; i < measurement->plan->n_benchmarks; i++) {
                measured_benchmark_deinit(&measurement->benchmarks[i]);
        }
        empty_loop_deinit(&measurement->empty);
        free(measurement->benchmarks);
        free(measurement->points_ns);
        plan_free(measurement->plan);
        free(measurement);
        return NULL;
}

/* ---- the next process */

/* One of a round that has enough of them does not run. */
static bool benchmark_takes(const MeasuredBenchmark *benchmark, const PlanProcess *process) {
        return benchmark->turns_most == 0 || process->turn < benchmark->turns_most;
}

const PlanProcess *measurement_next(Measurement *measurement) {
        const Plan *plan = measurement->plan;

        for (; measurement->next < plan->n_processes; measurement->next++) {
                const PlanProcess *process = &plan->processes[measurement->next];
                MeasuredBenchmark *benchmark = &measurement->benchmarks[process->benchmark];
                const uint32_t place = process_place(process);

                if (!measured_benchmark_is_over(benchmark) &&
                                (process->counts || (benchmark->due[place] > 0 && benchmark_takes(benchmark, process))))
                        return process;
                benchmark->left[place] -= !process->counts;
        }
        return NULL;
}

/* ---- the number of processes */

/* One more process of @benchmark at @place, if the plan has one. */
static bool benchmark_expect(Measurement *measurement, MeasuredBenchmark *benchmark, uint32_t place) {
        if (benchmark->due[place] == benchmark->left[place])
                return false;
        benchmark->due[place]++;
        benchmark->processes++;
        measurement->count.processes++;
        return true;
}

/* @n more, as many at each place. */
static void benchmark_expect_all(Measurement *measurement, MeasuredBenchmark *benchmark, uint32_t n) {
        uint32_t n_refused = 0;

        for (uint32_t place = 0; n > 0 && n_refused < RUNNER_IMAGE_OFFSETS;
                        place = (place + 1) % RUNNER_IMAGE_OFFSETS) {
                const bool expected = benchmark_expect(measurement, benchmark, place);

                n -= expected;
                n_refused = expected ? 0 : n_refused + 1;
        }
}

/* Only @n in all, or those that are done: fewer where most are due. */
static void benchmark_expect_only(Measurement *measurement, MeasuredBenchmark *benchmark, uint32_t n) {
        while (benchmark->processes > n && benchmark->processes > benchmark->n_done) {
                uint32_t place = 0;

                for (uint32_t i = 1; i < RUNNER_IMAGE_OFFSETS; i++)
                        if (benchmark->due[i] > benchmark->due[place])
                                place = i;
                benchmark->due[place]--;
                benchmark->processes--;
                measurement->count.processes--;
        }
}

/* Only @n in each round, or those that are done. */
static void benchmark_expect_only_turns(Measurement *measurement, size_t index, uint32_t n) {
        MeasuredBenchmark *benchmark = &measurement->benchmarks[index];
        const Plan *plan = measurement->plan;

        benchmark->turns_most = n;
        for (size_t i = measurement->next; i < plan->n_processes; i++) {
                const PlanProcess *process = &plan->processes[i];
                const uint32_t place = process_place(process);

                if (process->benchmark != index || process->counts || benchmark_takes(benchmark, process) ||
                                benchmark->processes == benchmark->n_done || benchmark->due[place] == 0)
                        continue;
                benchmark->due[place]--;
                benchmark->processes--;
                measurement->count.processes--;
        }
        benchmark->wanted = benchmark->processes;
}

/* The sampling time of a benchmark in all rounds. */
static uint64_t measurement_budget_ns(const Measurement *measurement) {
        return measurement->plan->budget_ns * measurement->plan->n_rounds;
}

/* The processes that @benchmark may get, as planned. */
static uint32_t benchmark_most_wanted(const MeasuredBenchmark *benchmark) {
        return benchmark->n_looks > 0 ? sequence_looks[benchmark->n_looks - 1].pairs : benchmark->wanted;
}

/* As many looks as the budget holds processes, and no fewer than one where processes may have had more samples than they must. */
static void benchmark_shorten_looks(MeasuredBenchmark *benchmark, double fit, bool few_samples) {
        const uint32_t n_looks = sequence_looks_within((uint32_t)fmin(round(fit), RUNNER_PROCESSES_MAX));

        if (n_looks < benchmark->n_looks && (n_looks > 0 || few_samples)) {
                benchmark->n_looks = n_looks;
                benchmark->shortened_processes = true;
        }
}

/*
 * Fewer processes, or looks, where one of them says that all would take longer than the budget: of a fixed number one that took no more
 * samples than it must, by @block. By the first of them and never again, so that what the samples say decides nothing.
 */
static void measurement_shorten(Measurement *measurement, size_t index, const SampleBlock *block,
                const ClockFacts *clock) {
        MeasuredBenchmark *benchmark = &measurement->benchmarks[index];
        const uint32_t n_rounds = measurement->plan->n_rounds;
        const double fit = measurement->plan->budget_ns / sample_sequence_ns(block, clock); /* in each round */
        const bool few_samples = block->n_samples <= MEASUREMENT_SAMPLES_MIN;
        uint32_t least = fit > MEASUREMENT_PROCESSES_MIN ? (uint32_t)fit : MEASUREMENT_PROCESSES_MIN;

        if (benchmark->n_done > 1)
                return;
        if (benchmark->n_looks > 0)
                benchmark_shorten_looks(benchmark, fit, few_samples);
        if (benchmark->n_looks > 0 || !few_samples || least * n_rounds >= benchmark->wanted)
                return;
        measurement->shortened = benchmark->shortened_processes = true;
        if (n_rounds > 1) {
                benchmark_expect_only_turns(measurement, index, least);
                return;
        }
        benchmark->wanted = least;
        benchmark_expect_only(measurement, benchmark, least);
}

/*
 * Another process at the same place for one that a neighbour left too few quiet samples, while budget and room for samples last. The
 * probes decide, which know nothing of the time that was measured.
 */
static void measurement_replace(Measurement *measurement, size_t index, uint32_t place) {
        const PlanBenchmark *planned = &measurement->plan->benchmarks[index];
        MeasuredBenchmark *benchmark = &measurement->benchmarks[index];
        const uint32_t n_sides = measurement->plan->n_sides;
        const double process_ns = benchmark->sampling_ns / benchmark->n_done;
        const uint64_t process_samples = benchmark->n_samples / benchmark->n_done;
        const uint32_t n_due = benchmark->processes - benchmark->n_done + 1;

        if (planned->schedule.quiet_samples == 0 || !measured_benchmark_had_company(benchmark) ||
                        measured_benchmark_last_is_quiet(benchmark, n_sides) ||
                        benchmark->sampling_ns + n_due * process_ns > measurement_budget_ns(measurement) ||
                        benchmark->n_samples + n_due * process_samples >
                                        (uint64_t)planned->processes_first * planned->schedule.samples_most *
                                                        planned->threads)
                return;
        (void)benchmark_expect(measurement, benchmark, place);
}

/* Settles how many processes a precision takes, once and for all, when all of the first are done. */
static int measurement_settle(Measurement *measurement, size_t index) {
        const PlanBenchmark *planned = &measurement->plan->benchmarks[index];
        MeasuredBenchmark *benchmark = &measurement->benchmarks[index];
        _cleanup_(estimate_medians_clear) EstimateMedians values = {};
        ProcessesNeededFacts facts = {
                .precision = measurement->plan->precision,
                .sampling_ns = benchmark->sampling_ns,
                .budget_ns = measurement->plan->budget_ns,
                .n_done = benchmark->n_done,
                .most = planned->processes,
        };
        int r;

        if (!(facts.precision > 0) || planned->method->is_older || benchmark->settled ||
                        benchmark->n_done < benchmark->processes)
                return 0;
        r = measured_benchmark_values(benchmark, measurement->plan->n_sides, &values);
        if (r)
                return error_trace(r);
        facts.medians = values.values;
        facts.places = values.places;
        facts.n = values.n;
        r = processes_needed_decide(&facts, &benchmark->needed);
        if (r)
                return error_trace(r);
        benchmark->settled = true;
        measurement->shortened |= benchmark->needed.limit == PROCESSES_NEEDED_BUDGET;
        benchmark->wanted += benchmark->needed.processes - benchmark->n_done;
        benchmark_expect_all(measurement, benchmark, benchmark->needed.processes - benchmark->n_done);
        return 0;
}

/* Looks at a comparison that ends by itself, when all processes up to the look are done: it goes on to the next one or ends. */
static void measurement_look(Measurement *measurement, size_t index) {
        MeasuredBenchmark *benchmark = &measurement->benchmarks[index];
        const Plan *plan = measurement->plan;
        uint32_t more;

        if (benchmark->n_looks == 0 || benchmark->n_done < benchmark->processes)
                return;
        benchmark->outcome = measured_benchmark_look(benchmark, plan->margin, plan->n_benchmarks);
        if (benchmark->look + 1 < benchmark->n_looks && sequence_looks[benchmark->look].pairs < plan->processes_least)
                benchmark->outcome = SEQUENCE_GOES_ON;
        measurement->shortened |= benchmark->outcome == SEQUENCE_LAST && benchmark->shortened_processes;
        if (benchmark->outcome != SEQUENCE_GOES_ON)
                return;
        more = sequence_looks[benchmark->look + 1].pairs - sequence_looks[benchmark->look].pairs;
        benchmark->look++;
        benchmark->wanted += more;
        benchmark_expect_all(measurement, benchmark, more);
}

/* ---- the end of a process */

int measurement_note_complete(Measurement *measurement, const SampleBlock *blocks, const ClockFacts *clock,
                const RunnerOutput *output) {
        const Plan *plan = measurement->plan;
        const PlanProcess *process = &plan->processes[measurement->next];
        const uint32_t place = process_place(process);
        size_t index = process->benchmark;
        MeasuredBenchmark *benchmark = &measurement->benchmarks[index];
        const uint64_t n_before = benchmark->n_kept;
        int r;

        benchmark->due[place]--;
        benchmark->left[place]--;
        benchmark->round = process->round;
        r = measured_benchmark_add(benchmark, &plan->benchmarks[index], plan->n_sides, blocks, clock);
        if (r)
                return error_trace(r);
        measurement->n_kept += benchmark->n_kept - n_before;
        if (plan->n_sides == 1 && empty_loop_is_resolved(blocks, clock)) {
                r = empty_loop_add(&measurement->empty, blocks, clock);
                if (r)
                        return error_trace(r);
                measurement->n_kept += blocks->n_loop_samples;
        }
        measurement->shortened |= benchmark->shortened;
        measurement->count.processes_done++;
        measurement->next++;
        measurement_shorten(measurement, index, blocks, clock);
        measurement_replace(measurement, index, place);
        measurement_look(measurement, index);
        r = measurement_settle(measurement, index);
        if (r)
                return error_trace(r);
        return error_trace(measured_benchmark_keep_output(benchmark, output));
}

int measurement_note_failed(Measurement *measurement, const ProcessEnd *end, const RunnerOutput *output) {
        size_t index = measurement->plan->processes[measurement->next].benchmark;
        MeasuredBenchmark *benchmark = &measurement->benchmarks[index];
        int r;

        measurement->n_kept -= benchmark->n_kept;
        r = measured_benchmark_fail(benchmark, end, output);
        if (r)
                return error_trace(r);
        if (strcmp(end->code, "skipped") != 0)
                measurement->count.failed++;
        measurement->count.processes -= benchmark->processes + benchmark->counts - benchmark->n_done;
        measurement->next++;
        return 0;
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

void measurement_note_end(Measurement *measurement, uint64_t elapsed_ns, uint64_t memory_peak_bytes) {
        MeasuredBenchmark *benchmark =
                        &measurement->benchmarks[measurement->plan->processes[measurement->next].benchmark];

        if (memory_peak_bytes > benchmark->memory_peak_bytes)
                benchmark->memory_peak_bytes = memory_peak_bytes;
        measurement->elapsed_ns += elapsed_ns;
        measurement->n_elapsed++;
}

/* ---- progress */

MeasurementCount measurement_count(const Measurement *measurement) {
        MeasurementCount count = measurement->count;
        size_t left = count.processes - count.processes_done;

        if (measurement->n_elapsed > 0)
                count.left_ns = left * (measurement->elapsed_ns / measurement->n_elapsed);
        else
                count.left_ns = measurement->plan->expected_ns;
        count.processes_most = count.processes;
        for (size_t i = 0; measurement->plan->n_sides > 1 && i < measurement->plan->n_benchmarks; i++)
                if (!measured_benchmark_is_over(&measurement->benchmarks[i]))
                        count.processes_most += benchmark_most_wanted(&measurement->benchmarks[i]) -
                                                measurement->benchmarks[i].wanted;
        return count;
}

uint64_t measurement_sample_bytes(const Measurement *measurement) {
        return measurement->n_kept * MEASUREMENT_SAMPLE_BYTES;
}

void measurement_fill_progress(Measurement *measurement, Arena *arena, Benchd__Progress *progress) {
        const PlanProcess *next = measurement_next(measurement);
        MeasurementCount count = measurement_count(measurement);
        const PlanEntry *entry;

        message_set(progress, benchmarks, count.benchmarks - measurement->plan->has_nothing);
        message_set(progress, process, count.processes_done);
        message_set(progress, processes, count.processes);
        message_set(progress, left_ns, count.left_ns);
        if (count.processes_most > count.processes)
                message_set(progress, processes_most, count.processes_most);
        if (!next)
                return;
        entry = &measurement->plan->entries[measurement->plan->benchmarks[next->benchmark].entry];
        message_set(progress, benchmark, next->benchmark + 1 - measurement->plan->has_nothing);
        if (measurement->plan->options & RUNNER_OPTION_COMMANDS)
                progress->benchmark_name = arena_text(arena, entry->title);
        else
                progress->benchmark_name =
                                arena_format(arena, "%s%s%s", entry->area, *entry->area ? "/" : "", entry->name);
}

bool measurement_was_shortened(const Measurement *measurement) {
        return measurement->shortened;
}

uint32_t measurement_most_processes(const Measurement *measurement) {
        uint32_t most = 0;

        for (size_t i = 0; i < measurement->plan->n_benchmarks; i++)
                if (measurement->benchmarks[i].wanted > most)
                        most = measurement->benchmarks[i].wanted;
        return most;
}

const Plan *measurement_plan(const Measurement *measurement) {
        return measurement->plan;
}

const double *measurement_points_ns(const Measurement *measurement) {
        return measurement->points_ns;
}

const EmptyLoop *measurement_empty(const Measurement *measurement) {
        return &measurement->empty;
}

/* ---- results */

static void report_argument(const ArgumentValue *of, Arena *arena, Benchd__ArgumentValue *value) {
        if (of->kind == ARGUMENT_REAL)
                message_set(value, real, of->real);
        else if (of->kind == ARGUMENT_TEXT)
                value->text = arena_text(arena, of->text);
        else
                message_set(value, value, of->integer);
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
                report_argument(&planned->args[i], arena, value);
                result->args[result->n_args++] = value;
        }
        return 0;
}

static int report_identity(const Plan *plan, size_t index, Arena *arena, Benchd__BenchmarkResult *result) {
        const PlanBenchmark *planned = &plan->benchmarks[index];
        const PlanEntry *entry = &plan->entries[planned->entry];

        result->name = arena_text(arena, entry->name);
        result->title = arena_text(arena, entry->title);
        result->about = *entry->about ? arena_text(arena, entry->about) : NULL;
        result->area = arena_text(arena, entry->area);
        result->method = planned->method ? arena_text(arena, planned->method->name) : NULL;
        message_set(result, reference, planned->reference);
        message_set(result, index, index + 1);
        message_set(result, threads, planned->threads);
        message_set(result, cpus, planned->cpus);
        return error_trace(report_arguments(entry, planned, arena, result));
}

/* Says why the interval is wider than the precision that was asked for. Later processes may lie further apart than the first. */
static void report_precision(const MeasuredBenchmark *benchmark, double precision,
                const Benchd__BenchmarkResult *result, Arena *arena, WarningList *warnings) {
        const Benchd__Quantity *time = result->time_ns;
        const double half = time && time->has_low && time->low > 0 ? sqrt(time->high / time->low) - 1 : 0;
        const double step = estimate_step(benchmark->estimates[0]);
        const ProcessesNeeded *needed = &benchmark->needed;

        if (needed->limit == PROCESSES_NEEDED_BUDGET)
                warning_add(warnings, arena, WARNING_PRECISION_MISSED,
                                "an interval of ± %.3g %% needs about %zu processes; the budget holds %" PRIu32
                                ". Raise it (--budget), or ask for less precision",
                                100 * precision, needed->wanted, needed->processes);
        if (needed->limit == PROCESSES_NEEDED_MOST)
                warning_add(warnings, arena, WARNING_PRECISION_MISSED,
                                "an interval of ± %.3g %% needs about %zu processes; at most %" PRIu32
                                " may be run. Find out why they differ, or ask for less precision",
                                100 * precision, needed->wanted, needed->processes);
        if (needed->limit == PROCESSES_NEEDED_UNKNOWN)
                warning_add(warnings, arena, WARNING_PRECISION_MISSED,
                                "the number of processes for ± %.3g %% is unknown: fewer than two processes gave a "
                                "time, or one is not above zero",
                                100 * precision);
        if (needed->limit != PROCESSES_NEEDED_UNLIMITED || result->side || !(half > precision))
                return;
        if (step > precision)
                warning_add(warnings, arena, WARNING_PRECISION_MISSED,
                                "the interval is ± %.10g %%, not the ± %.3g %% that was asked for: a step of the clock "
                                "is %.10g %% of a batch. Give it more iterations (--min-time), or more work in each",
                                finding_two_digits(100 * half), 100 * precision, finding_two_digits(100 * step));
        else
                warning_add(warnings, arena, WARNING_PRECISION_MISSED,
                                "the interval is ± %.10g %%, not the ± %.3g %% that was asked for: later processes lay "
                                "further apart than the first. Run again with about %.0f times as many "
                                "(--processes)",
                                finding_two_digits(100 * half), 100 * precision, ceil(pow(half / precision, 2)));
}

static void report_warnings(const MeasuredBenchmark *benchmark, const PlanBenchmark *planned,
                const Benchd__BenchmarkResult *result, double precision, Arena *arena, WarningList *warnings) {
        if (benchmark->output_cut)
                warning_add(warnings, arena, WARNING_OUTPUT_CUT,
                                "printed more than 64 KiB; only the last of it is kept. Printing inside the loop is timed "
                                "with it");
        if (benchmark->estimates[0] && benchmark->shortened)
                warning_add(warnings, arena, WARNING_SHORTENED,
                                "fewer than %u samples a process: the budget has no time for more (--budget)",
                                planned->schedule.samples);
        if (benchmark->estimates[0] && behaviour_share_together(&benchmark->batches) < BEHAVIOUR_TOGETHER)
                warning_add(warnings, arena, WARNING_THREADS_APART,
                                "its threads ran side by side in only %.0f %% of the batches: their effect on each "
                                "other is not measured, and rates are too high",
                                100 * behaviour_share_together(&benchmark->batches));
        if (benchmark->estimates[0] && benchmark->shortened_processes &&
                        (benchmark->n_looks == 0 || benchmark->outcome == SEQUENCE_LAST))
                warning_add(warnings, arena, WARNING_SHORTENED,
                                "%" PRIu32 " of the %" PRIu32
                                " planned processes: the budget has no time for more (--budget)",
                                benchmark->processes, planned->processes_first);
        if (benchmark->estimates[0] && benchmark->settled)
                report_precision(benchmark, precision, result, arena, warnings);
        if (benchmark->estimates[0] && benchmark->n_done < benchmark->processes)
                warning_add(warnings, arena, WARNING_CANCELLED, "cancelled after %" PRIu32 " of %" PRIu32 " processes",
                                benchmark->n_done, benchmark->processes);
        method_add_findings(benchmark->method_findings, arena, warnings);
        if (benchmark->uncounted)
                warning_add(warnings, arena, WARNING_NOT_COUNTED, "allocations were not counted: %s",
                                benchmark->uncounted->message);
}

/* The plan of a result tells what its processes may have missed; a benchmark that has fewer of them tells it itself. */
static void report_too_few(const Measurement *measurement, size_t index, Arena *arena, WarningList *warnings) {
        const Plan *plan = measurement->plan;
        const uint32_t n = measurement->benchmarks[index].n_done;
        const uint32_t planned = plan->precision > 0 || plan->benchmarks[index].n_looks > 0
                                                 ? measurement_most_processes(measurement)
                                                 : plan_most_processes(plan);
        const double unseen = interval_unseen_share(n, MEASUREMENT_CONFIDENCE);

        if (plan->benchmarks[index].method->is_older) /* it says of itself that it measures in one */
                return;
        if (n < INTERVAL_N_MIN)
                warning_add(warnings, arena, WARNING_NO_INTERVAL,
                                "no interval: measured in %" PRIu32
                                " process%s, and the spread between processes takes at least %u to see (--processes)",
                                n, n == 1 ? "" : "es", INTERVAL_N_MIN);
        else if (n < planned && unseen > MEASUREMENT_UNSEEN_MAX)
                warning_add(warnings, arena, WARNING_FEW_PROCESSES,
                                "%" PRIu32
                                " processes cannot rule out rare slow layouts: one that affects up to %.0f %% of "
                                "processes may have been missed (--processes)",
                                n, 100 * unseen);
}

/* The old side of a comparison goes by its own name. */
static int report_measured(const Measurement *measurement, size_t index, Arena *arena, Benchd__BenchmarkResult *result,
                WarningList *warnings) {
        const PlanEntry *entry = &measurement->plan->entries[measurement->plan->benchmarks[index].entry];
        const MeasuredBenchmark *benchmark = &measurement->benchmarks[index];
        int r;

        report_too_few(measurement, index, arena, warnings);
        r = estimate_report(benchmark->estimates[benchmark->next_side],
                        benchmark->wanted < benchmark->n_done ? benchmark->wanted : benchmark->n_done, arena, result,
                        warnings);
        if (r == 0)
                r = kept_samples_report(&benchmark->kept[benchmark->next_side], arena, result);
        if (r == 0 && benchmark->steps)
                r = method_steps_report(benchmark->steps, arena, result);
        if (r == 0 && benchmark->runs)
                r = method_runs_report(benchmark->runs, arena, result);
        if (r == 0 && benchmark->memory)
                r = memory_count_report(benchmark->memory, arena, result, warnings);
        if (r)
                return error_trace(r);
        if (measurement->plan->n_sides == 1)
                return 0;
        result->side = arena_text(arena, benchmark->next_side == 0 ? "new" : "old");
        if (benchmark->next_side > 0) {
                result->name = arena_text(arena, entry->old.name);
                result->title = arena_text(arena, entry->old_title);
                result->area = arena_text(arena, entry->old.area);
                result->about = NULL; /* the new module's */
                if (measurement->plan->options & RUNNER_OPTION_COMMANDS)
                        message_set(result, reference, true);
        }
        return 0;
}

static int measurement_report(const Measurement *measurement, size_t index, Arena *arena,
                Benchd__BenchmarkResult *result) {
        const PlanBenchmark *planned = &measurement->plan->benchmarks[index];
        const MeasuredBenchmark *benchmark = &measurement->benchmarks[index];
        WarningList warnings = {};
        int r;

        r = report_identity(measurement->plan, index, arena, result);
        if (r == 0 && benchmark->estimates[0])
                r = report_measured(measurement, index, arena, result, &warnings);
        if (r)
                return error_trace(r);
        if (!benchmark->estimates[0]) {
                ProcessEnd end;

                if (benchmark->failure)
                        end = *benchmark->failure;
                else
                        process_end_explain_unrun(measurement->plan, planned, &end);
                result->failed = message_new(arena, Benchd__Failure, benchd__failure);
                if (!result->failed)
                        return error_origin(-ENOMEM);
                result->failed->code = arena_text(arena, end.code);
                result->failed->message = arena_text(arena, end.message);
        }
        report_warnings(benchmark, planned, result, measurement->plan->precision, arena, &warnings);
        result->warnings = warnings.texts.texts;
        result->n_warnings = warnings.texts.n;
        result->findings = warnings.findings;
        result->n_findings = warnings.n_findings;
        if (benchmark->memory_peak_bytes > 0)
                message_set(result, memory_peak_bytes, benchmark->memory_peak_bytes);
        if (benchmark->output) {
                result->output = arena_lines(arena, benchmark->output, benchmark->n_output);
                message_set(result, output_bytes, benchmark->n_printed);
        }
        return error_trace(arena_check(arena));
}

/* The new side is reported before the old one; a failure is reported once. */
int measurement_take_result(Measurement *measurement, bool partial, Arena *arena,
                Benchd__BenchmarkResult **ret_result) {
        const Plan *plan = measurement->plan;
        size_t index = measurement->first_unreported;
        Benchd__BenchmarkResult *result;
        MeasuredBenchmark *benchmark;
        bool whole;
        int r;

        while (index < plan->n_benchmarks && measurement->benchmarks[index].reported)
                index++;
        measurement->first_unreported = index;
        for (; index < plan->n_benchmarks; index++) {
                const MeasuredBenchmark *of = &measurement->benchmarks[index];

                if (!of->reported && (measured_benchmark_is_over(of) || (partial && of->n_done > 0)))
                        break;
        }
        if (index == plan->n_benchmarks) {
                *ret_result = NULL;
                return 0;
        }

        benchmark = &measurement->benchmarks[index];
        result = message_new(arena, Benchd__BenchmarkResult, benchd__benchmark_result);
        if (!result)
                return error_origin(-ENOMEM);
        r = measurement_report(measurement, index, arena, result);
        if (r)
                return error_trace(r);
        benchmark->has_rare_part |= result->amortised != NULL;
        whole = benchmark->n_done == benchmark->processes && result->time_ns && result->time_ns->has_point;
        measurement->points_ns[index] = whole ? result->time_ns->point : NAN;
        measurement->count.measured += benchmark->estimates[0] != NULL;
        if (benchmark->estimates[0]) {
                measurement->count.instruments |= estimate_instruments(benchmark->estimates[benchmark->next_side]);
                measurement->count.untold += estimate_is_blind(benchmark->estimates[benchmark->next_side]);
        }
        measurement->count.unfit += (result->disturbed && result->disturbed->unfit) || result->debugger_attached;
        if (!benchmark->estimates[0] || ++benchmark->next_side == plan->n_sides) {
                benchmark->reported = true;
                measurement->n_kept -= benchmark->n_kept;
                measured_benchmark_clear(benchmark);
        }
        *ret_result = result;
        return 0;
}

/* ---- of a comparison */

const PairedRatios *measurement_ratios(const Measurement *measurement, size_t index) {
        return measured_benchmark_ratios(&measurement->benchmarks[index]);
}

const PairedRatios *measurement_mean_ratios(const Measurement *measurement, size_t index) {
        const MeasuredBenchmark *benchmark = &measurement->benchmarks[index];

        return benchmark->has_rare_part ? &benchmark->mean_ratios : NULL;
}

bool measurement_has_failed(const Measurement *measurement, size_t index) {
        return measurement->benchmarks[index].failed || measurement->plan->benchmarks[index].processes == 0;
}

bool measurement_ratios_are_shared(const Measurement *measurement, size_t index) {
        return measured_benchmark_is_shared(&measurement->benchmarks[index]);
}

SequencePoint measurement_sequence(const Measurement *measurement, size_t index) {
        return measured_benchmark_sequence(&measurement->benchmarks[index], measurement->plan->margin);
}

SequenceOutcome measurement_sequence_outcome(const Measurement *measurement, size_t index) {
        return measurement->benchmarks[index].outcome;
}

const uint64_t *measurement_loop_addresses(const Measurement *measurement, size_t index) {
        return measurement->benchmarks[index].loop_addresses;
}

/* The old side's name is added only if it differs. */
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
