/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The contents of a module: one line per benchmark, below its area's name. Descriptions that would form a narrow column at the terminal's
 * edge go below the names instead.
 */

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/base/typeset.h"
#include "ctl/model/columns.h"
#include "ctl/model/result.h"
#include "ctl/model/view.h"
#include "ctl/show/grid.h"
#include "ctl/show/report.h"
#include "util/cleanup.h"
#include "util/error.h"

#define STACKED_LEAST  48 /* columns of the terminal that a description is readable in */
#define STACKED_INDENT 6

int report_add_by_area(Grid *grid, const json_t *rows) {
        const char *last = NULL;
        int r = 0;

        for (size_t i = 0; r == 0 && i < json_array_size(rows); i++) {
                const json_t *row = json_array_get(rows, i);

                if ((!last || !row_is_of(row, last)) && !row_is_command(row)) {
                        fputs(row_area(row), grid_cell(grid));
                        r = grid_add_line(grid, GRID_BOLD);
                }
                if (r == 0)
                        r = grid_add(grid, row, NULL);
                last = row_area(row);
        }
        return error_trace(r);
}

/* ---- descriptions below the names */

/* The columns of a listing. */
enum {
        LISTED_NAME, /* indented */
        LISTED_ARGUMENTS,
        LISTED_ABOUT,
        _LISTED_N,
};

typedef struct ListedTexts {
        char *texts[_LISTED_N];
} ListedTexts;

static void listed_texts_clear(ListedTexts *listed) {
        for (size_t i = 0; i < _LISTED_N; i++)
                free(listed->texts[i]);
}

static int listed_texts_fill(const Columns *columns, const json_t *benchmark, ListedTexts *ret_listed) {
        for (size_t i = 0; i < _LISTED_N; i++) {
                ret_listed->texts[i] = column_text(&columns->columns[i], benchmark);
                if (!ret_listed->texts[i])
                        return error_origin(-ENOMEM);
        }
        return 0;
}

/* True if the descriptions do not fit beside the other columns, and would have less than STACKED_LEAST there. */
static int is_stacked(const Columns *columns, const json_t *benchmarks, const View *view, bool *ret_stacked) {
        size_t widths[_LISTED_N] = {}, beside;

        for (size_t i = 0; i < json_array_size(benchmarks); i++) {
                _cleanup_(listed_texts_clear) ListedTexts listed = {};
                int r;

                r = listed_texts_fill(columns, json_array_get(benchmarks, i), &listed);
                if (r)
                        return error_trace(r);
                for (size_t k = 0; k < _LISTED_N; k++)
                        if (typeset_width(listed.texts[k]) > widths[k])
                                widths[k] = typeset_width(listed.texts[k]);
        }
        beside = widths[LISTED_NAME] + widths[LISTED_ARGUMENTS] + columns->columns[LISTED_ARGUMENTS].gap +
                 columns->columns[LISTED_ABOUT].gap;
        *ret_stacked = view->width > 0 && beside + widths[LISTED_ABOUT] > view->width &&
                       beside + STACKED_LEAST > view->width;
        return 0;
}

static int print_stacked_row(const Columns *columns, const json_t *benchmark, const View *view, FILE *out) {
        _cleanup_(listed_texts_clear) ListedTexts listed = {};
        _cleanup_(freep) char *line = NULL;
        int r;

        r = listed_texts_fill(columns, benchmark, &listed);
        if (r)
                return error_trace(r);
        if (asprintf(&line, "%s%s%s", listed.texts[LISTED_NAME], *listed.texts[LISTED_ARGUMENTS] ? "   " : "",
                            listed.texts[LISTED_ARGUMENTS]) < 0) {
                line = NULL;
                return error_origin(-ENOMEM);
        }
        typeset_print(line, view->width, out);
        if (*listed.texts[LISTED_ABOUT]) {
                fprintf(out, "\n%*s%s", STACKED_INDENT, "", view->color ? "\033[2m" : "");
                typeset_wrap(listed.texts[LISTED_ABOUT], STACKED_INDENT, STACKED_INDENT, view->width, out);
                fputs(view->color ? "\033[0m" : "", out);
        }
        fputc('\n', out);
        return 0;
}

static int print_stacked(const Columns *columns, const json_t *benchmarks, const View *view, FILE *out) {
        const char *last = NULL;
        int r = 0;

        for (size_t i = 0; r == 0 && i < json_array_size(benchmarks); i++) {
                const json_t *benchmark = json_array_get(benchmarks, i);

                if (!last || !row_is_of(benchmark, last)) {
                        grid_print_styled(GRID_BOLD, view->color, row_area(benchmark), out);
                        fputc('\n', out);
                }
                r = print_stacked_row(columns, benchmark, view, out);
                last = row_area(benchmark);
        }
        return error_trace(r);
}

static void print_warnings(const json_t *listing, const View *view, FILE *out) {
        const json_t *warning;

        json_each(i, warning, json_at(listing, "warnings")) {
                fputs(i == 0 ? "\nwarning: " : "warning: ", out);
                typeset_wrap(json_string_value(warning), strlen("warning: "), 2, view->width, out);
                fputc('\n', out);
        }
}

static int print_listed(const json_t *listing, const View *view, FILE *out) {
        const json_t *benchmarks = result_rows(listing);
        _cleanup_(grid_freep) Grid *grid = NULL;
        Columns columns;
        bool stacked;
        int r;

        columns_choose_all(TABLE_LISTING, &columns);
        r = is_stacked(&columns, benchmarks, view, &stacked);
        if (r || stacked)
                return r ? error_trace(r) : error_trace(print_stacked(&columns, benchmarks, view, out));
        r = grid_new(columns.columns, columns.n, &grid);
        if (r == 0)
                r = report_add_by_area(grid, benchmarks);
        if (r)
                return error_trace(r);
        grid_print(grid, view, 0, out);
        return 0;
}

int report_listing(const json_t *listing, const View *view, FILE *out) {
        int r = print_listed(listing, view, out);

        if (r == 0)
                print_warnings(listing, view, out);
        return error_trace(r);
}
