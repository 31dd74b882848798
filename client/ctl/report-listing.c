/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The contents of a module: one line per benchmark, below its area's name. Descriptions that would be a narrow column at the
 * terminal's edge stand below the names instead.
 */

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/arguments.h"
#include "ctl/grid.h"
#include "ctl/json-path.h"
#include "ctl/report.h"
#include "ctl/typeset.h"
#include "ctl/view.h"
#include "util/cleanup.h"
#include "util/error.h"

#define STACKED_LEAST  48 /* columns of the terminal that a description is readable in */
#define STACKED_INDENT 6

DEFINE_CLEANUP(Grid *, grid_free)

static const GridColumn listing_columns[] = {
        { .title = "", .left = true },
        { .title = "arguments", .left = true, .gap = 3, .least = 16, .optional = true },
        { .title = "about", .left = true, .gap = 3, .least = 32, .prose = true, .style = GRID_DIM, .optional = true },
};

#define VALUES_MAX 8u /* of a longer list stand the first two, the last and the number */

static void print_values(const json_t *values, FILE *out) {
        const size_t n = json_array_size(values);

        for (size_t i = 0; i < n; i++) {
                if (n > VALUES_MAX && i == 2) {
                        fputs(",..", out);
                        i = n - 1;
                }
                fputs(i ? "," : "", out);
                arguments_print_value(json_array_get(values, i), out);
        }
        if (n > VALUES_MAX)
                fprintf(out, " (%zu)", n);
}

static void print_arguments(const json_t *benchmark, FILE *out) {
        const json_t *args = json_at(benchmark, "args");
        const bool has_threads = json_array_size(json_at(benchmark, "threads")) > 1;
        double cpus;

        for (size_t i = 0; i < json_array_size(args); i++) {
                const json_t *arg = json_array_get(args, i);
                const char *name = json_text_at(arg, "name");

                fprintf(out, "%s%s=", i ? " " : "", name ? name : "?");
                print_values(json_at(arg, "values"), out);
        }
        if (has_threads) {
                fprintf(out, "%sthreads=", json_array_size(args) ? " " : "");
                print_values(json_at(benchmark, "threads"), out);
        }
        if (json_number_at(benchmark, "cpus", &cpus))
                fprintf(out, "%scpus=%g", json_array_size(args) > 0 || has_threads ? " " : "", cpus);
}

static int format_arguments(const json_t *benchmark, char **ret_text) {
        _cleanup_(freep) char *text = NULL;
        FILE *stream;
        size_t n;

        stream = open_memstream(&text, &n);
        if (!stream)
                return error_origin(-errno);
        print_arguments(benchmark, stream);
        if (fclose(stream) != 0)
                return error_origin(-errno);
        *ret_text = take_pointer(text);
        return 0;
}

/* Filters match the name, so the name comes first; a title that differs from it stands before the description. */
static int format_about(const json_t *benchmark, const char *name, char **ret_text) {
        const char *title = json_text_at(benchmark, "title"), *about = json_text_at(benchmark, "about");
        const char *hidden = json_flag_at(benchmark, "hidden") ? "(hidden)" : "";

        title = title && strcmp(title, name) != 0 ? title : "";
        about = about ? about : "";
        if (asprintf(ret_text, "%s%s%s%s%s", hidden, *hidden && (*title || *about) ? " " : "", title,
                            *title && *about ? ": " : "", about) < 0)
                return error_origin(-ENOMEM);
        return 0;
}

/* A benchmark's texts, the columns of its row. */
typedef struct ListedRow {
        char *name; /* indented */
        char *arguments;
        char *about;
} ListedRow;

static void listed_row_clear(ListedRow *row) {
        free(row->name);
        free(row->arguments);
        free(row->about);
}

static int listed_row_fill(const json_t *benchmark, ListedRow *row) {
        const char *name = json_text_at(benchmark, "name");
        int r;

        name = name ? name : "?";
        if (asprintf(&row->name, "  %s", name) < 0) {
                row->name = NULL;
                return error_origin(-ENOMEM);
        }
        r = format_arguments(benchmark, &row->arguments);
        return r ? error_trace(r) : error_trace(format_about(benchmark, name, &row->about));
}

