/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The static limit of a timed loop beside the cycles that it took: both of an iteration.
 */

#include <jansson.h>
#include <stdbool.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/base/typeset.h"
#include "ctl/base/unit.h"
#include "ctl/model/arguments.h"
#include "ctl/model/columns.h"
#include "ctl/model/view.h"
#include "ctl/show/grid.h"
#include "ctl/show/report.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/text-stream.h"

#define LIMIT_SURE 0.98 /* of the simulation, which begins with an empty pipeline */

static const Column limit_columns[] = {
        { .title = "cycles an iteration", .flags = COLUMN_LEFT },
        { .title = "", .flags = COLUMN_HEAD | COLUMN_DASH },
        { .title = "", .flags = COLUMN_LEFT | COLUMN_DIM | COLUMN_PROSE, .least = 24 },
};

static int add_number(Grid *grid, const char *name, const json_t *limit, const char *path, const char *about) {
        fputs(name, grid_cell(grid));
        cell_number(path, limit, NULL, NULL, grid_cell(grid));
        fputs(about, grid_cell(grid));
        return error_trace(grid_add_row(grid));
}

/* "measured n=16", and the interval. */
static int add_measured(Grid *grid, const json_t *row) {
        char low_text[UNIT_TEXT_MAX], high_text[UNIT_TEXT_MAX];
        FILE *out = grid_cell(grid);
        double low, high;

        fputs("  measured", out);
        arguments_print(row, out);
        cell_number("cycles", row, NULL, NULL, grid_cell(grid));
        if (json_number_at(row, "low", &low) && json_number_at(row, "high", &high))
                fprintf(grid_cell(grid), "%s … %s", unit_number(low, low_text), unit_number(high, high_text));
        return error_trace(grid_add_row(grid));
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

/* How the measured cycles were counted: by a counter of the core, or by benchd's ruler. */
static void describe_measured(const json_t *measured, FILE *out) {
        const char *source = json_text_at(json_array_get(measured, 0), "source");

        if (json_array_size(measured) == 0)
                return;
        fputs("Measured by a quick run just now", out);
        if (source && strcmp(source, "unavailable") != 0)
                fprintf(out, ", in cycles of the core by its %s", strcmp(source, "pmu") == 0 ? "counter" : "ruler");
        fputs(". ", out);
}

/* True if a measured row lies wholly below the simulation. */
static bool is_beaten(const json_t *limit) {
        const json_t *measured = json_at(limit, "measured");
        double simulated, high;

        for (size_t i = 0; i < json_array_size(measured); i++)
                if (json_number_at(limit, "cycles", &simulated) &&
                                json_number_at(json_array_get(measured, i), "high", &high) &&
                                high < simulated * LIMIT_SURE)
                        return true;
        return false;
}

static void describe_limit(const json_t *limit, FILE *out) {
        const json_t *left_out = json_at(limit, "left_out");
        const char *cpu = json_text_at(limit, "cpu"), *problem = json_text_at(limit, "problem");

        if (problem) {
                fputs(problem, out);
                return;
        }
        fprintf(out, "The limit is llvm-mca's, from its model of %s, with all data in the first-level cache and each branch predicted.",
                        cpu ? cpu : "?");
        for (size_t i = 0; i < json_array_size(left_out); i++)
                fprintf(out, "%s%s",
                                i > 0 ? ", " : " It leaves out the functions that the loop calls, and is too low: ",
                                json_string_value(json_array_get(left_out, i)));
        fputs(json_array_size(left_out) > 0 ? "." : "", out);
        if (json_flag_at(limit, "inner_loop"))
                fputs(" There is a loop within the loop: the limit is that of one pass through all instructions.", out);
        if (is_beaten(limit))
                fputs(" This core is faster than the limit: it differs from the model, or most iterations jump over a part of the loop.",
                                out);
}

static int print_conditions(const json_t *limit, const View *view, FILE *out) {
        _cleanup_(text_stream_clear) TextStream text = {};
        FILE *stream = text_stream_open(&text);
        int r;

        describe_measured(json_at(limit, "measured"), stream);
        describe_limit(limit, stream);
        r = text_stream_close(&text);
        if (r)
                return error_trace(r);
        typeset_wrap(text.text, 0, 2, view->width, out);
        fputc('\n', out);
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
