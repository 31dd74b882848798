/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/row.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/cell.h"
#include "ctl/grid.h"
#include "ctl/json-path.h"
#include "ctl/view.h"
#include "util/cleanup.h"
#include "util/error.h"

typedef struct RowColumn {
        const char *name; /* of --columns; several columns may go by one */
        GridColumn grid;
        CellFill fill;
        const char *path; /* the value's */
        bool details;     /* is shown in --format=details only, and where --columns names it */
} RowColumn;

#define RANK_SPARSE 6u

/* ---- columns: the order is that of the table; of the ranks the highest leaves first */

#define TEXT(title_, gap_, style_, rank_, fill_, path_)                                                                \
 {                                                                                                                     \
  .grid = { .title = title_, .left = true, .gap = gap_, .style = style_, .rank = rank_ }, .fill = fill_, .path = path_ \
 }
#define FIGURE(title_, gap_, style_, fill_, path_)                                                                     \
 { .grid = { .title = title_, .gap = gap_, .style = style_, .dash = true }, .fill = fill_, .path = path_ }
#define OPTION(name_, title_, gap_, style_, rank_, fill_, path_)                                                       \
 {                                                                                                                     \
  .name = name_, .fill = fill_, .path = path_, .grid = {                                                               \
          .title = title_,                                                                                             \
          .gap = gap_,                                                                                                 \
          .style = style_,                                                                                             \
          .rank = rank_,                                                                                               \
          .dash = true,                                                                                                \
          .optional = true                                                                                             \
  }                                                                                                                    \
 }

/* clang-format off */
#define COUNTERS "counters" /* stands for a column for each counter of the module's */
#define NOTE                                                                                                           \
 { .name = "note", .fill = cell_notes,                                                                                 \
   .grid = { .title = "note", .left = true, .gap = 2, .rank = 4, .optional = true } }
#define FIRST_CALL                                                                                                     \
 { .name = "first-call", .fill = cell_unscaled_time, .path = "first_call_ns", .details = true,                                  \
   .grid = { .title = "first call", .gap = 2, .rank = 8, .dash = true, .optional = true } }
#define ITERATION(path_)                                                                                               \
 { .name = "iteration", .fill = cell_iteration, .path = path_, .details = true,                                        \
   .grid = { .title = "iteration", .gap = 2, .rank = 8, .dash = true, .optional = true } }
#define COUNT                                                                                                          \
 { .name = "count", .fill = cell_iterations, .path = "iterations_per_sample",                                          \
   .grid = { .title = "", .left = true, .gap = 1, .style = GRID_DIM, .rank = 8 } }

static const RowColumn usual_columns[] = {
        TEXT("", 0, GRID_PLAIN, 0, cell_name, NULL),
        { .name = "time", .fill = cell_time, .path = "time_ns.point",
          .grid = { .title = "time", .gap = 3, .style = GRID_BOLD, .dash = true } },
        OPTION("interval", "interval", 1, GRID_PLAIN, 0, cell_interval, NULL),
        OPTION("average", "average", 2, GRID_PLAIN, 0, cell_time, "amortised.point"),
        OPTION("cycles", "cycles", 2, GRID_PLAIN, 3, cell_number, "cycles.point"),
        OPTION("throughput", "throughput", 2, GRID_PLAIN, 2, cell_throughput, "throughput.bytes_per_second"),
        OPTION("rate", "rate", 2, GRID_PLAIN, 2, cell_rate, "throughput.items_per_second"),
        OPTION("memory", "allocations", 2, GRID_PLAIN, 1, cell_number, "memory.allocations_per_operation"),
        OPTION("memory", "bytes", 2, GRID_PLAIN, 1, cell_number, "memory.bytes_per_operation"),
        OPTION("memory", "retained", 2, GRID_PLAIN, 1, cell_number, "memory.retained_bytes_per_operation"),
        OPTION("memory", "peak", 2, GRID_PLAIN, 1, cell_number, "memory.peak_bytes_per_iteration"),
        OPTION(COUNTERS, "", 2, GRID_PLAIN, 1, cell_counter, NULL),
        { .name = "label", .fill = cell_text, .path = "label",
          .grid = { .title = "label", .left = true, .gap = 2, .rank = 6, .optional = true } },
        OPTION("quiet", "quiet", 2, GRID_PLAIN, 5, cell_share, "disturbed.quiet"),
        OPTION("shared", "while shared", 2, GRID_PLAIN, 6, cell_shared, "time_ns.shared.point"),
        { .name = "distribution", .fill = cell_distribution, .path = "time_ns.histogram.counts",
          .grid = { .title = "distribution", .left = true, .gap = 2, .rank = 7, .optional = true } },
        OPTION("net", "net", 2, GRID_PLAIN, 8, cell_time, "time_ns.net.point"),
        OPTION("median", "median", 2, GRID_PLAIN, 8, cell_time, "time_ns.raw.median"),
        OPTION("mean", "mean", 2, GRID_PLAIN, 8, cell_time, "time_ns.raw.mean"),
        OPTION("stddev", "stddev", 2, GRID_PLAIN, 8, cell_time, "time_ns.raw.stddev"),
        OPTION("min", "min", 2, GRID_PLAIN, 8, cell_time, "time_ns.raw.min"),
        OPTION("max", "max", 2, GRID_PLAIN, 8, cell_time, "time_ns.raw.max"),
        OPTION("samples", "samples", 2, GRID_DIM, 8, cell_count, "samples"),
        FIRST_CALL,
        ITERATION("time_ns.point"),
        COUNT,
        NOTE,
};

