/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A run: platform, plan, clock; one section per area with one row per benchmark; notes, warnings and the verdict.
 */

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "ctl/base/instant.h"
#include "ctl/base/job-id.h"
#include "ctl/base/json-path.h"
#include "ctl/base/typeset.h"
#include "ctl/base/unit.h"
#include "ctl/model/columns.h"
#include "ctl/model/commit.h"
#include "ctl/model/findings.h"
#include "ctl/model/platform.h"
#include "ctl/model/result.h"
#include "ctl/model/rows.h"
#include "ctl/model/scale.h"
#include "ctl/model/sort.h"
#include "ctl/model/view.h"
#include "ctl/show/grid.h"
#include "ctl/show/report-output.h"
#include "ctl/show/report.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/text-stream.h"

#define UNSEEN_NEARLY_ALL 0.7  /* the share for one or two processes, which have no interval: a note says so */
#define UNSEEN_ENOUGH     0.05 /* rarer layouts go without saying */

/* ---- head */

/* "new.so", or "new.so against old.so" for a comparison, with their commits. */
static void print_modules(const json_t *result, FILE *out) {
        _cleanup_(freep) char *name = commit_module_words(json_at(result, "module"));
        _cleanup_(freep) char *old = commit_module_words(json_at(result, "old_module"));

        fputs(name ? name : "module", out);
        if (result_compares(result))
                fprintf(out, " against %s", old ? old : "module");
}

/* ", 20 links of each", where a side was linked several times. */
static void print_links(const json_t *result, FILE *out) {
        const double new = json_number_or(result, "module.links", 1),
                     old = json_number_or(result, "old_module.links", 1);

        if (new == old &&new > 1)
                fprintf(out, ", %.0f links of each", new);
        else if (new > 1 || old > 1)
                fprintf(out, ", %.0f link%s of the old side and %.0f of the new", old, old == 1 ? "" : "s", new);
}

/* True if the rows of a comparison ended by themselves, after different numbers of processes. */
static bool ended_apart(const json_t *result) {
        const json_t *rows = result_comparisons(result), *row;

        if (json_array_size(json_at(result, "plan.looks")) == 0)
                return false;
        json_each(i, row, rows) {
                if (!json_is_same(row, json_array_get(rows, 0), "processes"))
                        return true;
        }
        return false;
}

/* ", in 5 rounds over 2 h", of a run in rounds or one that was spread over time. */
static void print_span(const json_t *result, FILE *out) {
        const double rounds = json_number_or(result, "plan.rounds", 0),
                     spread_ns = json_number_or(result, "plan.spread_ns", 0);
        char span[UNIT_TEXT_MAX];

        if (rounds > 0)
                fprintf(out, ", in %.0f rounds", rounds);
        if (rounds > 0 || spread_ns > 0)
                fprintf(out, "%s over %s", rounds > 0 ? "" : ",",
                                unit_wait(json_number_or(result, "span_ns", 0), span));
}

void report_describe_plan(const json_t *result, const View *view, FILE *out) {
        const json_t *seed = json_at(result, "seed");
        const json_t *comparison = json_array_get(result_comparisons(result), 0); /* all have one margin */
        double processes, samples, target_ns, precision = json_number_or(result, "plan.precision", 0), margin;
        char text[UNIT_TEXT_MAX];

        if (result_is_of_commands(result)) {
                report_describe_commands(result, view, out);
                return;
        }
        if (!json_number_at(result, "plan.processes", &processes) || !json_number_at(result, "plan.samples", &samples))
                return;
        print_modules(result, out);
        fprintf(out, ": %s%.0f process%s × %.0f sample%s", precision > 0 || ended_apart(result) ? "up to " : "",
                        processes, processes == 1 ? "" : "es", samples, samples == 1 ? "" : "s");
        print_links(result, out);
        print_span(result, out);
        /* One clock times all benchmarks of a run, except benchmarks that time themselves. */
        if (json_find(result_rows(result), "clock", "cpu"))
                fputs(", CPU time", out);
        if (precision > 0)
                fprintf(out, ", for ± %s", unit_share(precision, text));
        if (json_number_at(comparison, "margin", &margin))
                fprintf(out, ", margin %s", unit_share(margin, text));
        if (view->details && json_number_at(result, "plan.target_ns", &target_ns))
                fprintf(out, ", each of at least %s", unit_time(target_ns, text));
        if (view->details && json_is_integer(seed))
                fprintf(out, ", seed %" JSON_INTEGER_FORMAT, json_integer_value(seed));
}

