/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The table of a result: a group of rows for each area, each row with a link to its benchmark's article.
 */

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/model/columns.h"
#include "ctl/model/findings.h"
#include "ctl/model/result.h"
#include "ctl/model/rows.h"
#include "ctl/model/scale.h"
#include "ctl/model/view.h"
#include "ctl/show/html/markup.h"
#include "ctl/show/html/part.h"
#include "ctl/show/html/table.h"
#include "util/cleanup.h"
#include "util/error.h"

typedef struct ResultTable {
        const char *id;
        const json_t *result;
        Columns columns;
        FILE *out;
} ResultTable;

/* ---- columns */

static bool is_counted(const Column *column) {
        return column->fill == cell_counter ||
               (column->path && strncmp(column->path, "memory.", strlen("memory.")) == 0);
}

/*
 * Details, and the time while the core was shared, are in a benchmark's article; the table has them only where --columns names them. Counters
 * and allocations come last, so that the notes stand before the end of a usual window.
 */
static void arrange(Columns *columns) {
        Columns arranged = { .columns = { columns->columns[0] }, .n = 1 };

        for (unsigned counted = 0; counted < 2; counted++)
                for (size_t i = 1; i < columns->n; i++) {
                        const Column *column = &columns->columns[i];
                        const bool kept = column->rank < COLUMN_RANK_DETAIL &&
                                          (column->rank == 0 || column->fill != cell_shared);

                        if (kept && is_counted(column) == counted)
                                arranged.columns[arranged.n++] = *column;
                }
        *columns = arranged;
}

static void print_titles(const ResultTable *table) {
        fputs("<th scope=\"col\">benchmark</th>", table->out);
        for (size_t i = 1; i < table->columns.n; i++)
                table_print_title(&table->columns.columns[i], table->out);
        fputs("</tr></thead>\n", table->out);
}

/* ---- rows */

static void print_link(const ResultTable *table, size_t index, const json_t *row) {
        const char *area = row_is_command(row) ? NULL : json_text_at(row, "area");

        fprintf(table->out, "<th scope=\"row\"><a href=\"#%s-%zu\"><bdi class=\"path\">", table->id, index);
        if (area)
                markup_format(table->out, "%s/", area);
        fputs("</bdi><bdi>", table->out);
}

/* @index is that of the benchmark whose article it leads to; of the empty loop, which has none, SIZE_MAX. */
static int print_row(const ResultTable *table, size_t index, const json_t *row) {
        _cleanup_(freep) char *name = column_text(&table->columns.columns[0], row);
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
        if (json_at(row, "failed"))
                table_print_failure(row, table->columns.n - 1, table->out);
        else
                r = table_print_cells(&table->columns, row, table->out);
        fputs("</tr>\n", table->out);
        return error_trace(r);
}

/* A method that shows each count of iterations has a row for each. */
static int print_rows(const ResultTable *table, size_t index, const json_t *benchmark) {
        _cleanup_(json_decrefp) json_t *rows = rows_of_steps(benchmark);
        int r = rows ? 0 : error_origin(-ENOMEM);

        for (size_t i = 0; r == 0 && i < json_array_size(rows); i++)
                r = print_row(table, index, json_array_get(rows, i));
        return error_trace(r);
}

/* ---- areas */

static int print_area(const ResultTable *table, const char *area) {
        const json_t *benchmarks = json_at(table->result, "benchmarks");
        int r = 0;

        fputs("<tbody>", table->out);
        if (*area) {
                fprintf(table->out, "<tr class=\"area\"><th scope=\"rowgroup\" colspan=\"%zu\"><bdi>",
                                table->columns.n);
                markup_text(area, table->out);
                fputs("</bdi></th></tr>\n", table->out);
        }
        for (size_t i = 0; r == 0 && i < json_array_size(benchmarks); i++)
                if (row_is_of(json_array_get(benchmarks, i), area))
                        r = print_rows(table, i, json_array_get(benchmarks, i));
        fputs("</tbody>\n", table->out);
        return error_trace(r);
}

static int print_empty(const ResultTable *table) {
        _cleanup_(json_decrefp) json_t *row = NULL;
        int r;

        r = rows_empty(table->result, times_are_scaled(table->columns.columns[0].times), &row);
        if (r || !row)
                return error_trace(r);
        fputs("<tbody>", table->out);
        r = print_row(table, SIZE_MAX, row);
        fputs("</tbody>\n", table->out);
        return error_trace(r);
}

/* ---- the whole */

static int print_table(ResultTable *table) {
        const json_t *benchmarks = json_at(table->result, "benchmarks");
        int r;

        r = table_leave_out(&table->columns, benchmarks);
        if (r)
                return error_trace(r);
        arrange(&table->columns);
        table_begin("sortable", table->out);
        print_titles(table);
        r = print_empty(table);
        for (size_t i = 0; r == 0 && i < json_array_size(benchmarks); i++)
                if (rows_area_is_new(benchmarks, i))
                        r = print_area(table, row_area(json_array_get(benchmarks, i)));
        table_end(table->out);
        return error_trace(r);
}

static int print_scale(const Times *times, FILE *out) {
        FILE *text;
        int r;

        if (!times_are_scaled(times))
                return 0;
        fputs("<p class=\"scale\">", out);
        r = markup_open(out, &text);
        if (r)
                return error_trace(r);
        scale_print(times, "", ".", text);
        fclose(text);
        fputs("</p>\n", out);
        return 0;
}

int result_table_print(const char *id, const json_t *result, const View *view, FILE *out) {
        ResultTable table = { .id = id, .result = result, .out = out };
        int r;

        columns_choose(result, view->columns, false, &table.columns);
        columns_tell(&table.columns, &view->times);
        r = print_scale(&view->times, out);
        if (r == 0)
                r = print_table(&table);
        if (r)
                return error_trace(r);
        fputs("<ul class=\"findings\">", out);
        r = findings_each(result_rows(result), cell_print_name, &(View){}, part_print_sentence, out);
        fputs("</ul>\n", out);
        return error_trace(r);
}
