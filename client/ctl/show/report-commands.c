/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Whole commands: the lines above their table, and each verdict as a sentence.
 */

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/base/typeset.h"
#include "ctl/base/unit.h"
#include "ctl/model/findings.h"
#include "ctl/model/result.h"
#include "ctl/model/view.h"
#include "ctl/show/report.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/text-stream.h"

#define TITLE_WIDTH_MAX 48u /* in a sentence */
#define RATIO_FACTOR    1.5 /* from here on "1.6 times as long" says more than "60 % longer" */

/* ---- above the table */

void report_print_commands(const json_t *result, FILE *out) {
        const json_t *rows = result_rows(result), *reference = json_find(rows, "side", "old");
        const size_t n = json_array_size(result_comparisons(result));

        if (n > 1)
                fprintf(out, "%zu commands", n);
        else
                fputs(json_text_or(json_array_get(rows, 0), "title", "?"), out);
        if (reference && !json_at(result, "baseline"))
                fprintf(out, " against %s", json_text_or(reference, "title", "?"));
}

/* "on CPU 1", "on CPUs 1,3" */
static void print_cpus(const json_t *result, FILE *out) {
        const json_t *cpus = json_at(result, "environment.cpus"), *cpu;

        json_each(i, cpu, cpus) {
                fprintf(out, "%s%" JSON_INTEGER_FORMAT,
                                i > 0                       ? ","
                                : json_array_size(cpus) > 1 ? ", on CPUs "
                                                            : ", on CPU ",
                                json_integer_value(cpu));
        }
}

/* The runs that were measured: "10 processes × 5 runs", or, where processes differ, "47 runs in 10 processes". */
static void print_runs(const json_t *row, FILE *out) {
        const double runs = json_number_or(row, "samples", 0);
        const size_t processes = json_array_size(json_at(row, "processes"));
        const char *plural = processes == 1 ? "" : "es";

        if (processes > 0 && fmod(runs, (double)processes) == 0)
                fprintf(out, "%zu process%s × %.0f run%s", processes, plural, runs / (double)processes,
                                runs == (double)processes ? "" : "s");
        else
                fprintf(out, "%.0f run%s in %zu process%s", runs, runs == 1 ? "" : "s", processes, plural);
}

static bool are_alike(const json_t *rows) {
        const json_t *row;

        json_each(i, row, rows) {
                if (!json_is_same(row, json_array_get(rows, 0), "samples"))
                        return false;
        }
        return true;
}

/* Its runs are those of the plan where commands differ. */
void report_describe_commands(const json_t *result, const View *view, FILE *out) {
        const json_t *rows = result_rows(result);
        const json_t *comparison = json_array_get(result_comparisons(result), 0); /* all have one margin */
        const bool turns = comparison && !json_at(result, "baseline");
        const size_t n = json_array_size(rows);
        const json_t *seed = json_at(result, "seed");
        char text[UNIT_TEXT_MAX];
        double precision, margin;

        if (turns && n == 2)
                fputs("in turns, each ", out);
        else if (turns)
                fputs("each in turns with the reference: ", out);
        if (are_alike(rows))
                print_runs(json_array_get(rows, 0), out);
        else
                fprintf(out, "up to %.0f processes × %.0f runs", json_number_or(result, "plan.processes", 0),
                                json_number_or(result, "plan.samples", 0));
        print_cpus(result, out);
        if (json_number_at(result, "plan.precision", &precision))
                fprintf(out, ", for ± %s", unit_share(precision, text));
        if (json_number_at(comparison, "margin", &margin))
                fprintf(out, ", margin %s", unit_share(margin, text));
        if (view->details && json_is_integer(seed))
                fprintf(out, ", seed %" JSON_INTEGER_FORMAT, json_integer_value(seed));
}

/* A row has the label of the other command. */
static void print_reference_label(const json_t *result, FILE *out) {
        const json_t *row;

        json_each(i, row, result_rows(result)) {
                if (!json_text_is(row, "side", "old") || !json_text_at(row, "label"))
                        continue;
                fprintf(out, " (%s)", json_text_at(row, "label"));
                return;
        }
}

void report_describe_reference(const json_t *result, const View *view, FILE *out) {
        const json_t *row = json_find(result_rows(result), "side", "old");

        if (!row || json_at(result, "baseline"))
                return;
        fprintf(out, "reference: %s", json_text_or(row, "title", "?"));
        print_reference_label(result, out);
}

