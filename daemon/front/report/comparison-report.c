/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/report/comparison-report.h"

#include <inttypes.h>
#include <stdlib.h>

#include "front/base/message.h"
#include "front/samples/estimate.h"
#include "front/samples/finding.h"
#include "front/samples/paired-ratio.h"
#include "ops/runner-plan.h"
#include "stats/comparison.h"
#include "util/cleanup.h"
#include "util/error.h"

#define COMPARISON_REPORT_CONFIDENCE 0.95

/* All rows that could be compared, in order, and the benchmark of each. */
typedef struct Comparing {
        Comparison *rows;
        size_t *indices;
        size_t n;
} Comparing;

static void comparing_clear(Comparing *comparing) {
        free(comparing->rows);
        free(comparing->indices);
}

/* Compares the benchmark at @index, if it has processes enough. */
static void comparing_compare(const Measurement *measurement, size_t index, ComparisonRule rule, Comparing *comparing) {
        const PairedRatios *ratios = measurement_ratios(measurement, index);

        rule.step = measurement_log_step(measurement, index);
        if (comparison_paired(ratios->logs, ratios->places, ratios->n, &rule, &comparing->rows[comparing->n]))
                return;
        comparison_foresee(&comparing->rows[comparing->n], &rule);
        comparing->indices[comparing->n++] = index;
}

static int comparing_make(const Measurement *measurement, const ComparisonRule *rule, Comparing *comparing) {
        size_t n_benchmarks = measurement_plan(measurement)->n_benchmarks;

        comparing->rows = calloc(n_benchmarks + 1, sizeof *comparing->rows);
        comparing->indices = calloc(n_benchmarks + 1, sizeof *comparing->indices);
        if (!comparing->rows || !comparing->indices)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < n_benchmarks; i++)
                comparing_compare(measurement, i, *rule, comparing);
        return error_trace(comparisons_adjust(comparing->rows, comparing->n, rule));
}

static Benchd__ComparisonResult__Verdict verdict_of(const Comparison *row) {
        static const Benchd__ComparisonResult__Verdict verdicts[_COMPARISON_VERDICT_N] = {
                [COMPARISON_UNRESOLVED] = BENCHD__COMPARISON_RESULT__VERDICT__UNRESOLVED,
                [COMPARISON_SAME] = BENCHD__COMPARISON_RESULT__VERDICT__SAME,
                [COMPARISON_FASTER] = BENCHD__COMPARISON_RESULT__VERDICT__FASTER,
                [COMPARISON_SLOWER] = BENCHD__COMPARISON_RESULT__VERDICT__SLOWER,
        };

        return verdicts[row->verdict];
}

static void fill_unresolved(const Comparison *row, size_t n_rows, Arena *arena, Benchd__ComparisonResult *message,
                WarningList *warnings) {
        if (row->taken_back)
                warning_add(warnings, arena, WARNING_CHANCE_AMONG_ROWS,
                                "beyond the margin on its own, but among %zu rows chance alone produces one like "
                                "it: compare this benchmark alone, by its name",
                                n_rows);
        else if (row->step > 0)
                warning_add(warnings, arena, WARNING_COARSE_CLOCK,
                                "the clock's steps are %.10g %% of its batches, and more processes do not help: use "
                                "more iterations, or more work in each",
                                finding_two_digits(100 * row->step));
        else if (row->processes_needed > RUNNER_PROCESSES_MAX)
                warning_add(warnings, arena, WARNING_UNDECIDABLE,
                                "not even %u processes would settle it: the ratio is at the edge of the margin, or "
                                "varies too much. Use another --margin, or a quieter machine",
                                RUNNER_PROCESSES_MAX);
        else
                message_set(message, processes_needed, row->processes_needed);
}

int comparison_report_row(const Comparison *row, size_t n_rows, double margin, Arena *arena,
                Benchd__ComparisonResult *message, WarningList *warnings) {
        message->ratio = message_new(arena, Benchd__Interval, benchd__interval);
        if (!message->ratio)
                return error_origin(-ENOMEM);
        message_set_finite(message->ratio, point, row->ratio);
        message_set_finite(message->ratio, low, row->low);
        message_set_finite(message->ratio, high, row->high);
        message_set(message, verdict, verdict_of(row));
        message_set_finite(message, margin, margin);
        message_set_finite(message, detectable, row->detectable);
        message_set_finite(message, p_value, row->p_value);
        if (row->verdict == COMPARISON_UNRESOLVED)
                fill_unresolved(row, n_rows, arena, message, warnings);
        return 0;
}

void comparison_report_warn_placement(const uint64_t addresses[static RUNNER_SIDES_MAX], uint32_t step_bytes,
                Arena *arena, WarningList *warnings) {
        const uint64_t new = addresses[0] % ESTIMATE_LINE_BYTES, old = addresses[1] % ESTIMATE_LINE_BYTES;

        if (step_bytes == RUNNER_IMAGE_OFFSET_MAX / RUNNER_IMAGE_OFFSETS || addresses[0] == 0 || addresses[1] == 0 ||
                        new % step_bytes == old % step_bytes)
                return;
        warning_add(warnings, arena, WARNING_PLACEMENT_DIFFERS,
                        "the two loops lie at different offsets in their cache lines (old %" PRIu64 ", new %" PRIu64
                        " bytes): part of the ratio may be placement, which no interval shows. -falign-functions=64 "
                        "on both sides gives equal code equal offsets",
                        old, new);
}

