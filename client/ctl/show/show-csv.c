/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Tables for spreadsheets and data frames, by RFC 4180: a line of titles, then one a row, however many results there are. Numbers are
 * plain, times in nanoseconds as they were measured, and a value that is missing is an empty field. Each argument and each counter
 * of any row has a column of its own.
 */

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/model/arguments.h"
#include "ctl/model/columns.h"
#include "ctl/model/fleet-row.h"
#include "ctl/model/result.h"
#include "ctl/model/rows.h"
#include "ctl/show/show.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/text-stream.h"

#define CSV_END      "\r\n"
#define CSV_FORMULAS "=+-@"

/* ---- fields */

/* A text that a spreadsheet would take for a formula; a negative number is none. */
static bool is_formula(const char *text) {
        char *end;

        if (!*text || !strchr(CSV_FORMULAS, *text))
                return false;
        (void)strtod(text, &end);
        return *end != '\0';
}

static void print_text(const char *text, FILE *out) {
        const bool formula = is_formula(text), quoted = formula || strpbrk(text, ",\"\r\n") || *text == ' ';

        fprintf(out, "%s%s", quoted ? "\"" : "", formula ? "'" : "");
        for (; *text; text++)
                fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
        fputs(quoted ? "\"" : "", out);
}

/* Prints what @join makes of a list, as one cell. */
static void print_joined(const json_t *list, void (*join)(const json_t *list, FILE *out), FILE *out) {
        _cleanup_(text_stream_clear) TextStream text = {};

        join(list, text_stream_open(&text));
        if (text_stream_close(&text) == 0)
                print_text(text.text, out);
}

static void join_values(const json_t *values, FILE *out) {
        for (size_t i = 0; i < json_array_size(values); i++) {
                const json_t *value = json_array_get(values, i), *kind = json_object_get(value, "kind");

                fputs(i > 0 ? " " : "", out);
                arguments_print_value(kind ? kind : value, out);
        }
}

static void join_axes(const json_t *axes, FILE *out) {
        for (size_t i = 0; i < json_array_size(axes); i++) {
                const char *name = json_text_at(json_array_get(axes, i), "name");

                fprintf(out, "%s%s=", i > 0 ? "; " : "", name ? name : "?");
                join_values(json_at(json_array_get(axes, i), "values"), out);
        }
}

/*
 * An array is one text: its members joined by blanks, strings, numbers, or the "kind" of objects; the arguments of a listing each with all
 * its values.
 */
static void print_value(const json_t *value, FILE *out) {
        if (json_is_string(value))
                print_text(json_string_value(value), out);
        else if (json_is_boolean(value))
                fputs(json_is_true(value) ? "true" : "false", out);
        else if (json_is_number(value))
                arguments_print_value(value, out);
        else if (json_is_array(value))
                print_joined(value, json_at(json_array_get(value, 0), "values") ? join_axes : join_values, out);
}

/* ---- fields of a line */

/* A column, or one of the columns that it expands to. */
typedef struct CsvField {
        const Column *column;
        const char *member; /* of the object that is its value; NULL: the value itself */
} CsvField;

typedef struct Csv {
        const ColumnTable *table;
        const char *rows;    /* the member of an answer that holds them */
        const char *subrows; /* ... of each of these that have lines too; NULL: there are none */
        bool of_rows;        /* lines */
        json_t *members;     /* by the path of their object */
        CsvField *fields;
        size_t n;
        FILE *out;
} Csv;

static void csv_clear(Csv *csv) {
        json_decref(csv->members);
        free(csv->fields);
}

/* The names of all members that the object at @path has in any row, in the order in which they come first. Borrowed; NULL if memory ran out. */
static json_t *members_at(Csv *csv, const json_t *answers, const char *path) {
        json_t *members = json_object();

        for (size_t i = 0; members && i < json_array_size(answers); i++) {
                const json_t *rows = json_at(json_array_get(answers, i), csv->rows);

                for (size_t k = 0; k < json_array_size(rows); k++)
                        (void)json_object_update_missing(members, (json_t *)json_at(json_array_get(rows, k), path));
        }
        return json_object_set_new(csv->members, path, members) == 0 ? members : NULL;
}

static int add_field(Csv *csv, const Column *column, const char *member) {
        CsvField *fields = reallocarray(csv->fields, csv->n + 1, sizeof *fields);

        if (!fields)
                return error_origin(-ENOMEM);
        csv->fields = fields;
        fields[csv->n++] = (CsvField){ column, member };
        return 0;
}

