/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A benchmark's row in the table: a column is a title and what stands in its cells. Each method has its own columns, in the
 * words of those who made it; one that shows each count of iterations has a row for each.
 */

typedef struct Footnotes Footnotes;
typedef struct Grid Grid;
typedef struct RowLayout RowLayout;
typedef struct json_t json_t;

/* The columns of a table of @result. */
const RowLayout *row_layout(const json_t *result);

/* Where in a benchmark of @result the number stands that its table puts first. */
const char *row_headline(const json_t *result);

/* The grid of all columns, without rows. Returns 0 or a negative errno. */
int row_grid_new(const RowLayout *layout, Grid **ret_grid);

/* Adds the row, or rows, of @benchmark; what it warns of is noted in @footnotes. Returns 0 or a negative errno. */
int row_add(const RowLayout *layout, Grid *grid, const json_t *benchmark, Footnotes *footnotes);
