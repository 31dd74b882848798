/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/row.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/cell.h"
#include "ctl/grid.h"
#include "ctl/json-path.h"
#include "ctl/step-rows.h"
#include "util/cleanup.h"
#include "util/error.h"

#define DASH "–"

typedef struct RowColumn {
        GridColumn grid;
        CellFill *fill;
        const char *path; /* of the value */
        bool dash;        /* stands for a value that is not there */
} RowColumn;

/* ---- columns */

#define LEFT(title_, gap_, style_, fill_, path_)                                                                       \
 { .grid = { .title = title_, .left = true, .gap = gap_, .style = style_ }, .fill = fill_, .path = path_ }
#define RIGHT(title_, gap_, style_, fill_, path_)                                                                      \
 { .grid = { .title = title_, .gap = gap_, .style = style_ }, .fill = fill_, .path = path_, .dash = true }

/* clang-format off */
static const RowColumn usual_columns[] = {
        LEFT("", 0, GRID_PLAIN, cell_name, NULL),
        RIGHT("time", 3, GRID_BOLD, cell_time, "time_ns.point"),
        RIGHT("± interval", 1, GRID_PLAIN, cell_interval, NULL),
        RIGHT("cycles", 2, GRID_PLAIN, cell_number, "cycles.point"),
        RIGHT("net", 2, GRID_PLAIN, cell_time, "time_ns.net.point"),
        RIGHT("median", 2, GRID_PLAIN, cell_time, "time_ns.raw.median"),
        RIGHT("mean", 2, GRID_PLAIN, cell_time, "time_ns.raw.mean"),
        RIGHT("stddev", 2, GRID_PLAIN, cell_time, "time_ns.raw.stddev"),
        RIGHT("min", 2, GRID_PLAIN, cell_time, "time_ns.raw.min"),
        RIGHT("max", 2, GRID_PLAIN, cell_time, "time_ns.raw.max"),
        RIGHT("samples", 2, GRID_DIM, cell_count, "samples"),
        LEFT("", 1, GRID_DIM, cell_iterations, "iterations_per_sample"),
        RIGHT("quiet", 2, GRID_PLAIN, cell_share, "disturbed.quiet"),
        LEFT("notes", 2, GRID_PLAIN, cell_notes, NULL),
};

static const RowColumn measureit_columns[] = {
        LEFT("Name", 0, GRID_PLAIN, cell_name, NULL),
        RIGHT("Median", 3, GRID_BOLD, cell_time, "time_ns.raw.median"),
        RIGHT("Mean", 2, GRID_PLAIN, cell_time, "time_ns.raw.mean"),
        RIGHT("StdDev", 2, GRID_PLAIN, cell_time, "time_ns.raw.stddev"),
        RIGHT("Min", 2, GRID_PLAIN, cell_time, "time_ns.raw.min"),
        RIGHT("Max", 2, GRID_PLAIN, cell_time, "time_ns.raw.max"),
        RIGHT("Samples", 2, GRID_DIM, cell_count, "samples"),
        LEFT("", 1, GRID_DIM, cell_iterations, "iterations_per_sample"),
        LEFT("notes", 2, GRID_PLAIN, cell_notes, NULL),
};

static const RowColumn stopwatch_columns[] = {
        LEFT("", 0, GRID_PLAIN, cell_name, NULL),
        RIGHT("mean", 3, GRID_BOLD, cell_time, "time_ns.raw.mean"),
        RIGHT("lowest", 2, GRID_PLAIN, cell_time, "time_ns.raw.min"),
        RIGHT("highest", 2, GRID_PLAIN, cell_time, "time_ns.raw.max"),
        RIGHT("cycles", 2, GRID_PLAIN, cell_number, "cycles.point"),
        RIGHT("runs", 2, GRID_DIM, cell_count, "samples"),
        RIGHT("warm-up ms", 2, GRID_DIM, cell_number, "warmup_ms"),
        LEFT("notes", 2, GRID_PLAIN, cell_notes, NULL),
};

static const RowColumn softwx_columns[] = {
        LEFT("", 0, GRID_PLAIN, cell_name, NULL),
        RIGHT("time/op", 3, GRID_BOLD, cell_time, "time_ns.raw.mean"),
        RIGHT("operations", 2, GRID_PLAIN, cell_count, "operations_total"),
        RIGHT("iterations", 2, GRID_PLAIN, cell_count, "samples"),
        RIGHT("elapsed", 2, GRID_PLAIN, cell_elapsed, "time_ns.raw.mean"),
        LEFT("", 1, GRID_DIM, cell_iterations, "iterations_per_sample"),
        LEFT("notes", 2, GRID_PLAIN, cell_notes, NULL),
};

