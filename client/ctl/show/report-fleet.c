/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A run on several machines: the platform of each class with its machines, and one row per benchmark, or pair, and class; in the details
 * a row for each machine beneath. report-fleet-findings.c has the rest.
 */

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/model/columns.h"
#include "ctl/model/fleet-row.h"
#include "ctl/model/platform.h"
#include "ctl/model/result.h"
#include "ctl/model/scale.h"
#include "ctl/model/view.h"
#include "ctl/show/grid.h"
#include "ctl/show/report.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/text-stream.h"

#define NAMES_MOST 4u /* machines that a heading names; the head of the report has all */

/* The text that @print makes of @json; the caller's, or NULL if memory ran out. */
static char *text_of(void (*print)(const json_t *json, FILE *out), const json_t *json) {
        _cleanup_(text_stream_clear) TextStream text = {};

        print(json, text_stream_open(&text));
        return text_stream_take(&text);
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
        _cleanup_(text_stream_clear) TextStream text = {};
        int r;

        r = print_classes(document, view, out);
        if (r)
                return error_trace(r);
        report_fleet_describe_plan(document, view, text_stream_open(&text));
        r = text_stream_close(&text);
        if (r == 0)
                r = report_print_comment(text.text, view, out);
        scale_print(&view->times, "\n", "\n", out);
        fputc('\n', out);
        return error_trace(r);
}

/* ---- table */

static bool has_number(const json_t *row) {
        return json_at(row, "over") && !json_at(row, "failed");
}

/* "  strings/memchr n=16", below the heading of its class. */
static void print_name(Grid *grid, const char *indent, const json_t *row) {
        FILE *out = grid_cell(grid);

        fputs(indent, out);
        cell_path(NULL, row, NULL, NULL, out);
}

/* A row without a number has words in its place, so that none of one machine is taken for it. */
static int add_words(Grid *grid, const json_t *row, const View *view) {
        const char *code = json_text_at(row, "failed.code");
        const bool failed = json_at(row, "failed") && !(code && strcmp(code, "skipped") == 0);

        fleet_print_words(row, &view->times, grid_cell(grid));
        return error_trace(grid_add_words(grid, failed ? GRID_BAD : GRID_DIM));
}

/* The row of a machine is indented by two columns. */
static int add_machine(Grid *grid, const char *indent, const json_t *row, size_t index) {
        _cleanup_(json_decrefp) json_t *machine = fleet_machine_row(row, index);

        if (!machine)
                return error_origin(-ENOMEM);
        print_name(grid, *indent ? "    " : "  ", machine);
        return error_trace(grid_add(grid, machine, NULL));
}

static int add_row(Grid *grid, const char *indent, const json_t *row, const View *view) {
        int r;

        print_name(grid, indent, row);
        r = has_number(row) ? grid_add(grid, row, NULL) : add_words(grid, row, view);
        for (size_t i = 0; r == 0 && view->details && i < json_array_size(json_at(row, "machines")); i++)
                r = add_machine(grid, indent, row, i);
        return error_trace(r);
}

static int add_heading(Grid *grid, const json_t *class, bool first) {
        const char *brand = json_text_at(class, "brand");
        int r = first ? 0 : grid_add_line(grid, GRID_PLAIN);
        FILE *out = grid_cell(grid);

        if (r)
                return error_trace(r);
        fputs(!class ? "of no class" : brand ? brand : "unknown processor", out);
        if (class) {
                fputs(": ", out);
                fleet_print_names(json_at(class, "machines"), NAMES_MOST, out);
        }
        return error_trace(grid_add_line(grid, GRID_BOLD));
}

/* Rows of words alone have no use for the titles of numbers. */
static bool has_titles(const json_t *rows, bool details) {
        for (size_t i = 0; !details && i < json_array_size(rows); i++)
                details = has_number(json_array_get(rows, i));
        return details;
}

static int add_rows(Grid *grid, const json_t *document, const json_t *rows, const View *view) {
        const char *indent = json_array_size(json_at(document, "fleet.classes")) > 1 ? "  " : "";
        const json_t *last = NULL;
        int r = 0;

        for (size_t i = 0; r == 0 && i < json_array_size(rows); i++) {
                const json_t *row = json_array_get(rows, i), *class = fleet_class_of(document, row);

                if (*indent && (i == 0 || class != last))
                        r = add_heading(grid, class, i == 0);
                if (r == 0)
                        r = add_row(grid, indent, row, view);
                last = class;
        }
        return error_trace(r);
}

int report_fleet_table(const json_t *document, const View *view, FILE *out) {
        _cleanup_(json_decrefp) json_t *rows = NULL;
        _cleanup_(grid_freep) Grid *grid = NULL;
        Columns columns;
        int r;

        r = fleet_rows(document, view->sort, &rows);
        if (r || json_array_size(rows) == 0)
                return error_trace(r);
        columns_choose(document, view->columns, view->details, &columns);
        columns_tell(&columns, &view->times);
        r = grid_new(columns.columns, columns.n, &grid);
        if (r == 0 && has_titles(rows, view->details))
                r = grid_add_titles(grid);
        if (r == 0)
                r = add_rows(grid, document, rows, view);
        if (r)
                return error_trace(r);
        grid_print(grid, view, columns_table(TABLE_FLEET)->rank_told, out);
        report_print_unpaired(fleet_result(document, NULL), view, out); /* the modules are the same everywhere */
        return error_trace(report_missing_columns(columns_kind(document), view, out));
}

/* ---- the whole */

int report_fleet(const json_t *document, const View *view, FILE *out) {
        const json_t *rows = json_at(document, result_compares(document) ? "comparisons" : "benchmarks");
        int r;

        r = report_fleet_head(document, view, out);
        if (r == 0)
                r = report_fleet_table(document, view, out);
        fputs(json_array_size(rows) > 0 ? "\n" : "", out);
        if (r == 0)
                r = report_fleet_findings(document, view, out);
        return r ? error_trace(r) : error_trace(report_fleet_verdict(document, view, out));
}