static const RowColumn measureit_columns[] = {
        TEXT("Name", 0, GRID_PLAIN, 0, cell_title, NULL),
        FIGURE("Median", 3, GRID_BOLD, cell_time, "time_ns.raw.median"),
        FIGURE("Mean", 2, GRID_PLAIN, cell_time, "time_ns.raw.mean"),
        FIGURE("StdDev", 2, GRID_PLAIN, cell_time, "time_ns.raw.stddev"),
        FIGURE("Min", 2, GRID_PLAIN, cell_time, "time_ns.raw.min"),
        FIGURE("Max", 2, GRID_PLAIN, cell_time, "time_ns.raw.max"),
        FIGURE("Samples", 2, GRID_DIM, cell_count, "samples"),
        FIRST_CALL,
        ITERATION("time_ns.raw.median"),
        COUNT,
        NOTE,
};

static const RowColumn stopwatch_columns[] = {
        TEXT("", 0, GRID_PLAIN, 0, cell_title, NULL),
        FIGURE("mean", 3, GRID_BOLD, cell_time, "time_ns.raw.mean"),
        FIGURE("lowest", 2, GRID_PLAIN, cell_time, "time_ns.raw.min"),
        FIGURE("highest", 2, GRID_PLAIN, cell_time, "time_ns.raw.max"),
        FIGURE("cycles", 2, GRID_PLAIN, cell_number, "cycles.point"),
        FIGURE("runs", 2, GRID_DIM, cell_count, "samples"),
        FIGURE("warm-up ms", 2, GRID_DIM, cell_number, "warmup_ms"),
        FIRST_CALL,
        ITERATION("time_ns.raw.mean"),
        NOTE,
};

static const RowColumn softwx_columns[] = {
        TEXT("", 0, GRID_PLAIN, 0, cell_title, NULL),
        FIGURE("time/op", 3, GRID_BOLD, cell_time, "time_ns.raw.mean"),
        FIGURE("operations", 2, GRID_PLAIN, cell_count, "operations_total"),
        FIGURE("iterations", 2, GRID_PLAIN, cell_count, "samples"),
        FIGURE("elapsed", 2, GRID_PLAIN, cell_elapsed, "time_ns.raw.mean"),
        FIRST_CALL,
        ITERATION("time_ns.raw.mean"),
        COUNT,
        NOTE,
};

static const RowColumn macro_columns[] = {
        TEXT("", 0, GRID_PLAIN, 0, cell_title, NULL),
        FIGURE("average", 3, GRID_BOLD, cell_time, "time_ns.raw.mean"),
        FIGURE("raw speed", 2, GRID_PLAIN, cell_time, "time_ns.raw.best"),
        FIGURE("gymnastics", 2, GRID_PLAIN, cell_time, "time_ns.raw.trimmed_mean"),
        FIGURE("runs", 2, GRID_DIM, cell_count, "samples"),
        FIRST_CALL,
        ITERATION("time_ns.raw.mean"),
        NOTE,
};

static const RowColumn mark_columns[] = {
        TEXT("", 0, GRID_PLAIN, 0, cell_title, NULL),
        FIGURE("mean", 3, GRID_BOLD, cell_time, "time_ns.raw.mean"),
        FIGURE("sdev", 2, GRID_PLAIN, cell_time, "time_ns.raw.stddev"),
        FIGURE("count", 2, GRID_PLAIN, cell_count, "iterations_per_sample"),
        FIRST_CALL,
        ITERATION("time_ns.raw.mean"),
        NOTE,
};

