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

#include "ctl/footnotes.h"
#include "ctl/grid.h"
#include "ctl/json-path.h"
#include "ctl/step-rows.h"
#include "ctl/unit.h"
#include "util/cleanup.h"
#include "util/error.h"

#define DASH "–"

typedef struct RowColumn RowColumn;

/* Writes a cell; nothing where there is no value. */
typedef void (*RowFill)(const RowColumn *column, const json_t *benchmark, Footnotes *footnotes, FILE *out);

struct RowColumn {
        GridColumn grid;
        RowFill fill;
        const char *path; /* of the value */
        bool dash;        /* stands for a value that is not there */
};

/* ---- cells */

/* A multiple of a reference has no unit. */
static void fill_time(const RowColumn *column, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        bool scaled = json_flag_at(benchmark, "scaled");
        char text[UNIT_TEXT_MAX];
        double ns;

        if (json_number_at(benchmark, column->path, &ns))
                fputs(scaled ? unit_number(ns, text) : unit_time(ns, text), out);
}

/* Of all operations, without what was paused or subtracted. */
static void fill_elapsed(const RowColumn *column, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double mean, operations;

        if (json_number_at(benchmark, column->path, &mean) &&
                        json_number_at(benchmark, "operations_total", &operations) &&
                        !json_flag_at(benchmark, "scaled"))
                fputs(unit_time(mean * operations, text), out);
}

static void fill_number(const RowColumn *column, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double number;

        if (json_number_at(benchmark, column->path, &number))
                fputs(unit_number(number, text), out);
}

static void fill_count(const RowColumn *column, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double count;

        if (json_number_at(benchmark, column->path, &count))
                fputs(unit_count((uint64_t)count, text), out);
}

static void fill_share(const RowColumn *column, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double share;

        if (json_number_at(benchmark, column->path, &share))
                fputs(unit_share(share, text), out);
}

/* The wider half of the interval, in percent of the point; in its unit where that is not above zero. */
static void fill_interval(const RowColumn *column, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        double point, low, high, half;
        char text[UNIT_TEXT_MAX];

        if (!json_number_at(benchmark, "time_ns.point", &point) || !json_number_at(benchmark, "time_ns.low", &low) ||
                        !json_number_at(benchmark, "time_ns.high", &high))
                return;
        half = fmax(high - point, point - low);
        fprintf(out, "± %s", point > 0 ? unit_share(half / point, text) : unit_time(half, text));
}

static void fill_iterations(const RowColumn *column, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double count, scale;

        if (!json_number_at(benchmark, column->path, &count))
                return;
        fprintf(out, "[count=%s", unit_count((uint64_t)llround(count), text));
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

static void fill_name(const RowColumn *column, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        fputs("  ", out);
        row_print_name(benchmark, out);
}

/* ---- notes: flags in words, rates, the author's counters, and numbers of footnotes */

typedef struct RowFlag {
        const char *path;
        const char *words;
} RowFlag;

static const RowFlag row_flags[] = {
        { "below_noise_floor", "below the noise floor" },
        { "within_loop_cost", "within the loop's cost: repeat it (BENCH_REPEAT10)" },
        { "disturbed.unfit", "disturbed too much" },
        { "debugger_attached", "a debugger was attached" },
};

static const RowFlag row_rates[] = {
        { "throughput.bytes_per_second", "B/s" },
        { "throughput.items_per_second", "/s" },
};

__attribute__((format(printf, 3, 4))) static void note(FILE *out, const char **separator, const char *format, ...) {
        va_list arguments;

        fputs(*separator, out);
        *separator = ", ";
        va_start(arguments, format);
        vfprintf(out, format, arguments);
        va_end(arguments);
}

static const RowFlag row_memory[] = {
        { "memory.allocations_per_operation", "allocations" },
        { "memory.bytes_per_operation", "bytes" },
        { "memory.retained_bytes_per_operation", "retained" },
        { "memory.peak_bytes_per_iteration", "peak" },
};

static void note_memory(const json_t *benchmark, const char **separator, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double number;

        for (size_t i = 0; i < N_ELEMENTS(row_memory); i++)
                if (json_number_at(benchmark, row_memory[i].path, &number))
                        note(out, separator, "%s %s", row_memory[i].words, unit_number(number, text));
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
                        note(out, separator, "(%zu)", footnotes_add(footnotes, text));
        }
}

static void fill_notes(const RowColumn *column, const json_t *benchmark, Footnotes *footnotes, FILE *out) {
        const char *separator = "";
        char text[UNIT_TEXT_MAX];
        double rate;

        for (size_t i = 0; i < N_ELEMENTS(row_flags); i++)
                if (json_flag_at(benchmark, row_flags[i].path))
                        note(out, &separator, "%s", row_flags[i].words);
        for (size_t i = 0; i < N_ELEMENTS(row_rates); i++)
                if (json_number_at(benchmark, row_rates[i].path, &rate))
                        note(out, &separator, "%s", unit_amount(rate, row_rates[i].words, text));
        note_memory(benchmark, &separator, out);
        note_counters(benchmark, &separator, out);
        note_warnings(benchmark, footnotes, &separator, out);
}

/* ---- columns */

#define LEFT(title_, gap_, style_, fill_, path_)                                                                       \
 { .grid = { .title = title_, .left = true, .gap = gap_, .style = style_ }, .fill = fill_, .path = path_ }
