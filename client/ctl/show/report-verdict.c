/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The verdict on a result in one line. It counts rows by the words that stand in them, their verdicts and notes, so that it says no more
 * and no less than the table. The empty loop that an older method subtracts is no row.
 */

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "ctl/base/job-id.h"
#include "ctl/base/json-path.h"
#include "ctl/base/typeset.h"
#include "ctl/model/findings.h"
#include "ctl/model/result.h"
#include "ctl/model/rows.h"
#include "ctl/model/view.h"
#include "ctl/show/grid.h"
#include "ctl/show/report.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/text-stream.h"

#define METHOD_USUAL "benchd" /* how a run departed from it follows the name */

/* ---- words of verdicts */

typedef struct Verdict {
        const char *word;
        const char *title;
        GridStyle style;
} Verdict;

static const Verdict verdicts[] = {
        { "fit", "OK", GRID_GOOD },
        { "unfit", "Not reliable", GRID_CAUTION },
        { "cannot-tell", "Cannot tell", GRID_CAUTION },
        { "partial", "Partial", GRID_CAUTION },
        { "failed", "Failed", GRID_BAD },
        { "skipped", "Skipped", GRID_CAUTION },
};

static const Verdict *verdict_of(const json_t *result) {
        static const Verdict unknown = { "", "No verdict", GRID_CAUTION };
        const char *word = json_text_or(result, "verdict", "");

        for (size_t i = 0; i < N_ELEMENTS(verdicts); i++)
                if (strcmp(verdicts[i].word, word) == 0)
                        return &verdicts[i];
        return &unknown;
}

GridStyle report_verdict_style(const json_t *result) {
        return verdict_of(result)->style;
}

void report_print_verdict_title(const json_t *result, FILE *out) {
        fputs(verdict_of(result)->title, out);
}

/* ---- counts of rows */

typedef bool (*RowHas)(const json_t *row, const char *word);

static size_t count_rows(const json_t *rows, RowHas has, const char *word) {
        const json_t *row;
        size_t n = 0;

        json_each(i, row, rows) {
                n += has(row, word);
        }
        return n;
}

/* Benchmarks without a number, by the code of their failure. */
static const struct {
        const char *code; /* "": any other */
        const char *word;
} failures[] = {
        { "skipped", "skipped" },
        { "cancelled", "cancelled" },
        { "", "failed" },
};

static bool has_failure(const json_t *row, const char *code) {
        const char *own = json_text_or(row, "failed.code", "");
        size_t i = 0;

        while (*failures[i].code && strcmp(failures[i].code, own) != 0)
                i++;
        return row_has_failed(row) && strcmp(failures[i].code, code) == 0;
}

void report_print_failures(const json_t *rows, size_t n_rows, FILE *out) {
        for (size_t i = 0; i < N_ELEMENTS(failures); i++) {
                const size_t n = count_rows(rows, has_failure, failures[i].code);

                if (n > 0 && n < n_rows)
                        fprintf(out, ", %zu %s", n, failures[i].word);
        }
}

bool report_row_has_verdict(const json_t *row, const char *verdict) {
        return !row_has_failed(row) && strcmp(json_text_or(row, "verdict", ""), verdict) == 0;
}

const ReportOutcome report_outcomes[REPORT_OUTCOMES] = {
        { "slower", "slower", true },
        { "faster", "faster", true },
        { "same", "same", false },
        { "unresolved", "unresolved", false },
        { "", "without a ratio", false },
};

void report_print_outcomes(const json_t *pairs, const char *separator, FILE *out) {
        for (size_t i = 0; i < REPORT_OUTCOMES; i++) {
                const size_t n = count_rows(pairs, report_row_has_verdict, report_outcomes[i].verdict);

                if (n == 0)
                        continue;
                fprintf(out, "%s%zu %s", separator, n, report_outcomes[i].words);
                separator = ", ";
        }
}

/* @note NULL: any. */
static bool has_unfit_note(const json_t *row, const char *note) {
        const char *own = findings_unfit_note(row);

        return own && (!note || strcmp(own, note) == 0);
}

static bool is_unwatched(const json_t *row, const char *word) {
        return findings_has(row, WARNING_UNWATCHED);
}

/* " (1 while shared, 1 traced)", of the rows whose note is not the title's. */
static void print_reasons(const json_t *rows, FILE *out) {
        const char *const notes[] = { warning_words(WARNING_UNFIT_SHARED_CORE)->note,
                warning_words(WARNING_TRACED)->note };
        const char *separator = " (";

        for (size_t i = 0; i < N_ELEMENTS(notes); i++) {
                const size_t n = count_rows(rows, has_unfit_note, notes[i]);

                if (n == 0)
                        continue;
                fprintf(out, "%s%zu %s", separator, n, notes[i]);
                separator = ", ";
        }
        fputs(*separator == ',' ? ")" : "", out);
}

/* ---- the line */