static const RowColumn spread_columns[] = {
        TEXT("spread", 0, GRID_PLAIN, 0, cell_sided_name, NULL),
        FIGURE("within", 2, GRID_PLAIN, cell_share, "variance.within_process"),
        FIGURE("between", 2, GRID_PLAIN, cell_share, "variance.between_process"),
        FIGURE("ess", 2, GRID_PLAIN, cell_number, "variance.ess"),
        FIGURE("drift", 2, GRID_PLAIN, cell_drift, NULL),
        FIGURE("harness error", 2, GRID_PLAIN, cell_time, "harness_error_ns"),
        FIGURE("1 sd (68.3 %)", 2, GRID_PLAIN, cell_share, "time_ns.raw.within_1sd"),
        FIGURE("2 sd (95.4 %)", 2, GRID_PLAIN, cell_share, "time_ns.raw.within_2sd"),
        FIGURE("median lies in", 2, GRID_PLAIN, cell_median, NULL),
        FIGURE("raw speed", 2, GRID_PLAIN, cell_time, "time_ns.raw.best"),
        FIGURE("gymnastics", 2, GRID_PLAIN, cell_time, "time_ns.raw.trimmed_mean"),
        { .grid = { .title = "modes", .left = true, .gap = 2, .dash = true }, .fill = cell_modes },
};
/* clang-format on */

struct RowLayout {
        RowColumn columns[GRID_COLUMNS_MAX];
        size_t n;
        bool whole; /* one row, however many counts of iterations there were */
};

typedef struct RowMethod {
        const char *name; /* the method's, or its beginning; NULL: any other */
        const RowColumn *columns;
        size_t n;
} RowMethod;

static const RowMethod methods[] = {
        { "measureit", measureit_columns, N_ELEMENTS(measureit_columns) },
        { "stopwatch", stopwatch_columns, N_ELEMENTS(stopwatch_columns) },
        { "softwx", softwx_columns, N_ELEMENTS(softwx_columns) },
        { "macro", macro_columns, N_ELEMENTS(macro_columns) },
        { "mark", mark_columns, N_ELEMENTS(mark_columns) },
        { NULL, usual_columns, N_ELEMENTS(usual_columns) },
};

static const RowMethod *method_of(const json_t *result) {
        const char *name = json_text_at(result, "method");
        const RowMethod *method = methods;

        while (method->name && (!name || strchr(name, ',') || strncmp(name, method->name, strlen(method->name)) != 0))
                method++;
        return method;
}

const char *row_headline(const json_t *result) {
        const RowColumn *column = method_of(result)->columns;

        while (column->grid.style != GRID_BOLD)
                column++;
        return column->path;
}

/* ---- layouts */

bool row_has_column(const char *name, size_t n) {
        for (size_t i = 0; i < N_ELEMENTS(usual_columns); i++)
                if (usual_columns[i].name && strlen(usual_columns[i].name) == n &&
                                memcmp(usual_columns[i].name, name, n) == 0)
                        return true;
        return false;
}

void row_print_columns(FILE *out) {
        const char *last = "";

        for (size_t i = 0; i < N_ELEMENTS(usual_columns); i++) {
                const char *name = usual_columns[i].name;

                if (!name || strcmp(name, last) == 0)
                        continue;
                fprintf(out, "%s%s", *last ? ", " : "", name);
                last = name;
        }
}

static void layout_append(RowLayout *layout, const RowColumn *column) {
        if (layout->n < N_ELEMENTS(layout->columns))
                layout->columns[layout->n++] = *column;
}

static bool has_counter(const RowLayout *layout, const char *name) {
        for (size_t i = 0; i < layout->n; i++)
                if (layout->columns[i].fill == cell_counter && strcmp(layout->columns[i].path, name) == 0)
                        return true;
        return false;
}

/* A column for each counter of any benchmark, under its name. */
static void layout_append_counters(RowLayout *layout, const RowColumn *column, const json_t *result) {
        const json_t *benchmarks = json_at(result, "benchmarks");

        for (size_t i = 0; i < json_array_size(benchmarks); i++) {
                const char *name;
                json_t *value;

                json_object_foreach((json_t *)json_at(json_array_get(benchmarks, i), "counters"), name, value) {
                        RowColumn own = *column;

                        own.grid.title = own.path = name;
                        if (!has_counter(layout, name))
                                layout_append(layout, &own);
                }
        }
}

