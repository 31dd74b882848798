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
        if (r == 0)
                r = grid_new(columns.columns, columns.n, &grid);
        if (r == 0)
                r = grid_add_titles(grid);
        for (size_t i = 0; r == 0 && i < json_array_size(pairs); i++)
                r = add_pair(grid, json_array_get(pairs, i), footnotes);
        if (r)
                return error_trace(r);
        grid_print(grid, view, columns_table(TABLE_COMPARISON)->rank_told, out);
        report_print_unpaired(result, view, out);
        return 0;
}

static int tell_needed(const json_t *comparisons, FindingTake take, void *where) {
        size_t n;
        const double most = findings_most(comparisons, "processes_needed", &n);
        char text[128];

        if (n == 0)
                return 0;
        snprintf(text, sizeof text, "--processes=%.0f would settle what is unresolved (%zu row%s)", most, n,
                        n == 1 ? "" : "s");
        return error_trace(take(where, text));
}

static int tell_disturbed(const json_t *pairs, FindingTake take, void *where) {
        const size_t n_rows = json_array_size(pairs);
        char text[160];
        size_t n = 0;

        for (size_t i = 0; i < n_rows; i++)
                n += cell_pair_is_disturbed(json_array_get(pairs, i));
        if (n == 0)
                return 0;
        snprintf(text, sizeof text, n < n_rows ? "%s (%zu row%s)" : "%s", cell_disturbed_words, n, n == 1 ? "" : "s");
        return error_trace(take(where, text));
}

static void print_name(const json_t *pair, FILE *out) {
        cell_path(NULL, pair, NULL, NULL, out);
}

int report_comparison_each_finding(const json_t *result, const View *view, FindingTake take, void *where) {
        _cleanup_(json_decrefp) json_t *pairs = NULL;
        int r;

        r = rows_of_pairs(result, &pairs);
        if (r == 0)
                r = report_commands_each_verdict(pairs, take, where);
        if (r == 0)
                r = tell_needed(pairs, take, where);
        if (r == 0)
                r = tell_disturbed(pairs, take, where);
        return r ? error_trace(r) : error_trace(findings_each(pairs, print_name, view, take, where));
}

int report_comparison_findings(const json_t *result, const View *view, FILE *out) {
        FindingPrinter printer = { view->width, out };

        return error_trace(report_comparison_each_finding(result, view, findings_print_one, &printer));
}