/* Departures that no warning names. */
static void print_conditions(const json_t *result, FILE *out) {
        const char *method = json_text_at(result, "method");
        const char *shortened_by = json_text_at(result, "plan.shortened_by");

        if (method && strncmp(method, METHOD_USUAL " ", strlen(METHOD_USUAL " ")) == 0)
                fprintf(out, ", %s", method + strlen(METHOD_USUAL " "));
        else if (method && strcmp(method, METHOD_USUAL) != 0)
                fprintf(out, ", by %s", method);
        if (shortened_by)
                fprintf(out, ", shortened by the %s", shortened_by);
}

/* How many rows have which note: the verdict is of these. */
typedef struct NoteCounts {
        size_t n; /* all rows */
        size_t n_unfit;
        size_t n_unwatched;
} NoteCounts;

static NoteCounts note_counts(const json_t *rows) {
        return (NoteCounts){
                .n = json_array_size(rows),
                .n_unfit = count_rows(rows, has_unfit_note, NULL),
                .n_unwatched = count_rows(rows, is_unwatched, NULL),
        };
}

/* "1 of 3 rows not reliable", or the verdict's title and the number of rows. Returns what separates it from further counts. */
static const char *describe_rows(const json_t *result, const json_t *rows, const NoteCounts *counts, FILE *title,
                FILE *out) {
        const char *plural = counts->n == 1 ? "" : "s";

        if (json_text_is(result, "verdict", "unfit") && counts->n_unfit > 0) {
                fprintf(title, "%zu of %zu row%s not reliable", counts->n_unfit, counts->n, plural);
                print_reasons(rows, out);
                print_conditions(result, out);
                return ": ";
        }
        report_print_verdict_title(result, title);
        print_conditions(result, out);
        if (json_text_is(result, "verdict", "cannot-tell") && counts->n_unwatched > 0)
                fprintf(out, ": %zu of %zu row%s unwatched", counts->n_unwatched, counts->n, plural);
        else
                fprintf(out, ": %zu %s%s", counts->n,
                                result_compares(result)         ? "comparison"
                                : result_is_of_commands(result) ? "command"
                                                                : "benchmark",
                                plural);
        return ", ";
}

static bool is_disturbed_loop(const json_t *row, const char *word) {
        return row_is_empty_loop(row) && json_flag_at(row, "disturbed.unfit");
}

/* The notes that are not the verdict. */
static void print_other_notes(const json_t *result, const NoteCounts *counts, FILE *out) {
        const bool unfit = json_text_is(result, "verdict", "unfit");

        if (!unfit && counts->n_unfit > 0)
                fprintf(out, ", %zu not reliable", counts->n_unfit);
        if (unfit && counts->n_unfit == 0 && count_rows(result_rows(result), is_disturbed_loop, NULL) > 0)
                fputs("; NOTHING, which is subtracted from them, was disturbed too much", out);
        if (!json_text_is(result, "verdict", "cannot-tell") && counts->n_unwatched > 0)
                fprintf(out, ", %zu unwatched", counts->n_unwatched);
}

static int describe(const json_t *result, bool outcomes, FILE *title, FILE *out) {
        const char *job = json_text_at(result, "run_id"), *separator;
        _cleanup_(json_decrefp) json_t *rows = NULL;
        NoteCounts counts;
        int r;

        r = rows_judged(result, &rows);
        if (r)
                return error_trace(r);
        counts = note_counts(rows);
        separator = describe_rows(result, rows, &counts, title, out);
        if (outcomes && result_compares(result))
                report_print_outcomes(rows, separator, out);
        report_print_failures(rows, counts.n, out);
        print_other_notes(result, &counts, out);
        fputc('.', out);
        if (job)
                fprintf(out, " Job %.*s.", JOB_ID_SHOWN, job);
        return 0;
}

int report_describe_verdict(const json_t *result, FILE *title, FILE *out) {
        return error_trace(describe(result, true, title, out));
}

int report_describe_reliability(const json_t *result, FILE *title, FILE *out) {
        return error_trace(describe(result, false, title, out));
}

int report_print_verdict(const json_t *result, ReportDescribeVerdict describe_verdict, const View *view, FILE *out) {
        _cleanup_(text_stream_clear) TextStream title = {}, text = {};
        int r, r_title, r_text;

        r = describe_verdict(result, text_stream_open(&title), text_stream_open(&text));
        r_title = text_stream_close(&title);
        r_text = text_stream_close(&text);
        if (r || r_title || r_text)
                return error_trace(r ? r : r_title ? r_title : r_text);
        grid_print_styled(report_verdict_style(result), view->color, title.text, out);
        if (*text.text == ' ')
                fputc(' ', out);
        typeset_wrap(text.text, typeset_width(title.text) + (*text.text == ' '), 2, view->width, out);
        fputc('\n', out);
        return 0;
}

int report_result_verdict(const json_t *result, const View *view, FILE *out) {
        return error_trace(report_print_verdict(result, report_describe_verdict, view, out));
}