static void layout_append_any(RowLayout *layout, const RowColumn *column, const json_t *result) {
        if (column->name && strcmp(column->name, COUNTERS) == 0)
                layout_append_counters(layout, column, result);
        else
                layout_append(layout, column);
}

/* The columns that were asked for are all there, in their order, however wide. */
static void layout_choose(RowLayout *layout, const char *names, const json_t *result) {
        layout_append(layout, &usual_columns[0]);
        for (const char *name = names; *name; name += strspn(name, ",")) {
                const size_t n = strcspn(name, ",");

                for (size_t i = 0; i < N_ELEMENTS(usual_columns); i++) {
                        RowColumn column = usual_columns[i];

                        column.grid.rank = 0;
                        column.grid.optional = false;
                        if (column.name && strlen(column.name) == n && memcmp(column.name, name, n) == 0)
                                layout_append_any(layout, &column, result);
                }
                name += n;
        }
}

/* The benchmarks of a result by their rates. */
typedef struct RateCount {
        size_t n;
        size_t with; /* bytes or items a second */
        size_t both;
} RateCount;

static RateCount count_rates(const json_t *result) {
        const json_t *benchmarks = json_at(result, "benchmarks");
        RateCount count = { .n = json_array_size(benchmarks) };
        double rate;

        for (size_t i = 0; i < count.n; i++) {
                const json_t *benchmark = json_array_get(benchmarks, i);
                const bool bytes = json_number_at(benchmark, "throughput.bytes_per_second", &rate);
                const bool items = json_number_at(benchmark, "throughput.items_per_second", &rate);

                count.with += bytes || items;
                count.both += bytes && items;
        }
        return count;
}

/*
 * The columns of @method. Bytes and items a second share one, unless some row has both; where few rows have any, the column is one of
 * the first to leave.
 */
static void layout_append_all(RowLayout *layout, const RowMethod *method, const View *view, const json_t *result) {
        const RateCount rates = count_rates(result);

        for (size_t i = 0; i < method->n; i++) {
                RowColumn column = method->columns[i];

                if (column.details && !view->details)
                        continue;
                if (column.fill == cell_rate && rates.both == 0)
                        continue;
                if ((column.fill == cell_rate || column.fill == cell_throughput) && 2 * rates.with < rates.n)
                        column.grid.rank = RANK_SPARSE;
                if (column.fill == cell_throughput && rates.both == 0)
                        column.fill = cell_throughput_or_rate;
                layout_append_any(layout, &column, result);
        }
}

int row_layout_new(const json_t *result, const View *view, RowLayout **ret_layout) {
        RowLayout *layout;

        layout = calloc(1, sizeof *layout);
        if (!layout)
                return error_origin(-ENOMEM);
        if (view->columns)
                layout_choose(layout, view->columns, result);
        else
                layout_append_all(layout, method_of(result), view, result);
        *ret_layout = layout;
        return 0;
}

void row_layout_leave_out_notes(RowLayout *layout) {
        size_t n = 0;

        for (size_t i = 0; i < layout->n; i++)
                if (layout->columns[i].fill != cell_notes)
                        layout->columns[n++] = layout->columns[i];
        layout->n = n;
}

int row_layout_new_spread(RowLayout **ret_layout) {
        RowLayout *layout;

        layout = calloc(1, sizeof *layout);
        if (!layout)
                return error_origin(-ENOMEM);
        layout->whole = true;
        for (size_t i = 0; i < N_ELEMENTS(spread_columns); i++)
                layout_append(layout, &spread_columns[i]);
        *ret_layout = layout;
        return 0;
}

RowLayout *row_layout_free(RowLayout *layout) {
        free(layout);
        return NULL;
}

/* ---- rows */

int row_grid_new(const RowLayout *layout, Grid **ret_grid) {
        GridColumn grid_columns[GRID_COLUMNS_MAX];

        for (size_t i = 0; i < layout->n; i++)
                grid_columns[i] = layout->columns[i].grid;
        return error_trace(grid_new(grid_columns, layout->n, ret_grid));
}

static int row_cell(const RowColumn *column, const json_t *benchmark, Footnotes *footnotes, char **ret_text) {
        FILE *stream;
        size_t n;

        stream = open_memstream(ret_text, &n);
        if (!stream)
                return error_origin(-errno);
        column->fill(column->path, benchmark, footnotes, stream);
        return fclose(stream) == 0 ? 0 : error_origin(-errno);
}

