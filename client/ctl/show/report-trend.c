/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Times of benchmarks over earlier runs: one line a run, the latest first, with its interval and, where it leaves the level of the runs
 * before, the direction; and a line on the drift over all of them. Below the table, the conditions that kept a run from a mark.
 */

#include <jansson.h>
#include <stdio.h>

#include "ctl/base/json-path.h"
#include "ctl/base/typeset.h"
#include "ctl/model/columns.h"
#include "ctl/model/result.h"
#include "ctl/model/trend.h"
#include "ctl/show/grid.h"
#include "ctl/show/report.h"
#include "util/cleanup.h"
#include "util/error.h"

static int add_benchmark(Grid *grid, const json_t *row) {
        const json_t *runs = json_at(row, "runs");
        FILE *out;
        int r;

        cell_path(NULL, row, NULL, NULL, grid_cell(grid));
        r = grid_add_line(grid, GRID_BOLD);
        for (size_t i = 0; r == 0 && i < json_array_size(runs); i++)
                r = grid_add(grid, json_array_get(runs, i), NULL);
        if (r || !json_text_at(row, "drift.direction"))
                return error_trace(r);
        out = grid_cell(grid);
        fputs("  ", out);
        trend_print_drift(row, out);
        return error_trace(grid_add_line(grid, GRID_PLAIN));
}

/* The place of the sentences. */
typedef struct Below {
        const View *view;
        FILE *out;
} Below;

static int print_sentence(void *context, const char *sentence) {
        const Below *below = context;

        fputs("- ", below->out);
        typeset_wrap(sentence, 2, 2, below->view->width, below->out);
        fputc('\n', below->out);
        return 0;
}

int report_trend(const json_t *trend, const View *view, FILE *out) {
        const json_t *rows = result_rows(trend);
        _cleanup_(grid_freep) Grid *grid = NULL;
        Columns columns;
        int r;

        columns_choose_all(TABLE_TREND, &columns);
        columns_tell(&columns, &view->times);
        r = grid_new(columns.columns, columns.n, &grid);
        if (r == 0)
                r = grid_add_titles(grid);
        for (size_t i = 0; r == 0 && i < json_array_size(rows); i++)
                r = add_benchmark(grid, json_array_get(rows, i));
        if (r)
                return error_trace(r);
        grid_print(grid, view, columns_table(TABLE_TREND)->rank_told, out);
        return error_trace(trend_tell_conditions(trend, print_sentence, &(Below){ view, out }));
}
