/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/grid.h"

#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/error.h"

typedef struct GridRow {
        char *cells[GRID_COLUMNS_MAX];
        char *line; /* in place of the cells, all or all but the first */
        GridStyle style;
        bool titles;
} GridRow;

struct Grid {
        GridColumn columns[GRID_COLUMNS_MAX];
        size_t n_columns;
        GridRow *rows;
        size_t n_rows;
};

static const char *const style_sequences[] = {
        [GRID_PLAIN] = "",
        [GRID_BOLD] = "\033[1m",
        [GRID_DIM] = "\033[2m",
        [GRID_GOOD] = "\033[32m",
        [GRID_CAUTION] = "\033[33m",
        [GRID_BAD] = "\033[31m",
};

int grid_new(const GridColumn *columns, size_t n_columns, Grid **ret_grid) {
        Grid *grid;

        grid = calloc(1, sizeof *grid);
        if (!grid)
                return error_origin(-ENOMEM);
        memcpy(grid->columns, columns, n_columns * sizeof *columns);
        grid->n_columns = n_columns;
        *ret_grid = grid;
        return 0;
}

static void grid_row_clear(GridRow *row) {
        for (size_t i = 0; i < N_ELEMENTS(row->cells); i++)
                free(row->cells[i]);
        free(row->line);
}

Grid *grid_free(Grid *grid) {
        if (!grid)
                return NULL;
        for (size_t i = 0; i < grid->n_rows; i++)
                grid_row_clear(&grid->rows[i]);
        free(grid->rows);
        free(grid);
        return NULL;
}

static int grid_add(Grid *grid, GridRow **ret_row) {
        GridRow *rows;

        rows = reallocarray(grid->rows, grid->n_rows + 1, sizeof *rows);
        if (!rows)
                return error_origin(-ENOMEM);
        grid->rows = rows;
        *ret_row = &rows[grid->n_rows++];
        **ret_row = (GridRow){};
        return 0;
}

int grid_add_row(Grid *grid, const char *const *cells) {
        GridRow *row;
        int r;

        r = grid_add(grid, &row);
        if (r)
                return error_trace(r);
        for (size_t i = 0; i < grid->n_columns; i++) {
                row->cells[i] = strdup(cells[i] ? cells[i] : "");
                if (!row->cells[i])
                        return error_origin(-ENOMEM);
        }
        return 0;
}

int grid_add_titles(Grid *grid) {
        const char *titles[GRID_COLUMNS_MAX];
        int r;

        for (size_t i = 0; i < grid->n_columns; i++)
                titles[i] = grid->columns[i].title;
        r = grid_add_row(grid, titles);
        if (r)
                return error_trace(r);
        grid->rows[grid->n_rows - 1].titles = true;
        return 0;
}

int grid_add_line(Grid *grid, GridStyle style, const char *text) {
        GridRow *row;
        int r;

        r = grid_add(grid, &row);
        if (r)
                return error_trace(r);
        row->style = style;
        row->line = strdup(text);
        return row->line ? 0 : error_origin(-ENOMEM);
}

int grid_add_words(Grid *grid, GridStyle style, const char *first, const char *text) {
        int r;

        r = grid_add_line(grid, style, text);
        if (r)
                return error_trace(r);
        grid->rows[grid->n_rows - 1].cells[0] = strdup(first);
        return grid->rows[grid->n_rows - 1].cells[0] ? 0 : error_origin(-ENOMEM);
}

/* ---- printing */

/* The terminal columns that @text takes: one per code point, since wide characters are never printed here. */
static size_t text_width(const char *text) {
        size_t width = 0;

        for (; *text; text++)
                width += ((unsigned char)*text & 0xc0) != 0x80;
        return width;
}

static size_t grid_column_width(const Grid *grid, size_t column) {
        size_t width = 0;

        for (size_t i = 0; i < grid->n_rows; i++) {
                const char *text = grid->rows[i].cells[column];
                size_t cell = text ? text_width(text) : 0;

                width = cell > width ? cell : width;
        }
        return width;
}

void grid_print_styled(GridStyle style, bool color, const char *text, FILE *out) {
        bool styled = color && style != GRID_PLAIN;

        fprintf(out, "%s%s%s", styled ? style_sequences[style] : "", text, styled ? "\033[0m" : "");
}

static void grid_print_line(const Grid *grid, const GridRow *row, const size_t *widths, bool color, FILE *out) {
        if (row->cells[0])
                fprintf(out, "%s%*s", row->cells[0],
                                (int)(widths[0] - text_width(row->cells[0]) + grid->columns[1].gap), "");
        grid_print_styled(row->style, color, row->line, out);
}

/* Spaces are held back until something follows them, so that no line ends in one. */
static void grid_print_row(const Grid *grid, const GridRow *row, const size_t *widths, bool color, FILE *out) {
        size_t spaces = 0;

        for (size_t i = 0; i < grid->n_columns; i++) {
                const GridColumn *column = &grid->columns[i];
                size_t padding = widths[i] - text_width(row->cells[i]);

                spaces += column->gap + (column->left ? 0 : padding);
                if (*row->cells[i]) {
                        fprintf(out, "%*s", (int)spaces, "");
                        spaces = 0;
                        grid_print_styled(row->titles ? GRID_DIM : column->style, color, row->cells[i], out);
                }
                spaces += column->left ? padding : 0;
        }
}

void grid_print(const Grid *grid, bool color, FILE *out) {
        size_t widths[GRID_COLUMNS_MAX];

        for (size_t i = 0; i < grid->n_columns; i++)
                widths[i] = grid_column_width(grid, i);
        for (size_t i = 0; i < grid->n_rows; i++) {
                const GridRow *row = &grid->rows[i];

                if (row->line)
                        grid_print_line(grid, row, widths, color, out);
                else
                        grid_print_row(grid, row, widths, color, out);
                fputc('\n', out);
        }
}

/* ---- below the grid */

size_t grid_add_footnote(Footnotes *footnotes, const char *text) {
        for (size_t i = 0; i < footnotes->n; i++)
                if (strcmp(footnotes->texts[i], text) == 0)
                        return i + 1;
        if (footnotes->n == GRID_FOOTNOTES_MAX)
                return 0;
        footnotes->texts[footnotes->n++] = text;
        return footnotes->n;
}

void grid_print_footnotes(const Footnotes *footnotes, FILE *out) {
        for (size_t i = 0; i < footnotes->n; i++)
                fprintf(out, "(%zu) %s\n", i + 1, footnotes->texts[i]);
}
