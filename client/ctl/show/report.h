/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Reports for people, each from JSON to text, in a separate source file: a run with its parts, a module's list, the
 * daemon's state, its jobs, a governor's change. Pure.
 */

#include <stdbool.h>
#include <stdio.h>

#include "ctl/model/findings.h"
#include "ctl/model/view.h"
#include "ctl/show/grid.h"

typedef struct AmountTimeUnit AmountTimeUnit;
typedef struct json_t json_t;

/* The sentence on a result without samples, of which the way to them follows. */
#define REPORT_NO_SAMPLES "This run kept no samples to draw over time"

/* Each report returns 0 or a negative errno. */
int report_result(const json_t *result, const View *view, FILE *out);
int report_listing(const json_t *listing, const View *view, FILE *out);
int report_status(const json_t *status, const View *view, FILE *out);
int report_history(const json_t *history, const View *view, FILE *out);
int report_governor(const json_t *governor, const View *view, FILE *out);
int report_source(const json_t *source, const View *view, FILE *out);
int report_code(const json_t *code, const View *view, FILE *out);
int report_trend(const json_t *trend, const View *view, FILE *out);
int report_plot(const json_t *result, const View *view, FILE *out);
int report_side_by_side(const json_t *json, const View *view, FILE *out);
int report_bisect(const json_t *answer, const View *view, FILE *out);
int report_fleet(const json_t *document, const View *view, FILE *out);

/* ---- parts of a run's report */

/*
 * Platform and plan, after "# "; the table, for a comparison the one of report_comparison(); each finding once; the
 * verdict.
 */
int report_result_head(const json_t *result, const View *view, FILE *out);
int report_result_table(const json_t *result, const View *view, CellFootnotes *footnotes, FILE *out);
int report_result_findings(const json_t *result, const View *view, FILE *out);
int report_result_verdict(const json_t *result, const View *view, FILE *out);

/* "new.so against old.so: 10 processes × 50 samples", and the requested parts of the plan. */
void report_describe_plan(const json_t *result, const View *view, FILE *out);

/* Prints the commands as a title: "gzip x against zstd x", "3 commands against zstd x". */
void report_print_commands(const json_t *result, FILE *out);

/*
 * The head of a result of whole commands: the plan, "10 processes × 5 runs, on CPU 1"; the command that others are compared with; and how long the shell took to
 * start, which was taken off, and an empty program. Nothing is printed where there is none.
 */
void report_describe_commands(const json_t *result, const View *view, FILE *out);
void report_describe_reference(const json_t *result, const View *view, FILE *out);
void report_describe_starts(const json_t *result, const View *view, FILE *out);

/* Passes the verdict on each of @pairs (rows_of_pairs()) that is of commands to @take, as a sentence. Returns 0 or a negative errno. */
int report_commands_each_verdict(const json_t *pairs, FindingTake take, void *where);

/*
 * Prints the verdict to @title, "1 of 3 rows not reliable", and what follows it to @out: ": 1 faster, 2 same. Job 00112233." The second does
 * without the verdicts of a comparison's rows. Each returns 0 or a negative errno.
 */
typedef int (*ReportDescribeVerdict)(const json_t *result, FILE *title, FILE *out);
int report_describe_verdict(const json_t *result, FILE *title, FILE *out);
int report_describe_reliability(const json_t *result, FILE *title, FILE *out);

/* The style of the verdict on @result, and its plain title, "OK". */
GridStyle report_verdict_style(const json_t *result);
void report_print_verdict_title(const json_t *result, FILE *out);

/* Verdicts of a comparison's rows, the most important first. */
typedef struct ReportOutcome {
        const char *verdict; /* "": none */
        const char *words;
        bool named; /* its rows are worth naming */
} ReportOutcome;

#define REPORT_OUTCOMES 5u
extern const ReportOutcome report_outcomes[REPORT_OUTCOMES];

/* True if @row, a pair, has the verdict @verdict, "" for none; false for one that failed. */
bool report_row_has_verdict(const json_t *row, const char *verdict);

/* Prints "1 slower, 2 same" of @pairs, after @separator. */
void report_print_outcomes(const json_t *pairs, const char *separator, FILE *out);

/* Prints ", 2 failed, 1 skipped" of @rows, rows with "failed"; nothing if all @n_rows failed, since the verdict says so. */
void report_print_failures(const json_t *rows, size_t n_rows, FILE *out);