/* Adds the fields of @column, and the fields that follow it in CSV, whatever their place in a text table. */
static int add_column(Csv *csv, const json_t *answers, const Column *column) {
        json_t *members, *value;
        const char *name;
        int r = 0;

        if (!(column->flags & COLUMN_EACH))
                r = add_field(csv, column, NULL);
        else {
                members = members_at(csv, answers, column->path);
                r = members ? 0 : error_origin(-ENOMEM);
                json_object_foreach(members, name, value) r = r ? r : add_field(csv, column, name);
        }
        for (size_t i = 0; r == 0 && i < csv->table->n; i++) {
                const Column *other = &csv->table->columns[i];

                if (other->csv_after && strcmp(other->csv_after, column->csv) == 0)
                        r = add_column(csv, answers, other);
        }
        return error_trace(r);
}

static int add_columns(Csv *csv, const json_t *answers) {
        int r = 0;

        csv->members = json_object();
        if (!csv->members)
                return error_origin(-ENOMEM);
        for (size_t i = 0; r == 0 && i < csv->table->n; i++)
                if (csv->table->columns[i].csv && !csv->table->columns[i].csv_after)
                        r = add_column(csv, answers, &csv->table->columns[i]);
        return error_trace(r);
}

/* ---- lines */

/* The name of a member is the module's. */
static int print_titles(const Csv *csv) {
        for (size_t i = 0; i < csv->n; i++) {
                const char *member = csv->fields[i].member;
                _cleanup_(freep) char *title = NULL;

                if (asprintf(&title, "%s%s", csv->fields[i].column->csv, member ? member : "") < 0) {
                        title = NULL;
                        return error_origin(-ENOMEM);
                }
                fputs(i > 0 ? "," : "", csv->out);
                print_text(title, csv->out);
        }
        fputs(CSV_END, csv->out);
        return 0;
}

static void print_line(const Csv *csv, const json_t *answer, const json_t *whole, const json_t *row) {
        const json_t *const objects[] = {
                [COLUMN_OF_ROW] = row,
                [COLUMN_OF_WHOLE] = whole,
                [COLUMN_OF_ANSWER] = answer,
        };

        for (size_t i = 0; i < csv->n; i++) {
                const CsvField *field = &csv->fields[i];
                const json_t *value = json_at(objects[field->column->of], field->column->path);

                fputs(i > 0 ? "," : "", csv->out);
                print_value(field->member ? json_object_get(value, field->member) : value, csv->out);
        }
        fputs(CSV_END, csv->out);
}

/* The lines of what is within @row: of runs, or of machines. */
static int print_subrows(const Csv *csv, const json_t *answer, const json_t *row) {
        const json_t *subrows = json_at(row, csv->subrows);

        for (size_t i = 0; i < json_array_size(subrows); i++) {
                _cleanup_(json_decrefp) json_t *subrow =
                                csv->of_rows ? fleet_machine_row(row, i) : json_incref(json_array_get(subrows, i));

                if (!subrow)
                        return error_origin(-ENOMEM);
                print_line(csv, answer, row, subrow);
        }
        return 0;
}

static int print_answer(const Csv *csv, const json_t *answer) {
        _cleanup_(json_decrefp) json_t *rows = NULL;
        int r = 0;

        if (!csv->subrows && strcmp(csv->rows, "comparisons") == 0)
                r = rows_of_pairs(answer, &rows);
        else
                rows = json_incref((json_t *)json_at(answer, csv->rows));
        for (size_t i = 0; r == 0 && i < json_array_size(rows); i++) {
                const json_t *row = json_array_get(rows, i);

                if (csv->of_rows)
                        print_line(csv, answer, csv->subrows ? row : answer, row);
                if (csv->subrows)
                        r = print_subrows(csv, answer, row);
        }
        return error_trace(r);
}

/* ---- the whole */

static Csv csv_of(ShowKind kind, const json_t *answer, FILE *out) {
        static const ColumnTableKind tables[_SHOW_KIND_N] = {
                [SHOW_LISTING] = TABLE_LISTING,
                [SHOW_HISTORY] = TABLE_HISTORY,
                [SHOW_TREND] = TABLE_TREND,
                [SHOW_SIDE_BY_SIDE] = TABLE_SIDE_BY_SIDE,
        };
        const bool of_result = kind == SHOW_RESULT || kind == SHOW_FLEET;

        return (Csv){
                .table = columns_table(of_result ? columns_kind(answer) : tables[kind]),
                .rows = kind == SHOW_HISTORY                   ? "entries"
                        : of_result && result_compares(answer) ? "comparisons"
                                                               : "benchmarks",
                .subrows = kind == SHOW_TREND   ? "runs"
                           : kind == SHOW_FLEET ? "machines"
                                                : NULL,
                .of_rows = kind != SHOW_TREND,
                .out = out,
        };
}

int show_csv(ShowKind kind, const json_t *answers, const View *view, FILE *out) {
        _cleanup_(csv_clear) Csv csv = csv_of(kind, json_array_get(answers, 0), out);
        int r;

        r = add_columns(&csv, answers);
        if (r == 0)
                r = print_titles(&csv);
        for (size_t i = 0; r == 0 && i < json_array_size(answers); i++)
                r = print_answer(&csv, json_array_get(answers, i));
        return error_trace(r);
}
