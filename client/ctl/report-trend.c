/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Times of benchmarks over earlier runs: one line a run, the latest first, with its interval and, where it leaves the level of the runs
 * before, the direction; and a line on the drift over all of them.
 */

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "ctl/cell.h"
#include "ctl/grid.h"
#include "ctl/instant.h"
#include "ctl/json-path.h"
#include "ctl/report.h"
#include "ctl/time-unit.h"
#include "ctl/trend.h"
#include "ctl/unit.h"
#include "util/cleanup.h"
#include "util/error.h"

#define JOB_DIGITS 8

enum {
        TREND_JOB,
        TREND_STARTED,
        TREND_TIME,
        TREND_INTERVAL,
        TREND_CHANGE,
        TREND_MODULE,
        TREND_NOTE,
        _TREND_N,
};

/* clang-format off */
static const GridColumn trend_columns[_TREND_N] = {
        [TREND_JOB] = { .title = "  job", .left = true },
        [TREND_STARTED] = { .title = "started", .left = true, .gap = 2, .rank = 3 },
        [TREND_TIME] = { .title = "time", .gap = 2, .style = GRID_BOLD },
        [TREND_INTERVAL] = { .title = "95 % interval", .gap = 2, .rank = 1 },
        [TREND_CHANGE] = { .title = "change", .left = true, .gap = 2, .style = GRID_BOLD, .optional = true },
        [TREND_MODULE] = { .title = "module", .left = true, .gap = 2, .rank = 4, .least = 8 },
        [TREND_NOTE] = { .title = "note", .left = true, .gap = 2, .rank = 2, .optional = true },
};
/* clang-format on */

DEFINE_CLEANUP(Grid *, grid_free)

static int add_title(Grid *grid, const json_t *row) {
        const char *area = json_text_at(row, "area");
        _cleanup_(freep) char *text = NULL;
        FILE *stream;
        size_t n;

        stream = open_memstream(&text, &n);
        if (!stream)
                return error_origin(-errno);
        fprintf(stream, "%s/", area ? area : "?");
        cell_print_name(row, stream);
        if (fclose(stream) != 0)
                return error_origin(-errno);
        return error_trace(grid_add_line(grid, GRID_BOLD, text));
}

static int add_run(Grid *grid, const json_t *run) {
        const char *job = json_text_at(run, "run_id"), *started = json_text_at(run, "started_at");
        const char *module = json_text_at(run, "module_name");
        char id[JOB_DIGITS + sizeof "  "], date[INSTANT_TEXT_MAX] = "", time[UNIT_TEXT_MAX] = "",
                                           range[UNIT_TEXT_MAX] = "";
        double point, low, high;

        snprintf(id, sizeof id, "  %.*s", JOB_DIGITS, job ? job : "?");
        if (started)
                instant_local(started, "%Y-%m-%d %H:%M:%S", date);
        if (json_number_at(run, "time_ns.point", &point))
                unit_time_in(time_unit_of(run), point, time);
        if (json_number_at(run, "time_ns.low", &low) && json_number_at(run, "time_ns.high", &high))
                unit_time_range_in(time_unit_of(run), low, high, range);
        return error_trace(grid_add_row(grid, (const char *const[_TREND_N]){
                                                              [TREND_JOB] = id,
                                                              [TREND_STARTED] = date,
                                                              [TREND_TIME] = time,
                                                              [TREND_INTERVAL] = range,
                                                              [TREND_CHANGE] = json_text_at(run, "change"),
                                                              [TREND_MODULE] = module,
                                                              [TREND_NOTE] = trend_note(run),
                                              }));
}

static int add_drift(Grid *grid, const json_t *row) {
        _cleanup_(freep) char *text = NULL;
        FILE *stream;
        bool told;
        size_t n;

        stream = open_memstream(&text, &n);
        if (!stream)
                return error_origin(-errno);
        fputs("  ", stream);
        told = trend_print_drift(row, stream);
        if (fclose(stream) != 0)
                return error_origin(-errno);
        return told ? error_trace(grid_add_line(grid, GRID_PLAIN, text)) : 0;
}

int report_trend(const json_t *trend, const View *view, FILE *out) {
        const json_t *rows = json_at(trend, "benchmarks");
        _cleanup_(grid_freep) Grid *grid = NULL;
        int r;

        r = grid_new(trend_columns, _TREND_N, &grid);
        if (r == 0)
                r = grid_add_titles(grid);
        for (size_t i = 0; r == 0 && i < json_array_size(rows); i++) {
                const json_t *row = json_array_get(rows, i), *runs = json_at(row, "runs");

                r = add_title(grid, row);
                for (size_t j = 0; r == 0 && j < json_array_size(runs); j++)
                        r = add_run(grid, json_array_get(runs, j));
                if (r == 0)
                        r = add_drift(grid, row);
        }
        if (r)
                return error_trace(r);
        grid_print(grid, view, trend_columns[TREND_MODULE].rank, out);
        return 0;
}