/* Prints "OK: 3 benchmarks. Job 00112233.", with the words from @describe_verdict. */
int report_print_verdict(const json_t *result, ReportDescribeVerdict describe_verdict, const View *view, FILE *out);

/* Prints @text wrapped to lines that begin with "# ". */
int report_print_comment(const char *text, const View *view, FILE *out);

/* Prints the names of benchmarks that only one side of a comparison has. */
void report_print_unpaired(const json_t *result, const View *view, FILE *out);

/*
 * Prints the table of the comparison @result: one row per pair of benchmarks. Its warnings go to @footnotes; without footnotes, the first
 * is in the row.
 */
int report_comparison(const json_t *result, const View *view, CellFootnotes *footnotes, FILE *out);

/* Names the columns that --columns asks for and the table of @kind does not have; nothing if it has all. Returns 0 or a negative errno. */
int report_missing_columns(ColumnTableKind kind, const View *view, FILE *out);

/* Adds @rows, grouped by area below a line with its name. Returns 0 or a negative errno. */
int report_add_by_area(Grid *grid, const json_t *rows);

/* Prints the explanation of a comparison, or nothing if there is none. Returns 0 or a negative errno. */
int report_explain(const json_t *result, const View *view, FILE *out);

/* Prints the static limit of a timed loop, and beside it the measured cycles. Returns 0 or a negative errno. */
int report_static_limit(const json_t *limit, const View *view, FILE *out);

/* Prints the table of --trace, or nothing if nothing was traced. */
int report_trace(const json_t *result, const View *view, FILE *out);

/* ---- parts of the report of several machines */

/* Classes with their machines, and the plan, after "# "; the table; each finding and warning once. */
int report_fleet_head(const json_t *document, const View *view, FILE *out);
int report_fleet_table(const json_t *document, const View *view, FILE *out);
int report_fleet_findings(const json_t *document, const View *view, FILE *out);

/* Passes each warning, of the run and of its machines, to @take. Returns 0 or a negative errno. */
int report_fleet_each_warning(const json_t *document, FindingTake take, void *where);

/* Passes each finding on rows and on machines left out to @take. Returns 0 or a negative errno. */
int report_fleet_each_finding(const json_t *document, const View *view, FindingTake take, void *where);

/* "mybench.so on 4 of 5 machines: 10 processes × 50 samples each". */
void report_fleet_describe_plan(const json_t *document, const View *view, FILE *out);

int report_fleet_describe_verdict(const json_t *document, FILE *title, FILE *out);
int report_fleet_describe_reliability(const json_t *document, FILE *title, FILE *out);
int report_fleet_verdict(const json_t *document, const View *view, FILE *out);

/* ---- */

/* Passes each finding of the comparison's rows once to @take, as a sentence. Returns 0 or a negative errno. */
int report_comparison_each_finding(const json_t *result, const View *view, FindingTake take, void *where);

/* Prints each finding of the comparison's rows once. Returns 0 or a negative errno. */
int report_comparison_findings(const json_t *result, const View *view, FILE *out);

/* True if @a and @b, each a benchmark or a sweep, belong to one benchmark with the same number of threads. */
bool report_sweep_is_same(const json_t *a, const json_t *b);

/* The sweep of @result that contains @benchmark; NULL if there is none. */
const json_t *report_sweep_find(const json_t *result, const json_t *benchmark);

/* The time in nanoseconds that the fit of @sweep gives at @size; NaN if no order fits. */
double report_sweep_time_ns(const json_t *sweep, double size);

/* Prints, with times in @unit or NULL, "O(n lg n), 1.7 ns + 3.2 ns × n lg n an operation, residual 2.1 %". */
void report_print_sweep(const json_t *sweep, const AmountTimeUnit *unit, FILE *out);

/*
 * Adds a line on the growth of the sweep whose last row is at @index, if there is one. If no order fits, only the details say so. Returns 0
 * or a negative errno.
 */
int report_add_sweep(Grid *grid, const json_t *result, size_t index, const View *view);

/*
 * If the method of @benchmark shows runs, adds a line for each and one for their spread, with times in @unit (or NULL). Returns 0 or a
 * negative errno.
 */
int report_add_runs(Grid *grid, const json_t *benchmark, const AmountTimeUnit *unit);

/* Prints each string of @warnings, an array or NULL, on a new line. */
void report_warnings(const json_t *warnings, const View *view, FILE *out);