const GridColumn *row_column(const RowLayout *layout, size_t index) {
        return index < layout->n ? &layout->columns[index].grid : NULL;
}

bool row_is_distribution(const RowLayout *layout, size_t index) {
        return layout->columns[index].fill == cell_distribution;
}

char *row_text(const RowLayout *layout, size_t index, const json_t *benchmark) {
        char *text = NULL;

        return row_cell(&layout->columns[index], benchmark, NULL, &text) == 0 ? text : NULL;
}

bool row_number(const RowLayout *layout, size_t index, const json_t *benchmark, double *ret_number) {
        const RowColumn *column = &layout->columns[index];

        if (column->fill == cell_interval) {
                double point, low, high;

                if (!json_number_at(benchmark, "time_ns.point", &point) ||
                                !json_number_at(benchmark, "time_ns.low", &low) ||
                                !json_number_at(benchmark, "time_ns.high", &high))
                        return false;
                *ret_number = (high - low) / fabs(point);
                return true;
        }
        if (column->fill == cell_throughput_or_rate)
                return json_number_at(benchmark, "throughput.bytes_per_second", ret_number) ||
                       json_number_at(benchmark, "throughput.items_per_second", ret_number);
        return column->path && json_number_at(benchmark, column->path, ret_number);
}

int row_add_failure(Grid *grid, const json_t *benchmark, const char *name) {
        const char *message = json_text_at(benchmark, "failed.message");
        const char *code = json_text_at(benchmark, "failed.code");
        bool skipped = code && strcmp(code, "skipped") == 0;

        return error_trace(grid_add_words(grid, skipped ? GRID_DIM : GRID_BAD, name, message ? message : "It failed."));
}

static int row_add_one(const RowLayout *layout, Grid *grid, const json_t *benchmark, Footnotes *footnotes) {
        bool failed = json_at(benchmark, "failed");
        size_t n = failed ? 1 : layout->n;
        char *cells[GRID_COLUMNS_MAX] = {};
        int r = 0;

        for (size_t i = 0; r == 0 && i < n; i++)
                r = row_cell(&layout->columns[i], benchmark, footnotes, &cells[i]);
        if (r == 0)
                r = failed ? row_add_failure(grid, benchmark, cells[0])
                           : grid_add_row(grid, (const char *const *)cells);
        for (size_t i = 0; i < n; i++)
                free(cells[i]);
        return error_trace(r);
}

/* ---- rows: one, or one for each count of iterations */

/* Returns @benchmark with the figures of @step; NULL if memory ran out. */
static json_t *row_of_step(const json_t *benchmark, const json_t *step, bool last) {
        json_t *row = json_copy((json_t *)benchmark);
        json_t *own = json_pack("{s:{s:{s:O?, s:O?}}, s:O?, s:O?}", "time_ns", "raw", "mean", json_at(step, "mean_ns"),
                        "stddev", json_at(step, "stddev_ns"), "iterations_per_sample", json_at(step, "iterations"),
                        "samples", json_at(step, "samples"));

        if (row && own)
                json_object_update(row, own);
        if (row && !last) { /* the whole benchmark's */
                json_object_del(row, "warnings");
                json_object_del(row, "first_call_ns");
        }
        json_decref(own);
        return row;
}

json_t *row_steps(const json_t *benchmark) {
        const json_t *steps = json_at(benchmark, "steps");
        size_t n = json_array_size(steps);
        json_t *rows = json_array();

        if (n == 0)
                json_array_append(rows, (json_t *)benchmark);
        for (size_t i = 0; i < n; i++)
                json_array_append_new(rows, row_of_step(benchmark, json_array_get(steps, i), i + 1 == n));
        if (json_array_size(rows) == (n > 0 ? n : 1))
                return rows;
        json_decref(rows);
        return NULL;
}

int row_add(const RowLayout *layout, Grid *grid, const json_t *benchmark, Footnotes *footnotes) {
        _cleanup_(json_decrefp) json_t *rows = NULL;
        int r = 0;

        if (layout->whole)
                return error_trace(row_add_one(layout, grid, benchmark, footnotes));
        rows = row_steps(benchmark);
        if (!rows)
                return error_origin(-ENOMEM);
        for (size_t i = 0; r == 0 && i < json_array_size(rows); i++)
                r = row_add_one(layout, grid, json_array_get(rows, i), footnotes);
        return error_trace(r);
}
