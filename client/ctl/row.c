/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/row.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/grid.h"
#include "ctl/json-path.h"
#include "ctl/unit.h"
#include "util/cleanup.h"
#include "util/error.h"

#define DASH            "–"
#define CELL_SHARED_MIN 0.01 /* share of the samples: a probe errs as often */

/* Writes a cell of @benchmark from the value at @path, or nothing if there is none; warnings go into @footnotes. */
typedef void (*CellFill)(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out);

/* ---- cells */

/* A scaled benchmark has multiples in place of times, without a unit. */
static const char *time_text(const json_t *benchmark, double ns, char text[static UNIT_TEXT_MAX]) {
        return json_flag_at(benchmark, "scaled") ? unit_number(ns, text) : unit_time(ns, text);
}

static void cell_time(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double ns;

        if (json_number_at(benchmark, path, &ns))
                fputs(time_text(benchmark, ns, text), out);
}

static void cell_elapsed(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double mean, operations;

        if (json_number_at(benchmark, path, &mean) && json_number_at(benchmark, "operations_total", &operations) &&
                        !json_flag_at(benchmark, "scaled"))
                fputs(unit_time(mean * operations, text), out);
}

static void cell_number(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double number;

        if (json_number_at(benchmark, path, &number))
                fputs(unit_number(number, text), out);
}

static void cell_count(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double count;

        if (json_number_at(benchmark, path, &count))
                fputs(unit_count(count, text), out);
}

static void cell_share(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double share;

        if (json_number_at(benchmark, path, &share))
                fputs(unit_share(share, text), out);
}

static void cell_interval(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        double point, low, high, half;
        char text[UNIT_TEXT_MAX];

        if (!json_number_at(benchmark, "time_ns.point", &point) || !json_number_at(benchmark, "time_ns.low", &low) ||
                        !json_number_at(benchmark, "time_ns.high", &high))
                return;
        half = fmax(high - point, point - low);
        fprintf(out, "± %s", point > 0 ? unit_share(half / point, text) : unit_time(half, text));
}

static void cell_iterations(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double count, scale;

        if (!json_number_at(benchmark, path, &count))
                return;
        fprintf(out, "[count=%s", unit_count(count, text));
        if (json_number_at(benchmark, "ops_per_iteration", &scale) && scale != 1)
                fprintf(out, " scale=%g", scale);
        fputc(']', out);
}

void row_print_name(const json_t *benchmark, FILE *out) {
        const char *title = json_text_at(benchmark, "title");
        const char *name = json_text_at(benchmark, "name");
        json_t *args = (json_t *)json_at(benchmark, "args"), *value;
        const char *key;
        double threads;

        fputs(title ? title : name ? name : "?", out);
        json_object_foreach(args, key, value) fprintf(out, " %s=%" JSON_INTEGER_FORMAT, key, json_integer_value(value));
        if (json_number_at(benchmark, "threads", &threads) && threads > 1)
                fprintf(out, " threads=%g", threads);
}

static void cell_name(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        fputs("  ", out);
        row_print_name(benchmark, out);
}

static void cell_sided_name(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        const char *side = json_text_at(benchmark, "side");

        row_print_name(benchmark, out);
        if (side)
                fprintf(out, " (%s)", side);
}

static void cell_median(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        char text_low[UNIT_TEXT_MAX], text_high[UNIT_TEXT_MAX];
        double low, high;

        if (json_number_at(benchmark, "time_ns.raw.median_low", &low) &&
                        json_number_at(benchmark, "time_ns.raw.median_high", &high))
                fprintf(out, "%s … %s", time_text(benchmark, low, text_low), time_text(benchmark, high, text_high));
}

static void cell_drift(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double change, p_value;

        if (!json_number_at(benchmark, "drift.change", &change))
                return;
        fprintf(out, "%s%s", change < 0 ? "-" : "+", unit_share(fabs(change), text));
        if (json_number_at(benchmark, "drift.p_value", &p_value))
                fprintf(out, " (p %.2g)", p_value);
}

static void cell_modes(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        const json_t *modes = json_at(benchmark, "modes");

        for (size_t i = 0; i < json_array_size(modes); i++) {
                const json_t *mode = json_array_get(modes, i);
                const char *kind = json_text_at(mode, "kind");
                char share[UNIT_TEXT_MAX], center[UNIT_TEXT_MAX];
                double ns, weight;

                if (json_number_at(mode, "center_ns", &ns) && json_number_at(mode, "weight", &weight))
                        fprintf(out, "%s%s %s at %s", i > 0 ? ", " : "", kind ? kind : "", unit_share(weight, share),
                                        unit_time(ns, center));
        }
}

/* ---- notes: flags in words, rates, the author's counters, and numbers of footnotes */

typedef struct CellFlag {
        const char *path;
        const char *words;
} CellFlag;

static const CellFlag cell_flags[] = {
        { "below_noise_floor", "below the noise floor" },
        { "within_loop_cost", "within the loop's cost: repeat the body (BENCH_REPEAT10)" },
        { "disturbed.unfit", "disturbed too much" },
        { "debugger_attached", "a debugger was attached" },
};

