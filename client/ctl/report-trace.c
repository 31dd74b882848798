/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The table of --trace: one line per phase of the first process of each benchmark. The other processes are in the JSON.
 */

#include <errno.h>
#include <jansson.h>

#include "ctl/cell.h"
#include "ctl/grid.h"
#include "ctl/json-path.h"
#include "ctl/report.h"
#include "ctl/unit.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/time.h"

DEFINE_CLEANUP(Grid *, grid_free)

enum {
        TRACE_PHASE,
        TRACE_BEGAN,
        TRACE_LASTED,
        TRACE_COUNTS, /* this and the following columns, in the order of trace_counts */
        TRACE_WAITED = TRACE_COUNTS + 6,
        _TRACE_COLUMNS,
};

static const GridColumn trace_columns[_TRACE_COLUMNS] = {
        { .title = "", .left = true },
        { .title = "began", .gap = 3 },
        { .title = "lasted", .gap = 2 },
        { .title = "batches", .gap = 2 },
        { .title = "iterations", .gap = 2 },
        { .title = "interrupted", .gap = 2, .rank = 3 },
        { .title = "preempted", .gap = 2, .rank = 3 },
        { .title = "windows", .gap = 2, .rank = 1 },
        { .title = "at FIFO", .gap = 2, .rank = 1 },
        { .title = "waited", .gap = 2, .rank = 2 },
};

static const char *const trace_counts[] = { "batches", "iterations", "interrupted", "preempted", "windows_asked",
        "windows_fifo" };

/* ---- cells */

/* The span from @from of @first to @to of @phase: a time if the clock's rate is known, else ticks. */
static void write_span(const json_t *first, const char *from, const json_t *phase, const char *to, double hz,
                char text[static UNIT_TEXT_MAX]) {
        double began, ended;

        text[0] = '\0';
        if (!json_number_at(first, from, &began) || !json_number_at(phase, to, &ended) || ended < began)
                return;
        if (hz > 0)
                unit_time((ended - began) / hz * NS_PER_S, text);
        else
                unit_count(ended - began, text);
}

static int add_phase(Grid *grid, const json_t *first, const json_t *phase, double hz) {
        char texts[_TRACE_COLUMNS][UNIT_TEXT_MAX] = {};
        const char *cells[_TRACE_COLUMNS], *name = json_text_at(phase, "phase");
        double number;

        snprintf(texts[TRACE_PHASE], UNIT_TEXT_MAX, "    %s", name ? name : "?");
        write_span(first, "start_ticks", phase, "start_ticks", hz, texts[TRACE_BEGAN]);
        write_span(phase, "start_ticks", phase, "end_ticks", hz, texts[TRACE_LASTED]);
        for (size_t i = 0; i < N_ELEMENTS(trace_counts); i++)
                if (json_number_at(phase, trace_counts[i], &number))
                        unit_count(number, texts[TRACE_COUNTS + i]);
        if (json_number_at(phase, "window_wait_ns", &number))
                unit_time(number, texts[TRACE_WAITED]);
        for (size_t i = 0; i < _TRACE_COLUMNS; i++)
                cells[i] = texts[i];
        return error_trace(grid_add_row(grid, cells));
}

/* ---- lines */

static int add_heading(Grid *grid, const json_t *benchmark) {
        _cleanup_(freep) char *text = NULL;
        FILE *stream;
        size_t n;

        stream = open_memstream(&text, &n);
        if (!stream)
                return error_origin(-errno);
        fputs("  ", stream);
        cell_print_name(benchmark, stream);
        if (fclose(stream) != 0)
                return error_origin(-errno);
        return error_trace(grid_add_line(grid, GRID_PLAIN, text));
}

static const json_t *first_trace(const json_t *benchmark) {
        return json_at(json_array_get(json_at(benchmark, "processes"), 0), "trace");
}

static int add_benchmark(Grid *grid, const json_t *benchmark, double hz) {
        const json_t *trace = first_trace(benchmark);
        int r;

        if (json_array_size(trace) == 0)
                return 0;
        r = add_heading(grid, benchmark);
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
        const json_t *benchmarks = json_at(result, "benchmarks");
        double hz = 0;
        int r;

        if (!any_trace(benchmarks))
                return 0;
        (void)json_number_at(result, "environment.tsc.hz", &hz);
        r = grid_new(trace_columns, _TRACE_COLUMNS, &grid);
        if (r == 0)
                r = grid_add_titles(grid);
        if (r == 0)
                r = grid_add_line(grid, GRID_BOLD, "first process");
        for (size_t i = 0; r == 0 && i < json_array_size(benchmarks); i++)
                r = add_benchmark(grid, json_array_get(benchmarks, i), hz);
        if (r)
                return error_trace(r);
        grid_print(grid, view, 3, out);
        fputc('\n', out);
        return 0;
}