static int add_benchmark(Grid *grid, const json_t *benchmark) {
        _cleanup_(listed_row_clear) ListedRow row = {};
        int r;

        r = listed_row_fill(benchmark, &row);
        return r ? error_trace(r)
                 : error_trace(grid_add_row(grid, (const char *const[]){ row.name, row.arguments, row.about }));
}

static int add_benchmarks(Grid *grid, const json_t *benchmarks) {
        const char *last = NULL;
        int r = 0;

        for (size_t i = 0; r == 0 && i < json_array_size(benchmarks); i++) {
                const json_t *benchmark = json_array_get(benchmarks, i);
                const char *area = json_text_at(benchmark, "area");

                area = area ? area : "";
                if (!last || strcmp(last, area) != 0)
                        r = grid_add_line(grid, GRID_BOLD, area);
                if (r == 0)
                        r = add_benchmark(grid, benchmark);
                last = area;
        }
        return error_trace(r);
}

/* ---- descriptions below the names */

static size_t wider(size_t width, const char *text) {
        const size_t of_text = typeset_width(text);

        return of_text > width ? of_text : width;
}

/* True if the descriptions do not fit beside the other columns, and would have less than STACKED_LEAST there. */
static int is_stacked(const json_t *benchmarks, const View *view, bool *ret_stacked) {
        size_t name = 0, arguments = 0, about = 0, beside;
        int r = 0;

        for (size_t i = 0; r == 0 && i < json_array_size(benchmarks); i++) {
                _cleanup_(listed_row_clear) ListedRow row = {};

                r = listed_row_fill(json_array_get(benchmarks, i), &row);
                if (r)
                        return error_trace(r);
                name = wider(name, row.name);
                arguments = wider(arguments, row.arguments);
                about = wider(about, row.about);
        }
        beside = name + listing_columns[1].gap + arguments + listing_columns[2].gap;
        *ret_stacked = view->width > 0 && beside + about > view->width && beside + STACKED_LEAST > view->width;
        return 0;
}

static int print_stacked_row(const json_t *benchmark, const View *view, FILE *out) {
        _cleanup_(listed_row_clear) ListedRow row = {};
        _cleanup_(freep) char *line = NULL;
        int r;

        r = listed_row_fill(benchmark, &row);
        if (r)
                return error_trace(r);
        if (asprintf(&line, "%s%s%s", row.name, *row.arguments ? "   " : "", row.arguments) < 0) {
                line = NULL;
                return error_origin(-ENOMEM);
        }
        typeset_print(line, view->width, out);
        if (*row.about) {
                fprintf(out, "\n%*s%s", STACKED_INDENT, "", view->color ? "\033[2m" : "");
                typeset_wrap(row.about, STACKED_INDENT, STACKED_INDENT, view->width, out);
                fputs(view->color ? "\033[0m" : "", out);
        }
        fputc('\n', out);
        return 0;
}

static int print_stacked(const json_t *benchmarks, const View *view, FILE *out) {
        const char *last = NULL;
        int r = 0;

        for (size_t i = 0; r == 0 && i < json_array_size(benchmarks); i++) {
                const json_t *benchmark = json_array_get(benchmarks, i);
                const char *area = json_text_at(benchmark, "area");

                area = area ? area : "";
                if (!last || strcmp(last, area) != 0) {
                        grid_print_styled(GRID_BOLD, view->color, area, out);
                        fputc('\n', out);
                }
                r = print_stacked_row(benchmark, view, out);
                last = area;
        }
        return error_trace(r);
}

int report_listing(const json_t *listing, const View *view, FILE *out) {
        const json_t *benchmarks = json_at(listing, "benchmarks");
        _cleanup_(grid_freep) Grid *grid = NULL;
        bool stacked;
        int r;

        r = is_stacked(benchmarks, view, &stacked);
        if (r || stacked)
                return r ? error_trace(r) : error_trace(print_stacked(benchmarks, view, out));
        r = grid_new(listing_columns, N_ELEMENTS(listing_columns), &grid);
        if (r)
                return error_trace(r);
        r = add_benchmarks(grid, benchmarks);
        if (r)
                return error_trace(r);
        grid_print(grid, view, 0, out);
        return 0;
}
