/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The table of a result, in the columns and the words of benchctl's own table, with a small histogram where that has bars of text. Each
 * cell that has a number carries it for the script that sorts.
 */

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/cell.h"
#include "ctl/empty-row.h"
#include "ctl/findings.h"
#include "ctl/grid.h"
#include "ctl/html/markup.h"
#include "ctl/html/part.h"
#include "ctl/json-path.h"
#include "ctl/plots/svg.h"
#include "ctl/row.h"
#include "ctl/scale.h"
#include "ctl/view.h"
#include "util/cleanup.h"
#include "util/error.h"

#define RANK_DETAIL 8u /* from which a column is a detail */

DEFINE_CLEANUP(RowLayout *, row_layout_free)

typedef struct ResultTable {
        const char *id;
        const json_t *result;
        RowLayout *layout;
        size_t order[GRID_COLUMNS_MAX]; /* columns that are shown, after the name's */
        size_t n_shown;
        FILE *out;
} ResultTable;

/* ---- columns */

/* Returns 1 if some row has a text in @column, 0 if none has, or a negative errno. */
static int table_has(const ResultTable *table, size_t column) {
        const json_t *benchmarks = json_at(table->result, "benchmarks");

        for (size_t i = 0; i < json_array_size(benchmarks); i++) {
                const json_t *row = json_array_get(benchmarks, i);
                _cleanup_(freep) char *text = row_text(table->layout, column, row);

                if (!text)
                        return error_origin(-ENOMEM);
                if (*text && !json_at(row, "failed"))
                        return 1;
        }
        return 0;
}

/* Adds the columns of ranks up to @most from @least that have something in them; those without a title are in the articles only. */
static int table_add_columns(ResultTable *table, unsigned least, unsigned most) {
        const GridColumn *column;

        for (size_t i = 1; (column = row_column(table->layout, i)); i++) {
                int r = 1;

                if (!*column->title || column->rank < least || column->rank > most)
                        continue;
                if (column->optional)
                        r = table_has(table, i);
                if (r < 0)
                        return error_trace(r);
                if (r)
                        table->order[table->n_shown++] = i;
        }
        return 0;
}

/* Columns that a terminal shows last stand last, so that the notes are in sight. */
static int table_choose(ResultTable *table) {
        int r;

        r = table_add_columns(table, 0, RANK_DETAIL - 1);
        return r ? error_trace(r) : error_trace(table_add_columns(table, RANK_DETAIL, UINT_MAX));
}

static void print_titles(const ResultTable *table) {
        fputs("<thead><tr><th scope=\"col\">benchmark</th>", table->out);
        for (size_t i = 0; i < table->n_shown; i++) {
                const GridColumn *column = row_column(table->layout, table->order[i]);

                fprintf(table->out, "<th scope=\"col\"%s>", column->left ? "" : " class=\"number\"");
                markup_text(column->title, table->out);
                fputs("</th>", table->out);
        }
        fputs("</tr></thead>\n", table->out);
}

/* ---- rows */

static void print_link(const ResultTable *table, size_t index, const json_t *row) {
        const char *area = json_text_at(row, "area");

        fprintf(table->out, "<th scope=\"row\"><a href=\"#%s-%zu\"><bdi class=\"path\">", table->id, index);
        if (area)
                markup_format(table->out, "%s/", area);
        fputs("</bdi><bdi>", table->out);
}

static int print_cell(const ResultTable *table, size_t column, const json_t *row) {
        const GridColumn *grid = row_column(table->layout, column);
        _cleanup_(freep) char *text = row_text(table->layout, column, row);
        double number;

        if (!text)
                return error_origin(-ENOMEM);
        fprintf(table->out, "<td%s",
                        strcmp(grid->title, "note") == 0 ? " class=\"note\""
                        : grid->left                     ? ""
                        : grid->style == GRID_BOLD       ? " class=\"number head\""
                                                         : " class=\"number\"");
        if (row_number(table->layout, column, row, &number))
                fprintf(table->out, " data-v=\"%.9g\"", number);
        fputc('>', table->out);
        if (row_is_distribution(table->layout, column))
                svg_spark(json_at(row, "time_ns.histogram.counts"), table->out);
        else
                markup_text(*text || !grid->dash ? text : "–", table->out);
        fputs("</td>", table->out);
        return 0;
}

