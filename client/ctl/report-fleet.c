/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A run on several machines: the platform of each class with its machines, and one row per benchmark, or pair, and class; in the details
 * a row for each machine beneath. report-fleet-findings.c has the rest.
 */

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/fleet-row.h"
#include "ctl/grid.h"
#include "ctl/json-path.h"
#include "ctl/platform.h"
#include "ctl/report.h"
#include "ctl/row.h"
#include "ctl/scale.h"
#include "ctl/typeset.h"
#include "ctl/view.h"
#include "util/cleanup.h"
#include "util/error.h"

#define NAMES_MOST  4u /* machines that a heading or a warning names; the head of the report has all */
#define COLUMNS_ALL (FLEET_COLUMNS_MAX + 1)

DEFINE_CLEANUP(Grid *, grid_free)

/* The text that @print makes of @json; the caller's, or NULL if memory ran out. */
static char *text_of(void (*print)(const json_t *json, FILE *out), const json_t *json) {
        _cleanup_(freep) char *text = NULL;
        FILE *stream;
        size_t n;

        stream = open_memstream(&text, &n);
        if (!stream)
                return NULL;
        print(json, stream);
        return fclose(stream) == 0 ? take_pointer(text) : NULL;
}

/* ---- head */

static void print_class(const json_t *class, FILE *out) {
        const char *name = json_text_at(class, "machine_class");
        const json_t *machines = json_at(class, "machines");
        const size_t n = json_array_size(machines);

        fprintf(out, "%zu machine%s%s%s: ", n, n == 1 ? "" : "s", name ? " of class " : "", name ? name : "");
        fleet_print_names(machines, 0, out);
}

static int print_classes(const json_t *document, const View *view, FILE *out) {
        const json_t *classes = json_at(document, "fleet.classes");

        for (size_t i = 0; i < json_array_size(classes); i++) {
                const json_t *class = json_array_get(classes, i), *result = fleet_result(document, class);
                const char *brand = json_text_at(class, "brand");
                _cleanup_(freep) char *text = text_of(print_class, class);
                int r = text ? 0 : error_origin(-ENOMEM);

                if (result)
                        platform_print(result, view, out);
                else if (brand)
                        r = report_print_comment(brand, view, out);
                if (r == 0)
                        r = report_print_comment(text, view, out);
                if (r)
                        return error_trace(r);
        }
        return 0;
}

void report_fleet_describe_plan(const json_t *document, const View *view, FILE *out) {
        const size_t n = fleet_count(document, "fleet.measured"), n_asked = fleet_count(document, "fleet.asked");
        const json_t *result = fleet_result(document, NULL), *seed = json_at(document, "fleet.seed");

        if (result)
                report_describe_plan(result, &(View){}, out);
        if (n == 0 && fleet_count_state(document, "partial") > 0)
                fprintf(out, "%scancelled on %zu machine%s", result ? ", " : "", fleet_count_state(document, "partial"),
                                fleet_count_state(document, "partial") == 1 ? "" : "s");
        else if (n == 0)
                fprintf(out, "%son none of %zu machine%s", result ? ", " : "", n_asked, n_asked == 1 ? "" : "s");
        else
                fprintf(out, "%son %s%zu machine%s", result ? ", " : "", n == 1 ? "" : "each of ", n,
                                n == 1 ? "" : "s");
        if (n > 0 && n_asked > n)
                fprintf(out, " (%zu asked for)", n_asked);
        if (view->details && json_is_integer(seed))
                fprintf(out, ", seed %" JSON_INTEGER_FORMAT, json_integer_value(seed));
}

int report_fleet_head(const json_t *document, const View *view, FILE *out) {
        _cleanup_(freep) char *text = NULL;
        FILE *stream;
        size_t n;
        int r;

        r = print_classes(document, view, out);
        if (r)
                return error_trace(r);
        stream = open_memstream(&text, &n);
        if (!stream)
                return error_origin(-errno);
        report_fleet_describe_plan(document, view, stream);
        if (fclose(stream) != 0)
                return error_origin(-errno);
        r = report_print_comment(text, view, out);
        scale_print(document, "\n", "\n", out);
        fputc('\n', out);
        return error_trace(r);
}

/* ---- table */

typedef struct FleetGrid {
        FleetColumn columns[FLEET_COLUMNS_MAX];
        size_t n;
        Grid *grid;
        const char *indent; /* of the rows, below the heading of their class */
        bool details;
} FleetGrid;

static void fleet_grid_clear(FleetGrid *grid) {
        grid_free(grid->grid);
}

static int fleet_grid_new(const json_t *document, const View *view, FleetGrid *ret_grid) {
        GridColumn columns[COLUMNS_ALL] = { { .title = "", .left = true } };
        FleetGrid grid = {
                .indent = json_array_size(json_at(document, "fleet.classes")) > 1 ? "  " : "",
                .details = view->details,
        };
        int r;

        grid.n = fleet_columns(document, view, grid.columns);
        for (size_t i = 0; i < grid.n; i++)
                columns[i + 1] = grid.columns[i].grid;
        r = grid_new(columns, grid.n + 1, &grid.grid);
        *ret_grid = grid;
        return error_trace(r);
}

