/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Benchmarks' rows in a table: a column is a title and a function from a benchmark's JSON to a cell's text. Each method has its own
 * columns, in the words of those who made it; one that shows each count of iterations has a row for each.
 */

#include <stdbool.h>
#include <stdio.h>

#define ROW_RANK_TOLD 6u /* a table names the columns up to this rank that its view had no room for */

typedef struct Footnotes Footnotes;
typedef struct Grid Grid;
typedef struct GridColumn GridColumn;
typedef struct RowLayout RowLayout;
typedef struct View View;
typedef struct json_t json_t;

/* The columns of a table of @result for @view. Returns 0 or a negative errno. */
int row_layout_new(const json_t *result, const View *view, RowLayout **ret_layout);
RowLayout *row_layout_free(RowLayout *layout);

/* Without its column of notes, which stand elsewhere. */
void row_layout_leave_out_notes(RowLayout *layout);

/* The columns of the second table of --format=details: the spread of the times, and the figures that older harnesses report. */
int row_layout_new_spread(RowLayout **ret_layout);

/* True if --columns knows @name, of @n bytes. */
bool row_has_column(const char *name, size_t n);

/* Prints the names that --columns knows: "time, interval, ..." */
void row_print_columns(FILE *out);

/* A column by index, for reports that lay out their own tables; its GridColumn is NULL past the last. */
const GridColumn *row_column(const RowLayout *layout, size_t index);

/* True if the column draws the distribution of the samples. */
bool row_is_distribution(const RowLayout *layout, size_t index);

/* The text of @benchmark in the column at @index, without its warnings' figures; NULL if memory ran out. It is the caller's. */
char *row_text(const RowLayout *layout, size_t index, const json_t *benchmark);

/* The number behind that text, to sort by; false without one. */
bool row_number(const RowLayout *layout, size_t index, const json_t *benchmark, double *ret_number);

/* The path, in a benchmark of @result, of the number that its table puts first. */
const char *row_headline(const json_t *result);

/* The grid of all columns, without rows. Returns 0 or a negative errno. */
int row_grid_new(const RowLayout *layout, Grid **ret_grid);

/*
 * Adds the row, or rows, of @benchmark. Its warnings go into @footnotes; without, the first is in the row in a word or two. Returns
 * 0 or a negative errno.
 */
int row_add(const RowLayout *layout, Grid *grid, const json_t *benchmark, Footnotes *footnotes);

/* Adds the row of @benchmark, which failed, named @name: the reason in the place of numbers. Returns 0 or a negative errno. */
int row_add_failure(Grid *grid, const json_t *benchmark, const char *name);

/*
 * The rows of @benchmark as an array of benchmarks: itself or, if its method shows each count of iterations, one per
 * count, which differ in mean, deviation and count; the last has the warnings. Returns a new reference, or NULL if
 * memory ran out.
 */
json_t *row_steps(const json_t *benchmark);