void report_describe_starts(const json_t *result, const View *view, FILE *out) {
        const json_t *row = json_array_get(result_rows(result), 0);
        const double shell_ns = json_number_or(row, "counters.shell_ns", 0);
        const double start_ns = json_number_or(row, "counters.start_ns", 0);
        char text[UNIT_TEXT_MAX];

        if (shell_ns > 0)
                fprintf(out, "taken off each run: %s, the start of the shell", unit_time(shell_ns, text));
        if (start_ns > 0)
                fprintf(out, "%san empty program takes %s", shell_ns > 0 ? "; " : "", unit_time(start_ns, text));
}

/* ---- verdicts */

static void print_title(const json_t *row, FILE *out) {
        fputc('\'', out);
        typeset_print(json_text_or(row, "title", "?"), TITLE_WIDTH_MAX, out);
        fputc('\'', out);
}

/* A baseline is of the same command. */
static void print_other(const json_t *pair, FILE *out) {
        const json_t *old = json_at(pair, "old");

        if (json_flag_at(old, "reference"))
                print_title(old, out);
        else
                fputs("the baseline", out);
}

/* "8.2 % longer", "5.1 % less" */
static void print_change(double ratio, FILE *out) {
        char text[UNIT_TEXT_MAX];

        fprintf(out, "%s %s", unit_share(fabs(ratio - 1), text), ratio < 1 ? "less" : "more");
}

static void print_changed(const json_t *pair, RowEstimate ratio, FILE *out) {
        const bool slower = ratio.point > 1;
        const double error = (ratio.high - ratio.low) / 2;
        char point[UNIT_TEXT_MAX], low[UNIT_TEXT_MAX], high[UNIT_TEXT_MAX];

        print_title(json_at(pair, "new"), out);
        if (slower ? ratio.point >= RATIO_FACTOR : 1 / ratio.point >= RATIO_FACTOR) {
                const RowEstimate told =
                                slower ? ratio : (RowEstimate){ 1 / ratio.point, 1 / ratio.high, 1 / ratio.low };
                const double told_error = slower ? error : (told.high - told.low) / 2;

                fprintf(out, slower ? " takes %s times as long as " : " is %s times as fast as ",
                                unit_to_error(told.point, told_error, point));
                print_other(pair, out);
                fprintf(out, " (%s … %s)", unit_to_error(told.low, told_error, low),
                                unit_to_error(told.high, told_error, high));
                return;
        }
        fputs(" takes ", out);
        print_change(ratio.point, out);
        fputs(" time than ", out);
        print_other(pair, out);
        fprintf(out, " (%s … %s)", unit_share(fabs((slower ? ratio.low : ratio.high) - 1), low),
                        unit_share(fabs((slower ? ratio.high : ratio.low) - 1), high));
}

/* Far from 1 it is a neighbour that leaves it undecided, and a share of so many percent would be hard to read. */
static void print_undecided(RowEstimate ratio, FILE *out) {
        const double error = (ratio.high - ratio.low) / 2;
        char low[UNIT_TEXT_MAX], high[UNIT_TEXT_MAX];

        fputs(" is not decided: between ", out);
        if (ratio.low >= RATIO_FACTOR || ratio.high <= 1 / RATIO_FACTOR) {
                fprintf(out, "%s and %s times as long", unit_to_error(ratio.low, error, low),
                                unit_to_error(ratio.high, error, high));
                return;
        }
        print_change(ratio.low, out);
        fputs(" and ", out);
        print_change(ratio.high, out);
        fputs(" time", out);
}

static void print_verdict(const json_t *pair, FILE *out) {
        const RowEstimate ratio = row_ratio(pair);
        char margin[UNIT_TEXT_MAX];

        if (json_text_is(pair, "verdict", "faster") || json_text_is(pair, "verdict", "slower")) {
                print_changed(pair, ratio, out);
                return;
        }
        print_title(json_at(pair, "new"), out);
        if (json_text_is(pair, "verdict", "same")) {
                fputs(" takes as long as ", out);
                print_other(pair, out);
                fprintf(out, ", within the margin of %s", unit_share(json_number_or(pair, "margin", 0), margin));
                return;
        }
        fputs(" against ", out);
        print_other(pair, out);
        print_undecided(ratio, out);
}

int report_commands_each_verdict(const json_t *pairs, FindingTake take, void *where) {
        const json_t *pair;

        json_each(i, pair, pairs) {
                _cleanup_(text_stream_clear) TextStream text = {};
                int r;

                if (!row_is_command(pair) || !isfinite(row_ratio(pair).low) || !isfinite(row_ratio(pair).high))
                        continue;
                print_verdict(pair, text_stream_open(&text));
                r = text_stream_close(&text);
                if (r == 0)
                        r = take(where, text.text);
                if (r)
                        return error_trace(r);
        }
        return 0;
}