#define RIGHT(title_, gap_, style_, fill_, path_)                                                                      \
 { .grid = { .title = title_, .gap = gap_, .style = style_ }, .fill = fill_, .path = path_, .dash = true }

/* clang-format off */
static const RowColumn usual_columns[] = {
        LEFT("", 0, GRID_PLAIN, fill_name, NULL),
        RIGHT("time", 3, GRID_BOLD, fill_time, "time_ns.point"),
        RIGHT("± interval", 1, GRID_PLAIN, fill_interval, NULL),
        RIGHT("cycles", 2, GRID_PLAIN, fill_number, "cycles.point"),
        RIGHT("net", 2, GRID_PLAIN, fill_time, "time_ns.net.point"),
        RIGHT("median", 2, GRID_PLAIN, fill_time, "time_ns.raw.median"),
        RIGHT("mean", 2, GRID_PLAIN, fill_time, "time_ns.raw.mean"),
        RIGHT("stddev", 2, GRID_PLAIN, fill_time, "time_ns.raw.stddev"),
        RIGHT("min", 2, GRID_PLAIN, fill_time, "time_ns.raw.min"),
        RIGHT("max", 2, GRID_PLAIN, fill_time, "time_ns.raw.max"),
        RIGHT("samples", 2, GRID_DIM, fill_count, "samples"),
        LEFT("", 1, GRID_DIM, fill_iterations, "iterations_per_sample"),
        RIGHT("disturbed", 2, GRID_PLAIN, fill_share, "disturbed.fraction"),
        LEFT("notes", 2, GRID_PLAIN, fill_notes, NULL),
};

static const RowColumn measureit_columns[] = {
        LEFT("Name", 0, GRID_PLAIN, fill_name, NULL),
        RIGHT("Median", 3, GRID_BOLD, fill_time, "time_ns.raw.median"),
        RIGHT("Mean", 2, GRID_PLAIN, fill_time, "time_ns.raw.mean"),
        RIGHT("StdDev", 2, GRID_PLAIN, fill_time, "time_ns.raw.stddev"),
        RIGHT("Min", 2, GRID_PLAIN, fill_time, "time_ns.raw.min"),
        RIGHT("Max", 2, GRID_PLAIN, fill_time, "time_ns.raw.max"),
        RIGHT("Samples", 2, GRID_DIM, fill_count, "samples"),
        LEFT("", 1, GRID_DIM, fill_iterations, "iterations_per_sample"),
        LEFT("notes", 2, GRID_PLAIN, fill_notes, NULL),
};

static const RowColumn stopwatch_columns[] = {
        LEFT("", 0, GRID_PLAIN, fill_name, NULL),
        RIGHT("mean", 3, GRID_BOLD, fill_time, "time_ns.raw.mean"),
        RIGHT("lowest", 2, GRID_PLAIN, fill_time, "time_ns.raw.min"),
        RIGHT("highest", 2, GRID_PLAIN, fill_time, "time_ns.raw.max"),
        RIGHT("cycles", 2, GRID_PLAIN, fill_number, "cycles.point"),
        RIGHT("runs", 2, GRID_DIM, fill_count, "samples"),
        RIGHT("warm-up ms", 2, GRID_DIM, fill_number, "warmup_ms"),
        LEFT("notes", 2, GRID_PLAIN, fill_notes, NULL),
};

static const RowColumn softwx_columns[] = {
        LEFT("", 0, GRID_PLAIN, fill_name, NULL),
        RIGHT("time/op", 3, GRID_BOLD, fill_time, "time_ns.raw.mean"),
        RIGHT("operations", 2, GRID_PLAIN, fill_count, "operations_total"),
        RIGHT("iterations", 2, GRID_PLAIN, fill_count, "samples"),
        RIGHT("elapsed", 2, GRID_PLAIN, fill_elapsed, "time_ns.raw.mean"),
        LEFT("", 1, GRID_DIM, fill_iterations, "iterations_per_sample"),
        LEFT("notes", 2, GRID_PLAIN, fill_notes, NULL),
};

static const RowColumn macro_columns[] = {
        LEFT("", 0, GRID_PLAIN, fill_name, NULL),
        RIGHT("average", 3, GRID_BOLD, fill_time, "time_ns.raw.mean"),
        RIGHT("raw speed", 2, GRID_PLAIN, fill_time, "time_ns.raw.best"),
        RIGHT("gymnastics", 2, GRID_PLAIN, fill_time, "time_ns.raw.trimmed_mean"),
        RIGHT("runs", 2, GRID_DIM, fill_count, "samples"),
        LEFT("notes", 2, GRID_PLAIN, fill_notes, NULL),
};

static const RowColumn mark_columns[] = {
        LEFT("", 0, GRID_PLAIN, fill_name, NULL),
        RIGHT("mean", 3, GRID_BOLD, fill_time, "time_ns.raw.mean"),
        RIGHT("sdev", 2, GRID_PLAIN, fill_time, "time_ns.raw.stddev"),
        RIGHT("count", 2, GRID_PLAIN, fill_count, "iterations_per_sample"),
        LEFT("notes", 2, GRID_PLAIN, fill_notes, NULL),
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
        column->fill(column, benchmark, footnotes, stream);
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
