/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The table of --trace: one line per phase of the first process of each benchmark. The other processes are in the JSON.
 */

#include <jansson.h>

#include "ctl/base/json-path.h"
#include "ctl/base/unit.h"
#include "ctl/model/columns.h"
#include "ctl/model/result.h"
#include "ctl/show/grid.h"
#include "ctl/show/report.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/time.h"

static const Column trace_columns[] = {
        { .title = "", .flags = COLUMN_LEFT },
        { .title = "began", .gap = 3 },
        { .title = "lasted" },
        { .title = "batches", .path = "batches", .fill = cell_count },
        { .title = "iterations", .path = "iterations", .fill = cell_count },
        { .title = "interrupted", .path = "interrupted", .fill = cell_count, .rank = 3 },
        { .title = "preempted", .path = "preempted", .fill = cell_count, .rank = 3 },
        { .title = "windows", .path = "windows_asked", .fill = cell_count, .rank = 1 },
        { .title = "at FIFO", .path = "windows_fifo", .fill = cell_count, .rank = 1 },
        { .title = "waited", .path = "window_wait_ns", .fill = cell_time, .rank = 2 },
};

/* ---- cells */

/* The span from @from of @first to @to of @phase: a time if the clock's rate is known, else ticks. */
static void print_span(const json_t *first, const char *from, const json_t *phase, const char *to, double hz,
                FILE *out) {
        char text[UNIT_TEXT_MAX];
        double began, ended;

        if (!json_number_at(first, from, &began) || !json_number_at(phase, to, &ended) || ended < began)
                return;
        fputs(hz > 0 ? unit_time((ended - began) / hz * NS_PER_S, text) : unit_count(ended - began, text), out);
}

static int add_phase(Grid *grid, const json_t *first, const json_t *phase, double hz) {
        const char *name = json_text_at(phase, "phase");

        fprintf(grid_cell(grid), "    %s", name ? name : "?");
        print_span(first, "start_ticks", phase, "start_ticks", hz, grid_cell(grid));
        print_span(phase, "start_ticks", phase, "end_ticks", hz, grid_cell(grid));
        return error_trace(grid_add(grid, phase, NULL));
}

/* ---- lines */

static const json_t *first_trace(const json_t *benchmark) {
        return json_at(json_array_get(json_at(benchmark, "processes"), 0), "trace");
}

static int add_benchmark(Grid *grid, const json_t *benchmark, double hz) {
        const json_t *trace = first_trace(benchmark);
        int r;

        if (json_array_size(trace) == 0)
                return 0;
        cell_name(NULL, benchmark, NULL, NULL, grid_cell(grid));
        r = grid_add_line(grid, GRID_PLAIN);
        for (size_t i = 0; r == 0 && i < json_array_size(trace); i++)
                r = add_phase(grid, json_array_get(trace, 0), json_array_get(trace, i), hz);
        return error_trace(r);
}

static bool any_trace(const json_t *benchmarks) {
        for (size_t i = 0; i < json_array_size(benchmarks); i++)
                if (json_array_size(first_trace(json_array_get(benchmarks, i))) > 0)
                        return true;
        return false;
}

int report_trace(const json_t *result, const View *view, FILE *out) {
        _cleanup_(grid_freep) Grid *grid = NULL;
        const json_t *benchmarks = result_rows(result);
        double hz = 0;
        int r;

        if (!any_trace(benchmarks))
                return 0;
        (void)json_number_at(result, "environment.tsc.hz", &hz);
        r = grid_new(trace_columns, N_ELEMENTS(trace_columns), &grid);
        if (r == 0)
                r = grid_add_titles(grid);
        if (r)
                return error_trace(r);
        fputs("first process", grid_cell(grid));
        r = grid_add_line(grid, GRID_BOLD);
        for (size_t i = 0; r == 0 && i < json_array_size(benchmarks); i++)
                r = add_benchmark(grid, json_array_get(benchmarks, i), hz);
        if (r)
                return error_trace(r);
        grid_print(grid, view, 3, out);
        fputc('\n', out);
        return 0;
}