static const CellFlag cell_rates[] = {
        { "throughput.bytes_per_second", "B/s" },
        { "throughput.items_per_second", "/s" },
};

static const CellFlag cell_memory[] = {
        { "memory.allocations_per_operation", "allocations" },
        { "memory.bytes_per_operation", "bytes" },
        { "memory.retained_bytes_per_operation", "retained" },
        { "memory.peak_bytes_per_iteration", "peak" },
};

__attribute__((format(printf, 3, 4))) static void note(FILE *out, const char **separator, const char *format, ...) {
        va_list arguments;

        fputs(*separator, out);
        *separator = ", ";
        va_start(arguments, format);
        vfprintf(out, format, arguments);
        va_end(arguments);
}

static void note_memory(const json_t *benchmark, const char **separator, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double number;

        for (size_t i = 0; i < N_ELEMENTS(cell_memory); i++)
                if (json_number_at(benchmark, cell_memory[i].path, &number))
                        note(out, separator, "%s %s", cell_memory[i].words, unit_number(number, text));
}

/* The headline leaves out the time while the core was shared. */
static void note_shared(const json_t *benchmark, Footnotes *footnotes, const char **separator, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double share, ns;

        if (!json_number_at(benchmark, "disturbed.shared_share", &share) || share <= CELL_SHARED_MIN ||
                        !json_number_at(benchmark, "time_ns.while_shared.median", &ns))
                return;
        note(out, separator, "core shared %s of the time: ", unit_share(share, text));
        cell_time("time_ns.while_shared.median", benchmark, footnotes, out);
        fputs(" then", out);
}

static void note_counters(const json_t *benchmark, const char **separator, FILE *out) {
        json_t *counters = (json_t *)json_at(benchmark, "counters"), *value;
        char text[UNIT_TEXT_MAX];
        const char *name;

        json_object_foreach(counters, name, value) if (json_is_number(value))
                        note(out, separator, "%s %s", name, unit_number(json_number_value(value), text));
}

static void note_warnings(const json_t *benchmark, Footnotes *footnotes, const char **separator, FILE *out) {
        const json_t *warnings = json_at(benchmark, "warnings");

        for (size_t i = 0; i < json_array_size(warnings); i++) {
                const char *text = json_string_value(json_array_get(warnings, i));

                if (text)
                        note(out, separator, "(%zu)", grid_add_footnote(footnotes, text));
        }
}

static void cell_notes(const char *path, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        const char *separator = "";
        char text[UNIT_TEXT_MAX];
        double rate;

        for (size_t i = 0; i < N_ELEMENTS(cell_flags); i++)
                if (json_flag_at(benchmark, cell_flags[i].path))
                        note(out, &separator, "%s", cell_flags[i].words);
        for (size_t i = 0; i < N_ELEMENTS(cell_rates); i++)
                if (json_number_at(benchmark, cell_rates[i].path, &rate))
                        note(out, &separator, "%s", unit_amount(rate, cell_rates[i].words, text));
        note_shared(benchmark, footnotes, &separator, out);
        note_memory(benchmark, &separator, out);
        note_counters(benchmark, &separator, out);
        note_warnings(benchmark, footnotes, &separator, out);
}

typedef struct RowColumn {
        GridColumn grid;
        CellFill fill;
        const char *path; /* the value's */
        bool dash;        /* in place of a missing value */
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

static const RowColumn spread_columns[] = {
        LEFT("spread", 0, GRID_PLAIN, cell_sided_name, NULL),
        RIGHT("within", 2, GRID_PLAIN, cell_share, "variance.within_process"),
        RIGHT("between", 2, GRID_PLAIN, cell_share, "variance.between_process"),
        RIGHT("ess", 2, GRID_PLAIN, cell_number, "variance.ess"),
        RIGHT("drift", 2, GRID_PLAIN, cell_drift, NULL),
        RIGHT("1 sd (68.3 %)", 2, GRID_PLAIN, cell_share, "time_ns.raw.within_1sd"),
        RIGHT("2 sd (95.4 %)", 2, GRID_PLAIN, cell_share, "time_ns.raw.within_2sd"),
        RIGHT("median lies in", 2, GRID_PLAIN, cell_median, NULL),
        RIGHT("raw speed", 2, GRID_PLAIN, cell_time, "time_ns.raw.best"),
        RIGHT("gymnastics", 2, GRID_PLAIN, cell_time, "time_ns.raw.trimmed_mean"),
        { .grid = { .title = "modes", .left = true, .gap = 2 }, .fill = cell_modes, .dash = true },
};
/* clang-format on */

struct RowLayout {
        const char *method; /* beginning of the method's name; NULL: any method */
        const RowColumn *columns;
        size_t n;
        bool whole; /* one row, however many counts of iterations there were */
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

const RowLayout *row_layout_spread(void) {
        static const RowLayout layout = { .columns = spread_columns, .n = N_ELEMENTS(spread_columns), .whole = true };

        return &layout;
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

/* A failed benchmark has words in the place of numbers. */
static int row_add_failure(Grid *grid, const json_t *benchmark, const char *name) {
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
        if (row && !last)
                json_object_del(row, "warnings");
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
