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
#include "ctl/show/html/term.h"
#include "ctl/show/plots/svg.h"
#include "util/cleanup.h"
#include "util/error.h"

void table_begin(const char *class, FILE *out) {
        fprintf(out, "<div class=\"scroll\" role=\"region\" aria-label=\"Table\" tabindex=\"0\"><table class=\"%s\"><thead><tr>",
                        class);
}

void table_end(FILE *out) {
        fputs("</table></div>\n<p class=\"narrow\">A wider window shows more columns.</p>\n", out);
}

static bool is_note(const Column *column) {
        return strcmp(column->title, "note") == 0;
}

/* The class of columns that a narrow window has no room for: all but the number, the verdict, the date and the note of a run. */
static const char *width_class(const Column *column) {
        const bool stays = column->flags & COLUMN_HEAD || column->fill == cell_notes || column->fill == cell_date ||
                           column->fill == cell_state;

        return stays ? "" : " wide";
}

void table_print_title(const Column *column, FILE *out) {
        fprintf(out, "<th scope=\"col\" class=\"%s%s\">", column->flags & COLUMN_LEFT ? "text" : "number",
                        width_class(column));
        term_print(column->title + strspn(column->title, " "), out);
        fputs("</th>", out);
}

void table_print_name_title(const char *title, FILE *out) {
        fputs("<th scope=\"col\">", out);
        markup_text(title + strspn(title, " "), out);
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

/* The digits behind the last point of @text; 0 without one. */
static unsigned decimals_of(const char *text) {
        const char *point = strrchr(text, '.');

        return point ? (unsigned)strspn(point + 1, "0123456789") : 0;
}

/* Prints the classes that pad a number up to the decimals of its column. */
static void print_padding(const Column *column, const char *text, FILE *out) {
        const unsigned decimals = decimals_of(text);

        if (decimals < column->decimals && strchr("-0123456789", *text) && *text)
                fprintf(out, " less%u%s", column->decimals - decimals, decimals == 0 ? " whole" : "");
}

static void print_begin(const Column *column, const json_t *row, const char *text, FILE *out) {
        const char *word = column->flags & COLUMN_WORD ? json_text_at(row, column->path) : NULL;
        double number;

        fputs("<td class=\"", out);
        if (column->flags & COLUMN_WORD) {
                fputs("verdict ", out);
                markup_text(word, out);
        } else if (!(column->flags & COLUMN_LEFT)) {
                fprintf(out, "number%s", column->flags & COLUMN_HEAD ? " head" : "");
                print_padding(column, text, out);
        } else
                fputs(is_note(column) ? "note" : "text", out);
        fprintf(out, "%s\"", width_class(column));
        if (column_number(column, row, &number))
                fprintf(out, " data-v=\"%.9g\"", number);
        fputc('>', out);
}

/* The words are untrusted: each text is isolated for writing direction. */
int table_print_cell(const Column *column, const json_t *row, FILE *out) {
        _cleanup_(freep) char *text = column_text(column, row);

        if (!text)
                return error_origin(-ENOMEM);
        print_begin(column, row, text, out);
        if (column->fill == cell_distribution)
                svg_spark(json_at(row, column->path), out);
        else if (column->flags & COLUMN_LEFT) {
                fputs("<bdi>", out);
                term_print(text, out);
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
        table_print_name_title(columns->columns[0].title, out);
        for (size_t i = 1; i < columns->n; i++)
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

/* ---- columns over all rows */

int table_align(Columns *columns, const json_t *rows) {
        for (size_t i = 1; i < columns->n; i++)
                for (size_t k = 0; k < json_array_size(rows); k++) {
                        _cleanup_(freep) char *text = column_text(&columns->columns[i], json_array_get(rows, k));
                        const unsigned decimals = text ? decimals_of(text) : 0;

                        if (!text)
                                return error_origin(-ENOMEM);
                        if (decimals > columns->columns[i].decimals)
                                columns->columns[i].decimals = decimals;
                }
        return 0;
}

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
        return error_trace(table_align(columns, rows));
}
