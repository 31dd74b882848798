/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Two results side by side: the platform of each, one line a benchmark with both times and their ratio, and the benchmarks that only
 * one of them has.
 */

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/base/typeset.h"
#include "ctl/model/columns.h"
#include "ctl/model/platform.h"
#include "ctl/model/result.h"
#include "ctl/model/side-by-side.h"
#include "ctl/show/grid.h"
#include "ctl/show/report.h"
#include "util/cleanup.h"
#include "util/error.h"

static void print_line(const char *text, size_t indent, const View *view, FILE *out) {
        typeset_wrap(text, 0, indent, view->width, out);
        fputc('\n', out);
}

static void print_only(char letter, const json_t *names, const View *view, FILE *out) {
        const size_t n = json_array_size(names);
        _cleanup_(freep) char *text = NULL;

        if (n == 0)
                return;
        if (asprintf(&text, "- only in %c: %s%s", letter, json_string_value(json_array_get(names, 0)),
                            n > 1 ? " and others (--format=json)" : "") < 0)
                text = NULL;
        else
                print_line(text, strlen("- "), view, out);
}

static void print_differences(const json_t *json, const View *view, FILE *out) {
        const json_t *differences = json_at(json, "differences"), *clause;

        if (!json_flag_at(json, "comparable"))
                print_line("- " SIDE_BY_SIDE_UNLIKE, strlen("- "), view, out);
        json_each(i, clause, differences) {
                _cleanup_(freep) char *text = NULL;

                if (asprintf(&text, "- %s", json_string_value(clause)) < 0)
                        text = NULL;
                else
                        print_line(text, strlen("- "), view, out);
        }
}

int report_side_by_side(const json_t *json, const View *view, FILE *out) {
        const json_t *results = json_at(json, "results"), *only = json_at(json, "only");
        _cleanup_(grid_freep) Grid *grid = NULL;
        Columns columns;
        int r;

        columns_choose_all(TABLE_SIDE_BY_SIDE, &columns);
        columns_tell(&columns, &view->times);
        r = grid_new(columns.columns, columns.n, &grid);
        if (r == 0)
                r = grid_add_titles(grid);
        if (r == 0)
                r = report_add_by_area(grid, result_rows(json));
        if (r)
                return error_trace(r);
        for (size_t i = 0; i < 2; i++) {
                _cleanup_(freep) char *title = side_by_side_title(json, i);

                platform_print(json_array_get(results, i), view, out);
                fprintf(out, "# %s\n", title ? title : "");
        }
        fputc('\n', out);
        grid_print(grid, view, columns_table(TABLE_SIDE_BY_SIDE)->rank_told, out);
        fputc('\n', out);
        for (size_t i = 0; i < 2; i++)
                print_only("AB"[i], json_array_get(only, i), view, out);
        print_differences(json, view, out);
        if (json_text_at(json, "remedy"))
                print_line(json_text_at(json, "remedy"), 2, view, out);
        print_line(SIDE_BY_SIDE_NO_VERDICT, 2, view, out);
        return 0;
}
