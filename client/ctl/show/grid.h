/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Text in aligned columns. Rows are collected first, since the widest cell decides; lines that run across all columns
 * (headings, a failure's words) stand between them, numbered footnotes below them. A grid that is too wide for its view loses columns,
 * then the middle of long cells; only words, lines and prose go on in a next line.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "util/cleanup.h"

typedef struct Column Column;
typedef struct CellFootnotes CellFootnotes;
typedef struct View View;
typedef struct json_t json_t;

typedef enum GridStyle {
        GRID_PLAIN,
        GRID_BOLD,
        GRID_DIM,
        GRID_GOOD,
        GRID_CAUTION,
        GRID_BAD,
} GridStyle;

typedef struct Grid Grid;

/*
 * Makes a grid with @n_columns columns (at most COLUMNS_MAX), copied but for their texts. Returns 0 or a negative errno.
 */
int grid_new(const Column *columns, size_t n_columns, Grid **ret_grid);
Grid *grid_free(Grid *grid);
DEFINE_CLEANUP(Grid *, grid_free)

/* Ends the cell before and begins the next one of what is added next. Lends the stream that its text is written to, until the next call. */
FILE *grid_cell(Grid *grid);

/*
 * Each of these adds what was written to cells since the last one: a row of them, empty ones at its end; a row whose second cell is
 * words of any length, in place of all other cells, unless there are none; a line across all columns, which does not widen them; one that is printed as it is,
 * however long. Each returns 0 or a negative errno.
 */
int grid_add_row(Grid *grid);
int grid_add_words(Grid *grid, GridStyle style);
int grid_add_line(Grid *grid, GridStyle style);
int grid_add_verbatim(Grid *grid, GridStyle style);

/* Adds the row of the columns' titles. */
int grid_add_titles(Grid *grid);

/* Adds @row: the columns behind those whose cells are written already fill its cells. */
int grid_add(Grid *grid, const json_t *row, CellFootnotes *footnotes);

/*
 * Prints all rows within the width of @view. The titles of columns that had to leave, of a rank up to @rank_told, are named in a
 * last line.
 */
void grid_print(const Grid *grid, const View *view, unsigned rank_told, FILE *out);

/* Prints @text in @style, and no line's end. */
void grid_print_styled(GridStyle style, bool color, const char *text, FILE *out);

/* Prints @footnotes, a paragraph each. */
void grid_print_footnotes(const CellFootnotes *footnotes, const View *view, FILE *out);
