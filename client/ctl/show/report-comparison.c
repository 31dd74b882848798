/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A comparison's table: one row per pair of benchmarks, with the ratio of their times and the verdict.
 */

#include <jansson.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/base/typeset.h"
#include "ctl/model/columns.h"
#include "ctl/model/findings.h"
#include "ctl/model/rows.h"
#include "ctl/model/view.h"
#include "ctl/show/grid.h"
#include "ctl/show/report-output.h"
#include "ctl/show/report.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/text-stream.h"

static void print_unpaired(const json_t *result, const char *path, const char *words, const View *view, FILE *out) {
        const json_t *names = json_at(result, path);
        size_t n = json_array_size(names);

        if (n == 0)
                return;
        fputs(words, out);
        for (size_t i = 0, column = strlen(words); i < n; i++) {
                const char *name = json_string_value(json_array_get(names, i));

                column += typeset_width(name) + strlen(", ");
                fprintf(out, "%s%s", i == 0 ? "" : view->width > 0 && column > view->width ? ",\n  " : ", ", name);
                column = view->width > 0 && column > view->width ? 2 + typeset_width(name) : column;
        }
        fputs("\n", out);
}

void report_print_unpaired(const json_t *result, const View *view, FILE *out) {
        print_unpaired(result, "only_old", "only in the old module: ", view, out);
        print_unpaired(result, "only_new", "only in the new module: ", view, out);
}

int report_missing_columns(ColumnTableKind kind, const View *view, FILE *out) {
        _cleanup_(text_stream_clear) TextStream text = {};
        FILE *stream = text_stream_open(&text);
        size_t n = 0;
        int r;

        fputs("(no ", stream);
        if (view->columns)
                n = columns_print_missing(kind, view->columns, stream);
        fputs(" in this table; its columns are ", stream);
        columns_print_names(kind, stream);
        fputc(')', stream);
        r = text_stream_close(&text);
        if (r || n == 0)
                return error_trace(r);
        typeset_wrap(text.text, 0, 1, view->width, out);
        fputc('\n', out);
        return 0;
}

/* A pair with a failed side shows the reason instead of numbers. */
static int add_pair(Grid *grid, const json_t *pair, CellFootnotes *footnotes) {
        int r;

        if (!json_at(pair, "failed"))
                return error_trace(grid_add(grid, pair, footnotes));
        cell_path(NULL, pair, NULL, NULL, grid_cell(grid));
        r = report_output_add_failure(grid, pair);
        return r ? error_trace(r) : error_trace(report_output_add(grid, pair));
}

int report_comparison(const json_t *result, const View *view, CellFootnotes *footnotes, FILE *out) {
        _cleanup_(json_decrefp) json_t *pairs = NULL;
        _cleanup_(grid_freep) Grid *grid = NULL;
        Columns columns;
        int r;

        columns_choose(result, view->columns, true, &columns);
        columns_tell(&columns, &view->times);
        r = rows_of_pairs(result, &pairs);
        if (r)
                return error_trace(r);
        rows_shorten_names(result, pairs);
        if (findings_common_note(pairs, view))
                columns_leave_out(&columns, cell_pair_notes);
        r = grid_new(columns.columns, columns.n, &grid);
        if (r == 0)
                r = grid_add_titles(grid);
        for (size_t i = 0; r == 0 && i < json_array_size(pairs); i++)
                r = add_pair(grid, json_array_get(pairs, i), footnotes);
        if (r)
                return error_trace(r);
        grid_print(grid, view, columns_table(columns_kind(result))->rank_told, out);
        report_print_unpaired(result, view, out);
        return error_trace(report_missing_columns(columns_kind(result), view, out));
}

static int tell_needed(const json_t *comparisons, const char *option, const char *field, FindingTake take,
                void *where) {
        size_t n;
        const double most = findings_most(comparisons, field, &n);
        char text[128];

        if (n == 0)
                return 0;
        snprintf(text, sizeof text, "--%s=%.0f would settle what is unresolved (%zu row%s)", option, most, n,
                        n == 1 ? "" : "s");
        return error_trace(take(where, text));
}

static void print_name(const json_t *pair, FILE *out) {
        cell_path(NULL, pair, NULL, NULL, out);
}

int report_comparison_each_finding(const json_t *result, const View *view, FindingTake take, void *where) {
        _cleanup_(json_decrefp) json_t *pairs = NULL;
        int r;

        r = rows_of_pairs(result, &pairs);
        if (r)
                return error_trace(r);
        rows_shorten_names(result, pairs);
        r = report_commands_each_verdict(pairs, take, where);
        if (r == 0)
                r = tell_needed(pairs, "processes", "processes_needed", take, where);
        if (r == 0)
                r = tell_needed(pairs, "rounds", "rounds_needed", take, where);
        return r ? error_trace(r) : error_trace(findings_each(pairs, print_name, view, take, where));
}

int report_comparison_findings(const json_t *result, const View *view, FILE *out) {
        FindingPrinter printer = { view->width, out };

        return error_trace(report_comparison_each_finding(result, view, findings_print_one, &printer));
}