/* @index is that of the benchmark whose article it leads to; of the empty loop, which has none, SIZE_MAX. */
static int print_row(const ResultTable *table, size_t index, const json_t *row) {
        _cleanup_(freep) char *name = row_text(table->layout, 0, row);
        const char *message = json_text_at(row, "failed.message");
        int r = 0;

        if (!name)
                return error_origin(-ENOMEM);
        fputs("<tr class=\"row\">", table->out);
        if (index == SIZE_MAX)
                fputs("<th scope=\"row\"><bdi>", table->out);
        else
                print_link(table, index, row);
        markup_text(name + strspn(name, " "), table->out);
        fprintf(table->out, "</bdi>%s</th>", index == SIZE_MAX ? "" : "</a>");
        if (json_at(row, "failed")) {
                fprintf(table->out, "<td class=\"%s\" colspan=\"%zu\">", part_failure_class(row), table->n_shown);
                markup_text(message ? message : "It failed.", table->out);
                fputs("</td>", table->out);
        }
        for (size_t i = 0; r == 0 && !json_at(row, "failed") && i < table->n_shown; i++)
                r = print_cell(table, table->order[i], row);
        fputs("</tr>\n", table->out);
        return error_trace(r);
}

/* A method that shows each count of iterations has a row for each. */
static int print_rows(const ResultTable *table, size_t index, const json_t *benchmark) {
        _cleanup_(json_decrefp) json_t *rows = row_steps(benchmark);
        int r = rows ? 0 : error_origin(-ENOMEM);

        for (size_t i = 0; r == 0 && i < json_array_size(rows); i++)
                r = print_row(table, index, json_array_get(rows, i));
        return error_trace(r);
}

/* ---- areas */

static const char *area_of(const json_t *benchmark) {
        const char *area = json_text_at(benchmark, "area");

        return area ? area : "";
}

static bool area_is_new(const json_t *benchmarks, size_t index) {
        for (size_t i = 0; i < index; i++)
                if (strcmp(area_of(json_array_get(benchmarks, i)), area_of(json_array_get(benchmarks, index))) == 0)
                        return false;
        return true;
}

static int print_area(const ResultTable *table, const char *area) {
        const json_t *benchmarks = json_at(table->result, "benchmarks");
        int r = 0;

        fputs("<tbody>", table->out);
        if (*area) {
                fprintf(table->out, "<tr class=\"area\"><th scope=\"rowgroup\" colspan=\"%zu\"><bdi>",
                                table->n_shown + 1);
                markup_text(area, table->out);
                fputs("</bdi></th></tr>\n", table->out);
        }
        for (size_t i = 0; r == 0 && i < json_array_size(benchmarks); i++)
                if (strcmp(area_of(json_array_get(benchmarks, i)), area) == 0)
                        r = print_rows(table, i, json_array_get(benchmarks, i));
        fputs("</tbody>\n", table->out);
        return error_trace(r);
}

static int print_empty(const ResultTable *table, const View *view) {
        _cleanup_(json_decrefp) json_t *row = NULL;
        int r;

        r = empty_row(table->result, view, &row);
        if (r || !row)
                return error_trace(r);
        fputs("<tbody>", table->out);
        r = print_row(table, SIZE_MAX, row);
        fputs("</tbody>\n", table->out);
        return error_trace(r);
}

/* ---- the whole */

static int print_table(ResultTable *table, const View *view) {
        const json_t *benchmarks = json_at(table->result, "benchmarks");
        int r;

        r = table_choose(table);
        if (r)
                return error_trace(r);
        fputs("<div class=\"scroll\" role=\"region\" aria-label=\"Table\" tabindex=\"0\"><table class=\"sortable\">\n",
                        table->out);
        print_titles(table);
        r = print_empty(table, view);
        for (size_t i = 0; r == 0 && i < json_array_size(benchmarks); i++)
                if (area_is_new(benchmarks, i))
                        r = print_area(table, area_of(json_array_get(benchmarks, i)));
        fputs("</table></div>\n", table->out);
        return error_trace(r);
}

static int print_scale(const json_t *result, FILE *out) {
        FILE *text;
        int r;

        if (!json_at(result, "scale"))
                return 0;
        fputs("<p class=\"scale\">", out);
        r = markup_open(out, &text);
        if (r)
                return error_trace(r);
        scale_print(result, "", ".", text);
        fclose(text);
        fputs("</p>\n", out);
        return 0;
}

int result_table_print(const char *id, const json_t *result, const View *view, FILE *out) {
        const View unlimited = { .columns = view->columns };
        _cleanup_(row_layout_freep) RowLayout *layout = NULL;
        ResultTable table = { .id = id, .result = result, .out = out };
        int r;

        r = row_layout_new(result, &unlimited, &layout);
        if (r)
                return error_trace(r);
        table.layout = layout;
        r = print_scale(result, out);
        if (r == 0)
                r = print_table(&table, &unlimited);
        if (r)
                return error_trace(r);
        fputs("<ul class=\"findings\">", out);
        r = findings_each(json_at(result, "benchmarks"), cell_print_name, &unlimited, part_print_item, out);
        fputs("</ul>\n", out);
        return error_trace(r);
}
