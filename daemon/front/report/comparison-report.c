/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/report/comparison-report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "front/base/message.h"
#include "front/samples/estimate.h"
#include "front/samples/finding.h"
#include "front/samples/paired-ratio.h"
#include "ops/runner-plan.h"
#include "stats/comparison.h"
#include "stats/sequence.h"
#include "util/cleanup.h"
#include "util/error.h"

#define COMPARISON_REPORT_CONFIDENCE 0.95
#define COMPARISON_REPORT_ROUNDS_MAX 50u /* of a request */

/* Compares @ratios as the row @index is compared: by process, or in rounds by round. Returns 0, COMPARISON_E_TOO_FEW, or a negative errno. */
static int ratios_compare(const Measurement *measurement, const PairedRatios *ratios, const SequencePoint *at,
                Comparison *ret_comparison) {
        _cleanup_(paired_ratios_clear) PairedRatios means = {};
        int r;

        if (measurement_plan(measurement)->n_rounds == 1)
                return sequence_compare(ratios->logs, ratios->places, ratios->n, at, ret_comparison);
        r = paired_ratios_by_round(ratios, &means);
        return r ? error_trace(r) : sequence_compare(means.logs, NULL, means.n, at, ret_comparison);
}

/* Compares each benchmark of @measurement: a row of no processes has too few. Returns a negative errno or 0; the caller frees the rows. */
static int rows_make(const Measurement *measurement, Comparison **ret_rows) {
        const ComparisonRule rule = { .confidence = COMPARISON_REPORT_CONFIDENCE };
        const size_t n = measurement_plan(measurement)->n_benchmarks;
        _cleanup_(freep) Comparison *rows = calloc(n + 1, sizeof *rows);
        int r;

        if (!rows)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < n; i++) {
                const PairedRatios *ratios = measurement_ratios(measurement, i);
                const SequencePoint at = measurement_sequence(measurement, i);

                r = ratios_compare(measurement, ratios, &at, &rows[i]);
                if (r < 0)
                        return error_trace(r);
                if (r == 0)
                        sequence_foresee(&rows[i], &at);
        }
        r = comparisons_adjust(rows, n, &rule);
        if (r)
                return error_trace(r);
        *ret_rows = take_pointer(rows);
        return 0;
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

/* Too few processes for an interval: the row has neither interval nor verdict. */
static void warn_too_few(size_t n, bool in_rounds, Arena *arena, WarningList *warnings) {
        if (in_rounds) {
                warning_add(warnings, arena, WARNING_TOO_FEW_PAIRS,
                                "fewer than %u of its rounds have a ratio, of %zu processes in all: an interval over "
                                "rounds takes as many. Use more --rounds",
                                COMPARISON_N_MIN, n);
                return;
        }
        warning_add(warnings, arena, WARNING_TOO_FEW_PAIRS,
                        "%zu of its processes could be compared, and an interval takes %u. Use more --processes; "
                        "and where a batch is no longer than the time deducted for the clock and pauses, more work "
                        "in each",
                        n, COMPARISON_N_MIN);
}

