/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The contents of a module: one line per benchmark, below its area's name.
 */

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/arguments.h"
#include "ctl/grid.h"
#include "ctl/json-path.h"
#include "ctl/report.h"
#include "util/cleanup.h"
#include "util/error.h"

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

        for (size_t i = 0; i < json_array_size(args); i++) {
                const json_t *arg = json_array_get(args, i);
                const char *name = json_text_at(arg, "name");

                fprintf(out, "%s%s=", i ? " " : "", name ? name : "?");
                print_values(json_at(arg, "values"), out);
        }
        if (json_array_size(json_at(benchmark, "threads")) > 1) {
                fprintf(out, "%sthreads=", json_array_size(args) ? " " : "");
                print_values(json_at(benchmark, "threads"), out);
        }
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

static int add_benchmark(Grid *grid, const json_t *benchmark) {
        _cleanup_(freep) char *indented = NULL, *arguments = NULL, *about = NULL;
        const char *name = json_text_at(benchmark, "name");
        int r;

        name = name ? name : "?";
        if (asprintf(&indented, "  %s", name) < 0)
                return error_origin(-ENOMEM);
        r = format_arguments(benchmark, &arguments);
        if (r)
                return error_trace(r);
        r = format_about(benchmark, name, &about);
        if (r)
                return error_trace(r);
        return error_trace(grid_add_row(grid, (const char *const[]){ indented, arguments, about }));
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

int report_listing(const json_t *listing, const View *view, FILE *out) {
        _cleanup_(grid_freep) Grid *grid = NULL;
        int r;

        r = grid_new(listing_columns, N_ELEMENTS(listing_columns), &grid);
        if (r)
                return error_trace(r);
        r = add_benchmarks(grid, json_at(listing, "benchmarks"));
        if (r)
                return error_trace(r);
        grid_print(grid, view, 0, out);
        return 0;
}
