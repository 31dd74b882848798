/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A benchmark's row in the table: a column is a title and a function from a benchmark's JSON to a cell's text. Each
 * method has its own columns, in the words of those who made it; one that shows each count of iterations has a row for
 * each.
 */

#include <stdio.h>

typedef struct Footnotes Footnotes;
typedef struct Grid Grid;
typedef struct RowLayout RowLayout;
typedef struct json_t json_t;

/* The columns of a table of @result. */
const RowLayout *row_layout(const json_t *result);

/* The columns of the second table of --format=details: the spread of the times, and the figures that older harnesses report. */
const RowLayout *row_layout_spread(void);

/* The path, in a benchmark of @result, of the number that its table puts first. */
const char *row_headline(const json_t *result);

/* The grid of all columns, without rows. Returns 0 or a negative errno. */
int row_grid_new(const RowLayout *layout, Grid **ret_grid);

/* Adds the row, or rows, of @benchmark; its warnings go into @footnotes. Returns 0 or a negative errno. */
int row_add(const RowLayout *layout, Grid *grid, const json_t *benchmark, Footnotes *footnotes);

/* Prints the title and the arguments of @benchmark: "memchr n=16". */
void row_print_name(const json_t *benchmark, FILE *out);

/*
 * The rows of @benchmark as an array of benchmarks: itself or, if its method shows each count of iterations, one per
 * count, which differ in mean, deviation and count; the last has the warnings. Returns a new reference, or NULL if
 * memory ran out.
 */
json_t *row_steps(const json_t *benchmark);