/* "  strings/memchr n=16", of a machine two more columns to the right. */
static int make_name(const FleetGrid *grid, const json_t *row, bool machine, char **ret_name) {
        _cleanup_(freep) char *name = text_of(fleet_print_name, row);

        if (!name || asprintf(ret_name, "%s%s%s", grid->indent, machine ? "  " : "", name) < 0)
                return error_origin(-ENOMEM);
        return 0;
}

static int add_cells(const FleetGrid *grid, const json_t *row, bool machine) {
        char *cells[COLUMNS_ALL] = {};
        int r;

        r = make_name(grid, row, machine, &cells[0]);
        for (size_t i = 0; r == 0 && i < grid->n; i++) {
                cells[i + 1] = fleet_text(&grid->columns[i], row);
                r = cells[i + 1] ? 0 : error_origin(-ENOMEM);
        }
        if (r == 0)
                r = grid_add_row(grid->grid, (const char *const *)cells);
        for (size_t i = 0; i < N_ELEMENTS(cells); i++)
                free(cells[i]);
        return error_trace(r);
}

/* A row without a number has words in its place, so that none of one machine is taken for it. */
static int add_words(const FleetGrid *grid, const json_t *row) {
        const char *code = json_text_at(row, "failed.code");
        const bool failed = json_at(row, "failed") && !(code && strcmp(code, "skipped") == 0);
        _cleanup_(freep) char *name = NULL, *text = text_of(fleet_print_words, row);
        int r;

        r = make_name(grid, row, false, &name);
        if (r || !text)
                return error_trace(r ? r : -ENOMEM);
        return error_trace(grid_add_words(grid->grid, failed ? GRID_BAD : GRID_DIM, name, text));
}

static bool has_number(const json_t *row) {
        return json_at(row, "over") && !json_at(row, "failed");
}

static int add_row(const FleetGrid *grid, const json_t *row) {
        int r;

        r = has_number(row) ? add_cells(grid, row, false) : add_words(grid, row);
        for (size_t i = 0; r == 0 && grid->details && i < json_array_size(json_at(row, "machines")); i++) {
                _cleanup_(json_decrefp) json_t *machine = fleet_machine_row(row, i);

                r = machine ? add_cells(grid, machine, true) : error_origin(-ENOMEM);
        }
        return error_trace(r);
}

static void print_heading(const json_t *class, FILE *out) {
        const char *brand = json_text_at(class, "brand");

        fprintf(out, "%s: ", brand ? brand : "unknown processor");
        fleet_print_names(json_at(class, "machines"), NAMES_MOST, out);
}

static int add_heading(const FleetGrid *grid, const json_t *class, bool first) {
        _cleanup_(freep) char *text = class ? text_of(print_heading, class) : strdup("of no class");
        int r = text ? 0 : error_origin(-ENOMEM);

        if (r == 0 && !first)
                r = grid_add_line(grid->grid, GRID_PLAIN, "");
        return r ? error_trace(r) : error_trace(grid_add_line(grid->grid, GRID_BOLD, text));
}

/* Rows of words alone have no use for the titles of numbers. */
static int add_titles(const FleetGrid *grid, const json_t *rows) {
        bool any = grid->details;

        for (size_t i = 0; i < json_array_size(rows); i++)
                any |= has_number(json_array_get(rows, i));
        return any ? error_trace(grid_add_titles(grid->grid)) : 0;
}

int report_fleet_table(const json_t *document, const View *view, FILE *out) {
        _cleanup_(fleet_grid_clear) FleetGrid grid = {};
        _cleanup_(json_decrefp) json_t *rows = NULL;
        const json_t *last = NULL;
        int r;

        r = fleet_rows(document, view->sort, &rows);
        if (r || json_array_size(rows) == 0)
                return error_trace(r);
        r = fleet_grid_new(document, view, &grid);
        if (r == 0)
                r = add_titles(&grid, rows);
        for (size_t i = 0; r == 0 && i < json_array_size(rows); i++) {
                const json_t *row = json_array_get(rows, i), *class = fleet_class_of(document, row);

                if (*grid.indent && (i == 0 || class != last))
                        r = add_heading(&grid, class, i == 0);
                if (r == 0)
                        r = add_row(&grid, row);
                last = class;
        }
        if (r)
                return error_trace(r);
        grid_print(grid.grid, view, ROW_RANK_TOLD, out);
        report_print_unpaired(fleet_result(document, NULL), view, out); /* the modules are the same everywhere */
        return 0;
}

/* ---- the whole */

int report_fleet(const json_t *document, const View *view, FILE *out) {
        const json_t *rows = json_at(document, fleet_compares(document) ? "comparisons" : "benchmarks");
        int r;

        r = report_fleet_head(document, view, out);
        if (r == 0)
                r = report_fleet_table(document, view, out);
        fputs(json_array_size(rows) > 0 ? "\n" : "", out);
        if (r == 0)
                r = report_fleet_findings(document, view, out);
        return r ? error_trace(r) : error_trace(report_fleet_verdict(document, view, out));
}