static void fill_unresolved(const Comparison *row, Arena *arena, Benchd__ComparisonResult *message,
                WarningList *warnings) {
        const ComparisonDoubt doubt = comparison_doubt(row);

        if (doubt == COMPARISON_DOUBT_CHANCE)
                warning_add(warnings, arena, WARNING_CHANCE_AMONG_ROWS,
                                "beyond the margin on its own, but among %zu rows chance alone produces one like "
                                "it: measure it alone, by its name",
                                row->n_rows);
        else if (doubt == COMPARISON_DOUBT_COARSE_CLOCK)
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

static int report_interval(const Comparison *row, Arena *arena, Benchd__Interval **ret_interval) {
        Benchd__Interval *interval = message_new(arena, Benchd__Interval, benchd__interval);

        if (!interval)
                return error_origin(-ENOMEM);
        message_set_finite(interval, point, row->ratio);
        message_set_finite(interval, low, row->low);
        message_set_finite(interval, high, row->high);
        *ret_interval = interval;
        return 0;
}

int comparison_report_row(const Comparison *row, double margin, Arena *arena, Benchd__ComparisonResult *message,
                WarningList *warnings) {
        int r;

        r = report_interval(row, arena, &message->ratio);
        if (r)
                return error_trace(r);
        message_set(message, verdict, verdict_of(row));
        message_set_finite(message, margin, margin);
        message_set_finite(message, detectable, row->detectable);
        message_set_finite(message, p_value, row->p_value);
        if (row->verdict == COMPARISON_UNRESOLVED)
                fill_unresolved(row, arena, message, warnings);
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

void comparison_report_warn_shared(Arena *arena, Benchd__ComparisonResult *message, WarningList *warnings) {
        warning_add(warnings, arena, WARNING_UNFIT_SHARED_CORE,
                        "the core was shared in too many turns: the ratio is that beside a busy neighbour. Run it "
                        "again later, on other CPUs (--cpus), or with a longer --budget");
        message_set(message, verdict, BENCHD__COMPARISON_RESULT__VERDICT__UNRESOLVED);
        message->has_processes_needed = message->has_rounds_needed = 0;
}

size_t comparison_report_count_shared(const Benchd__RunResult *result) {
        const char *kind = warning_words(WARNING_UNFIT_SHARED_CORE)->kind;
        size_t n = 0;

        for (size_t i = 0; i < result->n_comparisons; i++)
                for (size_t j = 0; j < result->comparisons[i]->n_findings; j++)
                        n += strcmp(result->comparisons[i]->findings[j]->kind, kind) == 0;
        return n;
}

/* The averages hold the rare slow parts, which no median shows. A warning names their verdict if it differs; a @shared row has no averages. */
static int report_mean_ratio(const Measurement *measurement, size_t index, Arena *arena,
                Benchd__ComparisonResult *message, WarningList *warnings) {
        const PairedRatios *ratios = measurement_mean_ratios(measurement, index);
        const bool shared = measurement_ratios_are_shared(measurement, index);
        SequencePoint at = measurement_sequence(measurement, index);
        Comparison comparison;
        int r;

        at.step = 0;
        r = ratios ? ratios_compare(measurement, ratios, &at, &comparison) : (int)COMPARISON_E_TOO_FEW;
        if (r)
                return r > 0 ? 0 : error_trace(r);
        r = report_interval(&comparison, arena, &message->mean_ratio);
        if (r)
                return error_trace(r);
        message_set(message, mean_verdict,
                        shared ? BENCHD__COMPARISON_RESULT__VERDICT__UNRESOLVED : verdict_of(&comparison));
        if (!message->has_verdict || message->mean_verdict != message->verdict)
                warning_add(warnings, arena, WARNING_MEAN_RATIO,
                                "a side has a rare slow part that the ratio has nothing of: on average the ratio is "
                                "%.4g (%.4g to %.4g)",
                                comparison.ratio, comparison.low, comparison.high);
        return 0;
}

static void report_look(const Measurement *measurement, size_t index, Benchd__ComparisonResult *message) {
        static const Benchd__ComparisonResult__End ends[] = {
                [SEQUENCE_DECIDED] = BENCHD__COMPARISON_RESULT__END__DECIDED,
                [SEQUENCE_HOPELESS] = BENCHD__COMPARISON_RESULT__END__HOPELESS,
                [SEQUENCE_LAST] = BENCHD__COMPARISON_RESULT__END__LAST,
        };
        const SequencePoint at = measurement_sequence(measurement, index);
        const SequenceOutcome outcome = measurement_sequence_outcome(measurement, index);

        message_set_finite(message, confidence, sequence_rule(&at).confidence);
        if (outcome != SEQUENCE_GOES_ON)
                message_set(message, end, ends[outcome]);
}

/* A row of a run in rounds has of rounds what others have of processes. */
static void report_rounds(const Comparison *row, Benchd__ComparisonResult *message) {
        message_set(message, rounds, row->difference.n);
        if (message->has_processes_needed && message->processes_needed <= COMPARISON_REPORT_ROUNDS_MAX)
                message_set(message, rounds_needed, message->processes_needed);
        message->has_processes_needed = 0;
}

static int add_row(const Measurement *measurement, size_t index, const Comparison *row, Arena *arena,
                Benchd__RunResult *result) {
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
        if (row->difference.n > 0) {
                report_look(measurement, index, message);
                r = comparison_report_row(row, measurement_plan(measurement)->margin, arena, message, &warnings);
                if (measurement_plan(measurement)->n_rounds > 1)
                        report_rounds(row, message);
                if (measurement_ratios_are_shared(measurement, index))
                        comparison_report_warn_shared(arena, message, &warnings);
                comparison_report_warn_placement(measurement_loop_addresses(measurement, index),
                                paired_ratios_step_bytes(ratios), arena, &warnings);
        } else if (!measurement_has_failed(measurement, index))
                warn_too_few(ratios->n, measurement_plan(measurement)->n_rounds > 1, arena, &warnings);
        if (r == 0)
                r = report_mean_ratio(measurement, index, arena, message, &warnings);
        message->warnings = warnings.texts.texts;
        message->n_warnings = warnings.texts.n;
        message->findings = warnings.findings;
        message->n_findings = warnings.n_findings;
        return error_trace(r);
}

int comparison_report_fill(const Measurement *measurement, Arena *arena, Benchd__RunResult *result) {
        size_t n = measurement_plan(measurement)->n_benchmarks;
        _cleanup_(freep) Comparison *rows = NULL;
        int r;

        r = rows_make(measurement, &rows);
        if (r)
                return error_trace(r);
        result->comparisons = arena_zero(arena, (n + 1) * sizeof *result->comparisons);
        if (!result->comparisons)
                return error_origin(-ENOMEM);
        for (size_t i = 0; r == 0 && i < n; i++)
                r = add_row(measurement, i, &rows[i], arena, result);
        return error_trace(r);
}