static const RowColumn macro_columns[] = {
        LEFT("", 0, GRID_PLAIN, cell_name, NULL),
        RIGHT("average", 3, GRID_BOLD, cell_time, "time_ns.raw.mean"),
        RIGHT("raw speed", 2, GRID_PLAIN, cell_time, "time_ns.raw.best"),
        RIGHT("gymnastics", 2, GRID_PLAIN, cell_time, "time_ns.raw.trimmed_mean"),
        RIGHT("runs", 2, GRID_DIM, cell_count, "samples"),
        LEFT("notes", 2, GRID_PLAIN, cell_notes, NULL),
};

static const RowColumn mark_columns[] = {
        LEFT("", 0, GRID_PLAIN, cell_name, NULL),
        RIGHT("mean", 3, GRID_BOLD, cell_time, "time_ns.raw.mean"),
        RIGHT("sdev", 2, GRID_PLAIN, cell_time, "time_ns.raw.stddev"),
        RIGHT("count", 2, GRID_PLAIN, cell_count, "iterations_per_sample"),
        LEFT("notes", 2, GRID_PLAIN, cell_notes, NULL),
};
/* clang-format on */

struct RowLayout {
        const char *method; /* the beginning of its name; NULL: any */
        const RowColumn *columns;
        size_t n;
};

#define LAYOUT(method_, columns_)                                                                                      \
 { .method = method_, .columns = columns_, .n = N_ELEMENTS(columns_) }

static const RowLayout layouts[] = {
        LAYOUT("measureit", measureit_columns),
        LAYOUT("stopwatch", stopwatch_columns),
        LAYOUT("softwx", softwx_columns),
        LAYOUT("macro", macro_columns),
        LAYOUT("mark", mark_columns),
        LAYOUT(NULL, usual_columns),
};

const RowLayout *row_layout(const json_t *result) {
        const char *method = json_text_at(result, "method");
        const RowLayout *layout = layouts;

        while (layout->method && (!method || strchr(method, ',') ||
                                                 strncmp(method, layout->method, strlen(layout->method)) != 0))
                layout++;
        return layout;
}

const char *row_headline(const json_t *result) {
        const RowColumn *column = row_layout(result)->columns;

        while (column->grid.style != GRID_BOLD)
                column++;
        return column->path;
}

int row_grid_new(const RowLayout *layout, Grid **ret_grid) {
        GridColumn grid_columns[GRID_COLUMNS_MAX];

        for (size_t i = 0; i < layout->n; i++)
                grid_columns[i] = layout->columns[i].grid;
        return error_trace(grid_new(grid_columns, layout->n, ret_grid));
}

static int row_cell(const RowColumn *column, const json_t *benchmark, Footnotes *footnotes, char **ret_text) {
        _cleanup_(freep) char *text = NULL;
        FILE *stream;
        size_t n;

        stream = open_memstream(&text, &n);
        if (!stream)
                return error_origin(-errno);
        column->fill(column->path, benchmark, footnotes, stream);
        if (ftell(stream) == 0 && column->dash)
                fputs(DASH, stream);
        if (fclose(stream) != 0)
                return error_origin(-errno);
        *ret_text = take_pointer(text);
        return 0;
}

/* What failed has words in the place of numbers. */
static int row_add_failure(Grid *grid, const json_t *benchmark, const char *name) {
        const char *message = json_text_at(benchmark, "failed.message");
        const char *code = json_text_at(benchmark, "failed.code");
        bool skipped = code && strcmp(code, "skipped") == 0;

        return error_trace(grid_add_words(grid, skipped ? GRID_DIM : GRID_BAD, name, message ? message : "It failed."));
}

static int row_add_cells(const RowLayout *layout, Grid *grid, const json_t *benchmark, Footnotes *footnotes,
                char **cells) {
        int r;

        for (size_t i = 0; i < layout->n; i++) {
                r = row_cell(&layout->columns[i], benchmark, footnotes, &cells[i]);
                if (r)
                        return error_trace(r);
                if (i == 0 && json_at(benchmark, "failed"))
                        return error_trace(row_add_failure(grid, benchmark, cells[0]));
        }
        return error_trace(grid_add_row(grid, (const char *const *)cells));
}

static int row_add_one(const RowLayout *layout, Grid *grid, const json_t *benchmark, Footnotes *footnotes) {
        char *cells[GRID_COLUMNS_MAX] = {};
        int r;

        r = row_add_cells(layout, grid, benchmark, footnotes, cells);
        for (size_t i = 0; i < N_ELEMENTS(cells); i++)
                free(cells[i]);
        return error_trace(r);
}

int row_add(const RowLayout *layout, Grid *grid, const json_t *benchmark, Footnotes *footnotes) {
        _cleanup_(json_decrefp) json_t *rows = step_rows(benchmark);
        int r = 0;

        if (!rows)
                return error_origin(-ENOMEM);
        for (size_t i = 0; r == 0 && i < json_array_size(rows); i++)
                r = row_add_one(layout, grid, json_array_get(rows, i), footnotes);
        return error_trace(r);
}