int report_print_comment(const char *text, const View *view, FILE *out) {
        _cleanup_(text_stream_clear) TextStream lines = {};
        int r;

        typeset_wrap(text, 0, 0, view->width > strlen("# ") ? view->width - strlen("# ") : 0, text_stream_open(&lines));
        r = text_stream_close(&lines);
        if (r)
                return error_trace(r);
        for (const char *line = lines.text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
                fprintf(out, "# %.*s\n", (int)strcspn(line, "\n"), line);
        return 0;
}

/* A line of the head; none where @describe prints nothing. */
static int print_line(const json_t *result, void (*describe)(const json_t *, const View *, FILE *), const View *view,
                FILE *out) {
        _cleanup_(text_stream_clear) TextStream text = {};
        int r;

        describe(result, view, text_stream_open(&text));
        r = text_stream_close(&text);
        if (r || text.n == 0)
                return error_trace(r);
        return error_trace(report_print_comment(text.text, view, out));
}

/* "# old: job 00112233 of 2026-05-01 12:30 CEST, not measured in turns" */
static void print_baseline(const json_t *result, FILE *out) {
        const char *job = json_text_at(result, "baseline.run_id"),
                   *started = json_text_at(result, "baseline.started_at");
        char date[INSTANT_TEXT_MAX];

        if (!json_at(result, "baseline"))
                return;
        fprintf(out, "# old: the baseline, job %.*s", JOB_ID_SHOWN, job ? job : "?");
        if (started && instant_local(started, "%Y-%m-%d %H:%M %Z", date))
                fprintf(out, " of %s", date);
        fputs("; not measured in turns\n", out);
}

/* No interval covers layouts that did not occur. */
static void print_unseen(const json_t *result, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double processes, share;

        if (json_number_at(result, "plan.processes", &processes) &&
                        json_number_at(result, "plan.unseen_share", &share) && share > UNSEEN_ENOUGH &&
                        share < UNSEEN_NEARLY_ALL)
                fprintf(out,
                                "# %.0f processes cannot rule out rare slow layouts: one that affects up to %s of processes may "
                                "have been missed (--processes)\n",
                                processes, unit_share(share, text));
}

static int print_common_note(const json_t *result, const View *view, FILE *out) {
        _cleanup_(json_decrefp) json_t *rows = NULL;
        const char *note;
        int r;

        r = rows_judged(result, &rows);
        if (r)
                return error_trace(r);
        note = findings_common_note(rows, view);
        if (note)
                fprintf(out, "# all rows: %s\n", note);
        return 0;
}

int report_result_head(const json_t *result, const View *view, FILE *out) {
        char clock[PLATFORM_CLOCK_MAX];
        int r;

        platform_print(result, view, out);
        r = print_line(result, report_describe_plan, view, out);
        if (r == 0 && result_is_of_commands(result))
                r = print_line(result, report_describe_reference, view, out);
        if (r == 0 && result_is_of_commands(result))
                r = print_line(result, report_describe_starts, view, out);
        if (r)
                return error_trace(r);
        print_baseline(result, out);
        if (view->details)
                print_unseen(result, out);
        r = print_common_note(result, view, out);
        if (r)
                return error_trace(r);
        if (view->details && platform_describe_clock(json_at(result, "environment.tsc"), clock))
                fprintf(out, "# clock: %s\n", clock);
        scale_print(&view->times, "\n", "\n", out);
        fputc('\n', out);
        return 0;
}

/* ---- sections */

/* True if no benchmark of that name comes after @index. */
static bool name_ends(const json_t *benchmarks, size_t index) {
        const json_t *benchmark = json_array_get(benchmarks, index);

        for (size_t i = index + 1; i < json_array_size(benchmarks); i++) {
                const json_t *later = json_array_get(benchmarks, i);

                if (json_is_same(later, benchmark, "area") && json_is_same(later, benchmark, "name"))
                        return false;
        }
        return true;
}

/* Adds the module's line on the benchmark below its last row. */
static int add_about(Grid *grid, const json_t *benchmarks, size_t index) {
        const char *about = json_text_at(json_array_get(benchmarks, index), "about");

        if (!about || !name_ends(benchmarks, index))
                return 0;
        fprintf(grid_cell(grid), "    %s", about);
        return error_trace(grid_add_line(grid, GRID_DIM));
}

/* Adds the rows of @benchmark: one, or one for each count of iterations. */
static int add_rows(const Columns *columns, Grid *grid, const json_t *benchmark, CellFootnotes *footnotes) {
        _cleanup_(json_decrefp) json_t *rows = rows_of_steps(benchmark);
        int r = rows ? 0 : error_origin(-ENOMEM);

        for (size_t i = 0; r == 0 && i < json_array_size(rows); i++) {
                const json_t *row = json_array_get(rows, i);

                if (!json_at(row, "failed")) {
                        r = grid_add(grid, row, footnotes);
                        continue;
                }
                columns->columns[0].fill(columns->columns[0].path, row, NULL, footnotes, grid_cell(grid));
                r = report_output_add_failure(grid, row);
        }
        return error_trace(r);
}

/* Adds the lines below the rows of the benchmark at @index. */
static int add_below(Grid *grid, const json_t *result, size_t index, const View *view) {
        const json_t *benchmarks = result_rows(result), *benchmark = json_array_get(benchmarks, index);
        int r;

        r = report_output_add(grid, benchmark);
        if (r == 0 && view->details)
                r = add_about(grid, benchmarks, index);
        if (r == 0)
                r = report_add_runs(grid, benchmark, view->times.unit);
        return r ? error_trace(r) : error_trace(report_add_sweep(grid, result, index, view));
}

/* An empty line separates a section from the one before. */
static int add_section(const Columns *columns, Grid *grid, const json_t *result, const char *area, bool first,
                const View *view, CellFootnotes *footnotes) {
        const json_t *benchmarks = result_rows(result);
        int r = first ? 0 : grid_add_line(grid, GRID_PLAIN);

        if (r == 0 && *area && !result_is_of_commands(result)) {
                fputs(area, grid_cell(grid));
                r = grid_add_line(grid, GRID_BOLD);
        }
        for (size_t i = 0; r == 0 && i < json_array_size(benchmarks); i++)
                if (row_is_of(json_array_get(benchmarks, i), area)) {
                        r = add_rows(columns, grid, json_array_get(benchmarks, i), footnotes);
                        if (r == 0)
                                r = add_below(grid, result, i, view);
                }
        return error_trace(r);
}

static int add_sections(const Columns *columns, Grid *grid, const json_t *result, const View *view,
                CellFootnotes *footnotes) {
        const json_t *benchmarks = result_rows(result);
        int r = 0;

        for (size_t i = 0; r == 0 && i < json_array_size(benchmarks); i++)
                if (rows_area_is_new(benchmarks, i))
                        r = add_section(columns, grid, result, row_area(json_array_get(benchmarks, i)), i == 0, view,
                                        footnotes);
        return error_trace(r);
}

/* The loop's row comes alone before the sections, in any sort order. */
static int add_empty(const Columns *columns, Grid *grid, const json_t *result, const View *view,
                CellFootnotes *footnotes) {
        _cleanup_(json_decrefp) json_t *row = NULL;
        int r;

        r = rows_empty(result, view->details || times_are_scaled(&view->times), &row);
        if (r || !row)
                return error_trace(r);
        r = add_rows(columns, grid, row, footnotes);
        return r ? error_trace(r) : error_trace(grid_add_line(grid, GRID_PLAIN));
}

int report_result_table(const json_t *result, const View *view, CellFootnotes *footnotes, FILE *out) {
        _cleanup_(grid_freep) Grid *grid = NULL;
        Columns columns;
        int r;

        if (result_compares(result))
                return error_trace(report_comparison(result, view, footnotes, out));
        columns_choose(result, view->columns, view->details, &columns);
        columns_tell(&columns, &view->times);
        if (findings_common_note(result_rows(result), view))
                columns_leave_out(&columns, cell_notes);
        r = grid_new(columns.columns, columns.n, &grid);
        if (r == 0)
                r = grid_add_titles(grid);
        if (r == 0)
                r = add_empty(&columns, grid, result, view, footnotes);
        if (r == 0)
                r = add_sections(&columns, grid, result, view, footnotes);
        if (r)
                return error_trace(r);
        grid_print(grid, view, columns_table(TABLE_RUN)->rank_told, out);
        return error_trace(report_missing_columns(columns_kind(result), view, out));
}

/* ---- foot */

void report_warnings(const json_t *warnings, const View *view, FILE *out) {
        for (size_t i = 0; i < json_array_size(warnings); i++) {
                const char *text = json_string_value(json_array_get(warnings, i));

                grid_print_styled(GRID_CAUTION, view->color, "warning: ", out);
                typeset_wrap(text ? text : "?", strlen("warning: "), 2, view->width, out);
                fputc('\n', out);
        }
}

int report_result_findings(const json_t *result, const View *view, FILE *out) {
        if (result_compares(result))
                return error_trace(report_comparison_findings(result, view, out));
        return error_trace(findings_print(result_rows(result), cell_print_name, view, out));
}

/* The spread of the times, below the table of the details. */
static int print_spread(const json_t *result, const View *view, FILE *out) {
        const json_t *benchmarks = result_rows(result);
        _cleanup_(grid_freep) Grid *grid = NULL;
        Columns columns;
        int r;

        columns_choose_all(TABLE_SPREAD, &columns);
        columns_tell(&columns, &view->times);
        r = grid_new(columns.columns, columns.n, &grid);
        if (r == 0)
                r = grid_add_titles(grid);
        for (size_t i = 0; r == 0 && i < json_array_size(benchmarks); i++)
                if (!json_at(json_array_get(benchmarks, i), "failed"))
                        r = grid_add(grid, json_array_get(benchmarks, i), NULL);
        if (r)
                return error_trace(r);
        fputc('\n', out);
        grid_print(grid, view, 0, out);
        return 0;
}

int report_result(const json_t *whole, const View *view, FILE *out) {
        _cleanup_(json_decrefp) json_t *result = NULL;
        CellFootnotes kept = {}, *footnotes = view->details ? &kept : NULL;
        int r;

        r = sort_result(whole, view->sort, &result);
        if (r == 0)
                r = report_result_head(result, view, out);
        if (r)
                return error_trace(r);
        r = report_result_table(result, view, footnotes, out);
        if (r)
                return error_trace(r);
        fputc('\n', out);
        r = report_trace(result, view, out);
        if (r == 0 && view->details)
                grid_print_footnotes(&kept, view, out);
        else if (r == 0)
                r = report_result_findings(result, view, out);
        if (r)
                return error_trace(r);
        report_warnings(json_at(result, "warnings"), view, out);
        r = report_result_verdict(result, view, out);
        if (r == 0)
                r = report_explain(result, view, out);
        if (r || !view->details)
                return error_trace(r);
        r = print_spread(result, view, out);
        if (r == 0)
                report_output_print_all(result, out);
        return error_trace(r);
}
