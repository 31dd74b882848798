/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The static limit of a timed loop beside the cycles that it took: both of an iteration.
 */

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/arguments.h"
#include "ctl/grid.h"
#include "ctl/json-path.h"
#include "ctl/report.h"
#include "ctl/typeset.h"
#include "ctl/unit.h"
#include "ctl/view.h"
#include "util/cleanup.h"
#include "util/error.h"

DEFINE_CLEANUP(Grid *, grid_free)

static const GridColumn limit_columns[] = {
        { .title = "cycles an iteration", .left = true },
        { .title = "", .gap = 2, .style = GRID_BOLD, .dash = true },
        { .title = "", .left = true, .gap = 2, .style = GRID_DIM, .least = 24, .prose = true },
};

static int add_number(Grid *grid, const char *name, const json_t *limit, const char *path, const char *about) {
        char text[UNIT_TEXT_MAX] = "";
        double cycles;

        if (json_number_at(limit, path, &cycles))
                unit_number(cycles, text);
        return error_trace(grid_add_row(grid, (const char *const[]){ name, text, about }));
}

/* "measured n=16", and the interval with its source. */
static int add_measured(Grid *grid, const json_t *row) {
        const char *source = json_text_at(row, "source");
        _cleanup_(freep) char *name = NULL, *about = NULL;
        char text_low[UNIT_TEXT_MAX], text_high[UNIT_TEXT_MAX];
        double low, high;
        size_t n;
        FILE *out;

        out = open_memstream(&name, &n);
        if (!out)
                return error_origin(-errno);
        fputs("  measured", out);
        arguments_print(row, out);
        if (fclose(out) != 0)
                return error_origin(-errno);
        out = open_memstream(&about, &n);
        if (!out)
                return error_origin(-errno);
        if (json_number_at(row, "low", &low) && json_number_at(row, "high", &high))
                fprintf(out, "%s … %s, ", unit_number(low, text_low), unit_number(high, text_high));
        fprintf(out, "by a quick run just now%s%s", source ? ", cycles of the core from " : "",
                        source ? (strcmp(source, "pmu") == 0 ? "its counter" : "its ruler") : "");
        if (fclose(out) != 0)
                return error_origin(-errno);
        return error_trace(add_number(grid, name, row, "cycles", about));
}

static int add_rows(Grid *grid, const json_t *limit) {
        const json_t *measured = json_at(limit, "measured");
        int r = 0;

        r = grid_add_titles(grid);
        if (r == 0 && !json_at(limit, "problem"))
                r = add_number(grid, "  by throughput", limit, "throughput_cycles",
                                "an iteration keeps a part of the core busy for as long");
        if (r == 0 && !json_at(limit, "problem"))
                r = add_number(grid, "  simulated", limit, "cycles", "... with what it waits for from one to the next");
        for (size_t i = 0; r == 0 && i < json_array_size(measured); i++)
                r = add_measured(grid, json_array_get(measured, i));
        return error_trace(r);
}

static void print_sentence(const char *text, const View *view, FILE *out) {
        typeset_wrap(text, 0, 2, view->width, out);
        fputc('\n', out);
}

static int print_conditions(const json_t *limit, const View *view, FILE *out) {
        const json_t *left_out = json_at(limit, "left_out");
        const char *cpu = json_text_at(limit, "cpu"), *problem = json_text_at(limit, "problem");
        _cleanup_(freep) char *text = NULL;
        FILE *stream;
        size_t n;

        if (problem) {
                print_sentence(problem, view, out);
                return 0;
        }
        stream = open_memstream(&text, &n);
        if (!stream)
                return error_origin(-errno);
        fprintf(stream, "The limit is llvm-mca's, from its model of %s, with all data in the first-level cache and each branch predicted.",
                        cpu ? cpu : "?");
        for (size_t i = 0; i < json_array_size(left_out); i++)
                fprintf(stream, "%s%s", i > 0 ? ", " : " Called functions are left out: ",
                                json_string_value(json_array_get(left_out, i)));
        fputs(json_array_size(left_out) > 0 ? "." : "", stream);
        if (json_flag_at(limit, "inner_loop"))
                fputs(" There is a loop within the loop: the limit is that of one pass through all instructions.",
                                stream);
        if (fclose(stream) != 0)
                return error_origin(-errno);
        print_sentence(text, view, out);
        return 0;
}

int report_static_limit(const json_t *limit, const View *view, FILE *out) {
        _cleanup_(grid_freep) Grid *grid = NULL;
        int r;

        r = grid_new(limit_columns, N_ELEMENTS(limit_columns), &grid);
        if (r == 0)
                r = add_rows(grid, limit);
        if (r)
                return error_trace(r);
        fputc('\n', out);
        grid_print(grid, view, 0, out);
        return error_trace(print_conditions(limit, view, out));
}
