/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/show/html/table.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/model/columns.h"
#include "ctl/model/result.h"
#include "ctl/show/html/markup.h"
#include "ctl/show/html/part.h"
#include "ctl/show/plots/svg.h"
#include "util/cleanup.h"
#include "util/error.h"

void table_begin(const char *class, FILE *out) {
        fprintf(out, "<div class=\"scroll\" role=\"region\" aria-label=\"Table\" tabindex=\"0\"><table class=\"%s\"><thead><tr>",
                        class);
}

void table_end(FILE *out) {
        fputs("</table></div>\n", out);
}

void table_print_title(const Column *column, FILE *out) {
        fprintf(out, "<th scope=\"col\"%s>", column->flags & COLUMN_LEFT ? "" : " class=\"number\"");
        markup_text(column->title + strspn(column->title, " "), out);
        fputs("</th>", out);
}

/* ---- cells */

int table_print_name(const Column *column, const json_t *row, FILE *out) {
        _cleanup_(freep) char *text = column_text(column, row);

        if (!text)
                return error_origin(-ENOMEM);
        fputs("<tr class=\"row\"><th scope=\"row\"><bdi>", out);
        markup_text(text + strspn(text, " "), out);
        fputs("</bdi></th>", out);
        return 0;
}

static void print_begin(const Column *column, const json_t *row, FILE *out) {
        const char *word = column->flags & COLUMN_WORD ? json_text_at(row, column->path) : NULL;
        double number;

        fputs("<td", out);
        if (column->flags & COLUMN_WORD) {
                fputs(" class=\"verdict ", out);
                markup_text(word, out);
                fputc('"', out);
        } else if (!(column->flags & COLUMN_LEFT))
                fprintf(out, " class=\"number%s\"", column->flags & COLUMN_HEAD ? " head" : "");
        else if (strcmp(column->title, "note") == 0)
                fputs(" class=\"note\"", out);
        if (column_number(column, row, &number))
                fprintf(out, " data-v=\"%.9g\"", number);
        fputc('>', out);
}

/* The words are untrusted: each text is isolated for writing direction. */
int table_print_cell(const Column *column, const json_t *row, FILE *out) {
        _cleanup_(freep) char *text = column_text(column, row);

        if (!text)
                return error_origin(-ENOMEM);
        print_begin(column, row, out);
        if (column->fill == cell_distribution)
                svg_spark(json_at(row, column->path), out);
        else if (column->flags & COLUMN_LEFT) {
                fputs("<bdi>", out);
                markup_text(text, out);
                fputs("</bdi>", out);
        } else
                markup_text(*text ? text : "–", out);
        fputs("</td>", out);
        return 0;
}

int table_print_cells(const Columns *columns, const json_t *row, FILE *out) {
        int r = 0;

        for (size_t i = 1; r == 0 && i < columns->n; i++)
                r = table_print_cell(&columns->columns[i], row, out);
        return error_trace(r);
}

void table_print_scale(const Picture *picture, double gap, FILE *out) {
        fputs("<th scope=\"col\" class=\"drawn\" data-unsorted>", out);
        svg_scale(picture, gap, out);
        fputs("</th>", out);
}

void table_print_drawing(const Picture *picture, size_t index, FILE *out) {
        fputs("<td class=\"drawn\">", out);
        svg_row(picture, index, out);
        fputs("</td>", out);
}

int table_print(const char *class, const Columns *columns, const json_t *rows, FILE *out) {
        int r = 0;

        table_begin(class, out);
        for (size_t i = 0; i < columns->n; i++)
                table_print_title(&columns->columns[i], out);
        fputs("</tr></thead><tbody>", out);
        for (size_t i = 0; r == 0 && i < json_array_size(rows); i++) {
                const json_t *row = json_array_get(rows, i);

                r = table_print_name(&columns->columns[0], row, out);
                if (r == 0)
                        r = table_print_cells(columns, row, out);
                fputs("</tr>\n", out);
        }
        fputs("</tbody>", out);
        table_end(out);
        return error_trace(r);
}

void table_print_failure(const json_t *row, size_t n_columns, FILE *out) {
        fprintf(out, "<td class=\"%s\" colspan=\"%zu\">", part_failure_class(row), n_columns);
        markup_text(row_failure_message(row), out);
        fputs("</td>", out);
}

/* ---- columns that are empty */

/* Returns 1 if some of @rows has a text in @column, 0 if none has, or a negative errno. */
static int is_filled(const Column *column, const json_t *rows) {
        for (size_t i = 0; i < json_array_size(rows); i++) {
                const json_t *row = json_array_get(rows, i);
                _cleanup_(freep) char *text = column_text(column, row);

                if (!text)
                        return error_origin(-ENOMEM);
                if (*text && !json_at(row, "failed"))
                        return 1;
        }
        return 0;
}

int table_leave_out(Columns *columns, const json_t *rows) {
        size_t n = 1;

        for (size_t i = 1; i < columns->n; i++) {
                const Column *column = &columns->columns[i];
                int r = *column->title != '\0';

                if (r && column->flags & COLUMN_OPTIONAL)
                        r = is_filled(column, rows);
                if (r < 0)
                        return error_trace(r);
                if (r > 0)
                        columns->columns[n++] = *column;
        }
        columns->n = n;
        return 0;
}
