/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Text in aligned columns. Rows are collected first, since the widest cell decides. Lines across all columns (headings, failures) are
 * between rows, numbered footnotes below them. A grid too wide for its view drops columns, then the middle of long cells; only words, lines
 * and prose wrap.
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

/* Ends the previous cell and begins the next one. Returns the stream for its text, valid until the next call. */
FILE *grid_cell(Grid *grid);

/*
 * Each of these adds what was written to cells since the last call: a row, padded with empty cells; a row whose second cell, if any, is
 * words of any length in place of all other cells; a line across all columns, which does not widen them; a line that is printed unchanged,
 * however long. Each returns 0 or a negative errno.
 */
int grid_add_row(Grid *grid);
int grid_add_words(Grid *grid, GridStyle style);
int grid_add_line(Grid *grid, GridStyle style);
int grid_add_verbatim(Grid *grid, GridStyle style);

/* Adds the row of the columns' titles. */
int grid_add_titles(Grid *grid);

/* Adds @row; fills the cells that are not written yet. */
int grid_add(Grid *grid, const json_t *row, CellFootnotes *footnotes);

/*
 * Prints all rows within the width of @view. A last line names the dropped columns with a rank up to @rank_told, and the one in brackets,
 * which has no title; and says if there are more.
 */
void grid_print(const Grid *grid, const View *view, unsigned rank_told, FILE *out);

/* Prints @text in @style, without a line end. */
void grid_print_styled(GridStyle style, bool color, const char *text, FILE *out);

/* Prints @footnotes, one paragraph each. */
void grid_print_footnotes(const CellFootnotes *footnotes, const View *view, FILE *out);
