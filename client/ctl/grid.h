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

typedef struct View View;

#define GRID_COLUMNS_MAX   48u
#define GRID_FOOTNOTES_MAX 64u

typedef enum GridStyle {
        GRID_PLAIN,
        GRID_BOLD,
        GRID_DIM,
        GRID_GOOD,
        GRID_CAUTION,
        GRID_BAD,
} GridStyle;

typedef struct GridColumn {
        const char *title;
        bool left;    /* aligned; right otherwise */
        unsigned gap; /* spaces before it */
        GridStyle style;
        unsigned rank;  /* the highest leaves first, and of equals the last; 0: stays */
        unsigned least; /* columns of the terminal that it keeps where it has to give way; 0: all */
        bool prose;     /* of the last column: a long cell goes on in the next line */
        bool dash;      /* in place of an empty cell */
        bool optional;  /* is left out where all its cells are empty */
} GridColumn;

typedef struct Grid Grid;

/*
 * Makes a grid with @n_columns columns (at most GRID_COLUMNS_MAX), copied but for their titles. Returns 0 or a
 * negative errno.
 */
int grid_new(const GridColumn *columns, size_t n_columns, Grid **ret_grid);
Grid *grid_free(Grid *grid);

/* Adds the row of the columns' titles. Like each function that adds, returns 0 or a negative errno. */
int grid_add_titles(Grid *grid);

/* Adds a row with one text per column, which is copied. NULL is an empty cell. */
int grid_add_row(Grid *grid, const char *const *cells);

/* Adds a row that has @text, of any length, in place of all cells but the first. */
int grid_add_words(Grid *grid, GridStyle style, const char *first, const char *text);

/* Adds a line across all columns, which does not widen them. */
int grid_add_line(Grid *grid, GridStyle style, const char *text);

/* ... which is printed as it is, however long. */
int grid_add_verbatim(Grid *grid, GridStyle style, const char *text);

/*
 * Prints all rows within the width of @view. The titles of columns that had to leave, of a rank up to @rank_told, are named in a
 * last line.
 */
void grid_print(const Grid *grid, const View *view, unsigned rank_told, FILE *out);

/* Prints @text in @style, and no line's end. */
void grid_print_styled(GridStyle style, bool color, const char *text, FILE *out);

/* Sentences below a grid, by number: each is printed once, however many rows refer to it. */
typedef struct Footnotes {
        const char *texts[GRID_FOOTNOTES_MAX]; /* borrowed */
        size_t n;
} Footnotes;

/* Returns the number of @text, from 1; 0 if there are too many. */
size_t grid_add_footnote(Footnotes *footnotes, const char *text);

void grid_print_footnotes(const Footnotes *footnotes, const View *view, FILE *out);
