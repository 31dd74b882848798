/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Tables of a page: the columns and words of benchctl's text tables, with small histograms instead of text bars. Each cell with a number
 * carries it for the sorting script. Each function that returns a value returns 0 or a negative errno.
 */

#include <stdio.h>

typedef struct Column Column;
typedef struct Columns Columns;
typedef struct Picture Picture;
typedef struct json_t json_t;

/* Begins a table of @class, and the row of its titles. */
void table_begin(const char *class, FILE *out);
void table_end(FILE *out);

void table_print_title(const Column *column, FILE *out);

/* Prints the title of the column that names the rows, which stays in a narrow window. */
void table_print_name_title(const char *title, FILE *out);

/* Notes the decimals of each column over all @rows, so that table_print_cell() aligns its numbers at the point. */
int table_align(Columns *columns, const json_t *rows);

/* Begins a row, with the text of @row in @column as its head. */
int table_print_name(const Column *column, const json_t *row, FILE *out);

/* Prints one cell. */
int table_print_cell(const Column *column, const json_t *row, FILE *out);

/* Prints the cells of all @columns but the first, which is the name. */
int table_print_cells(const Columns *columns, const json_t *row, FILE *out);

/* Prints the title of the column of drawings, its scale with a tick every @gap pixels, and the drawing of row @index. */
void table_print_scale(const Picture *picture, double gap, FILE *out);
void table_print_drawing(const Picture *picture, size_t index, FILE *out);

/* Prints a whole table of @rows. */
int table_print(const char *class, const Columns *columns, const json_t *rows, FILE *out);

/* Prints the words of @row, which failed, across @n_columns. */
void table_print_failure(const json_t *row, size_t n_columns, FILE *out);

/* Removes the columns without a title, and optional columns that are empty in all @rows. */
int table_leave_out(Columns *columns, const json_t *rows);