/* Too few processes for an interval: the row has neither interval nor verdict. */
static void warn_too_few(size_t n, Arena *arena, WarningList *warnings) {
        warning_add(warnings, arena, WARNING_TOO_FEW_PAIRS,
                        "%zu of its processes could be compared, and an interval takes %u. Use more --processes; "
                        "and where a batch is no longer than the time deducted for the clock and pauses, more work "
                        "in each",
                        n, COMPARISON_N_MIN);
}

void comparison_report_warn_shared(Arena *arena, Benchd__ComparisonResult *message, WarningList *warnings) {
        warning_add(warnings, arena, WARNING_UNFIT_SHARED_CORE,
                        "the core was shared in too many turns: the ratio is that beside a busy neighbour. Run it "
                        "again later, on other CPUs (--cpus), or with a longer --budget");
        message_set(message, verdict, BENCHD__COMPARISON_RESULT__VERDICT__UNRESOLVED);
        message->has_processes_needed = 0;
}

/* The averages hold the rare slow parts, which no median shows. A warning names their verdict if it differs; a @shared row has no averages. */
static int report_mean_ratio(const PairedRatios *ratios, bool shared, double margin, Arena *arena,
                Benchd__ComparisonResult *message, WarningList *warnings) {
        const ComparisonRule rule = { .confidence = COMPARISON_REPORT_CONFIDENCE, .margin = margin };
        Comparison comparison;

        if (!ratios || comparison_paired(ratios->logs, ratios->places, ratios->n, &rule, &comparison) != 0)
                return 0;
        message->mean_ratio = message_new(arena, Benchd__Interval, benchd__interval);
        if (!message->mean_ratio)
                return error_origin(-ENOMEM);
        message_set_finite(message->mean_ratio, point, comparison.ratio);
        message_set_finite(message->mean_ratio, low, comparison.low);
        message_set_finite(message->mean_ratio, high, comparison.high);
        message_set(message, mean_verdict,
                        shared ? BENCHD__COMPARISON_RESULT__VERDICT__UNRESOLVED : verdict_of(&comparison));
        if (!message->has_verdict || message->mean_verdict != message->verdict)
                warning_add(warnings, arena, WARNING_MEAN_RATIO,
                                "a side has a rare slow part that the ratio has nothing of: on average the ratio is "
                                "%.4g (%.4g to %.4g)",
                                comparison.ratio, comparison.low, comparison.high);
        return 0;
}

static int comparing_add(const Measurement *measurement, size_t index, const Comparison *row, size_t n_rows,
                double margin, Arena *arena, Benchd__RunResult *result) {
        Benchd__ComparisonResult *message = message_new(arena, Benchd__ComparisonResult, benchd__comparison_result);
        const PairedRatios *ratios = measurement_ratios(measurement, index);
        WarningList warnings = {};
        int r;

        if (!message)
                return error_origin(-ENOMEM);
        message_set(message, processes, ratios->n);
        r = measurement_identify(measurement, index, arena, message);
        if (r)
                return error_trace(r);
        result->comparisons[result->n_comparisons++] = message;
        if (row) {
                r = comparison_report_row(row, n_rows, margin, arena, message, &warnings);
                if (measurement_ratios_are_shared(measurement, index))
                        comparison_report_warn_shared(arena, message, &warnings);
                comparison_report_warn_placement(measurement_loop_addresses(measurement, index),
                                paired_ratios_step_bytes(ratios), arena, &warnings);
        } else if (!measurement_has_failed(measurement, index))
                warn_too_few(ratios->n, arena, &warnings);
        if (r == 0)
                r = report_mean_ratio(measurement_mean_ratios(measurement, index),
                                measurement_ratios_are_shared(measurement, index), margin, arena, message, &warnings);
        message->warnings = warnings.texts.texts;
        message->n_warnings = warnings.texts.n;
        message->findings = warnings.findings;
        message->n_findings = warnings.n_findings;
        return error_trace(r);
}

int comparison_report_fill(const Measurement *measurement, double margin, Arena *arena, Benchd__RunResult *result) {
        const ComparisonRule rule = { .confidence = COMPARISON_REPORT_CONFIDENCE, .margin = margin };
        _cleanup_(comparing_clear) Comparing comparing = {};
        size_t n = measurement_plan(measurement)->n_benchmarks;
        int r;

        r = comparing_make(measurement, &rule, &comparing);
        if (r)
                return error_trace(r);
        result->comparisons = arena_zero(arena, (n + 1) * sizeof *result->comparisons);
        if (!result->comparisons)
                return error_origin(-ENOMEM);
        for (size_t i = 0, k = 0; r == 0 && i < n; i++) {
                const Comparison *row = k < comparing.n && comparing.indices[k] == i ? &comparing.rows[k++] : NULL;

                r = comparing_add(measurement, i, row, comparing.n, margin, arena, result);
        }
        return error_trace(r);
}
