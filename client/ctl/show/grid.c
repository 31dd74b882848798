/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/show/grid.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/typeset.h"
#include "ctl/model/columns.h"
#include "ctl/model/markdown.h"
#include "ctl/model/view.h"
#include "util/error.h"

#define DASH "–"

typedef struct GridRow {
        char *cells[COLUMNS_MAX];
        char *line; /* in place of the cells, all or all but the first */
        GridStyle style;
        bool titles;
        bool verbatim; /* the line */
} GridRow;

struct Grid {
        Column columns[COLUMNS_MAX];
        size_t n_columns;
        GridRow *rows;
        size_t n_rows;
        char *cells[COLUMNS_MAX]; /* that are written */
        size_t n_cells;
        bool writes; /* another one */
        FILE *out;   /* all cells, one after the other */
        char *text;
        size_t n_text;
        size_t begin; /* of the cell that is being written */
};

static const char *const style_sequences[] = {
        [GRID_PLAIN] = "",
        [GRID_BOLD] = "\033[1m",
        [GRID_DIM] = "\033[2m",
        [GRID_GOOD] = "\033[32m",
        [GRID_CAUTION] = "\033[33m",
        [GRID_BAD] = "\033[31m",
};

int grid_new(const Column *columns, size_t n_columns, Grid **ret_grid) {
        Grid *grid;

        grid = calloc(1, sizeof *grid);
        if (!grid)
                return error_origin(-ENOMEM);
        grid->out = open_memstream(&grid->text, &grid->n_text);
        if (!grid->out) {
                free(grid);
                return error_origin(-ENOMEM);
        }
        memcpy(grid->columns, columns, n_columns * sizeof *columns);
        grid->n_columns = n_columns;
        *ret_grid = grid;
        return 0;
}

static void cells_clear(char *cells[static COLUMNS_MAX]) {
        for (size_t i = 0; i < COLUMNS_MAX; i++)
                free(cells[i]);
}

Grid *grid_free(Grid *grid) {
        if (!grid)
                return NULL;
        for (size_t i = 0; i < grid->n_rows; i++) {
                cells_clear(grid->rows[i].cells);
                free(grid->rows[i].line);
        }
        cells_clear(grid->cells);
        fclose(grid->out);
        free(grid->text);
        free(grid->rows);
        free(grid);
        return NULL;
}

/* ---- cells that are written */

/* A cell for which memory ran out stays NULL, which is found once all are added. */
static void end_cell(Grid *grid) {
        if (grid->writes && grid->n_cells < COLUMNS_MAX) {
                if (fflush(grid->out) == 0)
                        grid->cells[grid->n_cells] = strndup(grid->text + grid->begin, grid->n_text - grid->begin);
                grid->n_cells++;
        }
        grid->begin = grid->n_text;
        grid->writes = false;
}

FILE *grid_cell(Grid *grid) {
        end_cell(grid);
        grid->writes = true;
        return grid->out;
}

/* Moves the written cells into a new row, @n_least of them at least. */
static int grid_take(Grid *grid, size_t n_least, GridRow **ret_row) {
        GridRow *rows;

        while (grid->n_cells + grid->writes < n_least)
                grid_cell(grid);
        end_cell(grid);
        rows = reallocarray(grid->rows, grid->n_rows + 1, sizeof *rows);
        if (!rows)
                return error_origin(-ENOMEM);
        grid->rows = rows;
        *ret_row = &rows[grid->n_rows++];
        **ret_row = (GridRow){};
        memcpy((*ret_row)->cells, grid->cells, sizeof grid->cells);
        memset(grid->cells, 0, sizeof grid->cells);
        for (size_t i = 0; i < grid->n_cells; i++)
                if (!(*ret_row)->cells[i])
                        return error_origin(-ENOMEM);
        grid->n_cells = 0;
        return 0;
}

int grid_add_row(Grid *grid) {
        GridRow *row;

        return error_trace(grid_take(grid, grid->n_columns, &row));
}

int grid_add_titles(Grid *grid) {
        GridRow *row;
        int r;

        for (size_t i = 0; i < grid->n_columns; i++)
                fputs(grid->columns[i].title, grid_cell(grid));
        r = grid_take(grid, grid->n_columns, &row);
        if (r == 0)
                row->titles = true;
        return error_trace(r);
}

int grid_add(Grid *grid, const json_t *row, CellFootnotes *footnotes) {
        for (size_t i = grid->n_cells + grid->writes; i < grid->n_columns; i++)
                grid->columns[i].fill(grid->columns[i].path, row, grid->columns[i].times, footnotes, grid_cell(grid));
        return error_trace(grid_add_row(grid));
}

/* The cell at @index becomes the line. */
static int grid_take_line(Grid *grid, size_t index, GridStyle style, GridRow **ret_row) {
        int r;

        r = grid_take(grid, index + 1, ret_row);
        if (r)
                return error_trace(r);
        (*ret_row)->style = style;
        (*ret_row)->line = (*ret_row)->cells[index];
        (*ret_row)->cells[index] = NULL;
        return 0;
}

int grid_add_words(Grid *grid, GridStyle style) {
        GridRow *row;
        int r;

        r = grid_take_line(grid, 1, style, &row);
        if (r || *row->line)
                return error_trace(r);
        cells_clear(row->cells);
        free(row->line);
        grid->n_rows--;
        return 0;
}

int grid_add_line(Grid *grid, GridStyle style) {
        GridRow *row;

        return error_trace(grid_take_line(grid, 0, style, &row));
}

int grid_add_verbatim(Grid *grid, GridStyle style) {
        GridRow *row;
        int r;

        r = grid_take_line(grid, 0, style, &row);
        if (r == 0)
                row->verbatim = true;
        return error_trace(r);
}

/* ---- layout: the columns that are shown, and their widths */

#define GRID_FIRST_MIN   12u /* columns of the terminal that the first column keeps */
#define GRID_FIRST_SHARE 40u /* percent of the terminal: a longer one gives way before other columns leave */
#define GRID_GAP         2u
#define GRID_TEXT_MAX    512u
#define GRID_INDENT      4u
#define GRID_MARKDOWN    6u  /* the highest rank of a column in Markdown */
#define GRID_WORDS_MIN   30u /* ... and a row's words; with less room they begin on a line of their own */

typedef struct GridLayout {
        bool shown[COLUMNS_MAX];
        size_t widths[COLUMNS_MAX];
} GridLayout;

static size_t gap_before(const Grid *grid, size_t column) {
        return column == 0 ? 0 : grid->columns[column].gap > 0 ? grid->columns[column].gap : GRID_GAP;
}

static GridStyle style_of(const Column *column) {
        return column->flags & COLUMN_HEAD ? GRID_BOLD : column->flags & COLUMN_DIM ? GRID_DIM : GRID_PLAIN;
}

static bool is_dashed(const Column *column, const GridRow *row, const char *cell) {
        return (column->flags & COLUMN_DASH) && !row->titles && !*cell;
}

static size_t column_width(const Grid *grid, size_t column, bool *ret_filled) {
        size_t width = 0;

        *ret_filled = false;
        for (size_t i = 0; i < grid->n_rows; i++) {
                const GridRow *row = &grid->rows[i];
                const char *text = row->cells[column];
                size_t cell = text ? typeset_width(text) : 0;

                *ret_filled |= cell > 0 && !row->titles;
                width = cell > width ? cell : width;
        }
        return width;
}

static size_t layout_width(const Grid *grid, const GridLayout *layout) {
        size_t width = 0;

        for (size_t i = 0; i < grid->n_columns; i++)
                if (layout->shown[i])
                        width += gap_before(grid, i) + layout->widths[i];
        return width;
}

/* The width down to which column @i gives way before others leave, in a terminal of @terminal columns; 0: it does not. */
static size_t column_least(const Grid *grid, size_t i, size_t terminal) {
        const size_t share = GRID_FIRST_SHARE * terminal / 100;

        if (i > 0 || grid->columns[0].least > 0)
                return grid->columns[i].least;
        return share > GRID_FIRST_MIN ? share : GRID_FIRST_MIN;
}

/* The least width in a terminal of @terminal columns, once those columns gave way that can. */
static size_t layout_least(const Grid *grid, size_t terminal, const GridLayout *layout) {
        size_t width = layout_width(grid, layout);

        for (size_t i = 0; i < grid->n_columns; i++) {
                const size_t least = column_least(grid, i, terminal);

                if (layout->shown[i] && least > 0 && layout->widths[i] > least)
                        width -= layout->widths[i] - least;
        }
        return width;
}

/* The column that leaves first; 0 where all that are left stay. */
static size_t layout_next_to_leave(const Grid *grid, const GridLayout *layout) {
        size_t next = 0;

        for (size_t i = 1; i < grid->n_columns; i++)
                if (layout->shown[i] && grid->columns[i].rank > 0 &&
                                (next == 0 || grid->columns[i].rank >= grid->columns[next].rank))
                        next = i;
        return next;
}

/* The last columns give way first; the first one, of names, always does. */
static void layout_narrow(const Grid *grid, size_t width, GridLayout *layout) {
        for (size_t i = grid->n_columns; i-- > 0;) {
                const size_t least = i == 0 && grid->columns[0].least == 0 ? GRID_FIRST_MIN : grid->columns[i].least;
                const size_t whole = layout_width(grid, layout);

                if (layout->shown[i] && least > 0 && whole > width && layout->widths[i] > least)
                        layout->widths[i] -= whole - width < layout->widths[i] - least ? whole - width
                                                                                       : layout->widths[i] - least;
        }
}

static GridLayout layout_make(const Grid *grid, unsigned width) {
        GridLayout layout = {};
        size_t next;

        for (size_t i = 0; i < grid->n_columns; i++) {
                bool filled;

                layout.widths[i] = column_width(grid, i, &filled);
                layout.shown[i] = filled || !(grid->columns[i].flags & COLUMN_OPTIONAL);
        }
        while (width > 0 && layout_least(grid, width, &layout) > width && (next = layout_next_to_leave(grid, &layout)))
                layout.shown[next] = false;
        if (width > 0)
                layout_narrow(grid, width, &layout);
        return layout;
}

/* ---- printing */

void grid_print_styled(GridStyle style, bool color, const char *text, FILE *out) {
        bool styled = color && style != GRID_PLAIN;

        fprintf(out, "%s%s%s", styled ? style_sequences[style] : "", text, styled ? "\033[0m" : "");
}

/* Prints @cell in at most @width columns; returns how many it took. */
static size_t print_cell(const char *cell, size_t width, GridStyle style, bool color, FILE *out) {
        const bool styled = color && style != GRID_PLAIN;

        fputs(styled ? style_sequences[style] : "", out);
        width = typeset_print(cell, width, out);
        fputs(styled ? "\033[0m" : "", out);
        return width;
}

/* Prints @cell after @spaces, at @column; on separate lines if there is too little room. */
static void print_prose(const char *cell, size_t spaces, size_t column, size_t width, GridStyle style, bool color,
                FILE *out) {
        const bool styled = color && style != GRID_PLAIN;
        const bool below = width > 0 && width < column + GRID_WORDS_MIN && width < column + typeset_width(cell);
        const size_t begin = below ? GRID_INDENT : column;

        fprintf(out, "%s%*s%s", below ? "\n" : "", (int)(below ? GRID_INDENT : spaces), "",
                        styled ? style_sequences[style] : "");
        typeset_wrap(cell, begin, begin, width, out);
        fputs(styled ? "\033[0m" : "", out);
}

/* Words begin below the second column, or on the next line where too little room is left there. */
static void grid_print_line(const Grid *grid, const GridRow *row, const GridLayout *layout, const View *view,
                FILE *out) {
        const bool styled = view->color && row->style != GRID_PLAIN;
        size_t indent = strspn(row->line, " "), column = indent;

        if (row->cells[0]) {
                size_t taken = print_cell(row->cells[0], layout->widths[0], style_of(&grid->columns[0]), view->color,
                                out);

                indent = column = layout->widths[0] + gap_before(grid, 1);
                if (view->width > 0 && view->width < indent + GRID_WORDS_MIN)
                        fprintf(out, "\n%*s", (int)(indent = column = GRID_INDENT), "");
                else
                        fprintf(out, "%*s", (int)(indent - taken), "");
        } else
                fprintf(out, "%*s", (int)indent, "");
        fputs(styled ? style_sequences[row->style] : "", out);
        typeset_wrap(row->line, column, indent, view->width, out);
        fputs(styled ? "\033[0m" : "", out);
}

/* Spaces are held back until something follows them, so that no line ends in one. */
static void grid_print_row(const Grid *grid, const GridRow *row, const GridLayout *layout, const View *view,
                FILE *out) {
        size_t spaces = 0, position = 0; /* of the terminal */

        for (size_t i = 0; i < grid->n_columns; i++) {
                const Column *column = &grid->columns[i];
                const char *cell = is_dashed(column, row, row->cells[i]) ? DASH : row->cells[i];
                const GridStyle style = row->titles ? GRID_DIM : style_of(column);
                const bool left = column->flags & COLUMN_LEFT;
                size_t width = typeset_width(cell), padding;

                if (!layout->shown[i])
                        continue;
                padding = layout->widths[i] > width ? layout->widths[i] - width : 0;
                spaces += gap_before(grid, i) + (left ? 0 : padding);
                if (*cell) {
                        if (column->flags & COLUMN_PROSE)
                                print_prose(cell, spaces, position + gap_before(grid, i), view->width, style,
                                                view->color, out);
                        else {
                                fprintf(out, "%*s", (int)spaces, "");
                                print_cell(cell, layout->widths[i], style, view->color, out);
                        }
                        spaces = 0;
                }
                spaces += left ? padding : 0;
                position += gap_before(grid, i) + layout->widths[i];
        }
}

/* Prints the cells of @row for which it has no room, if they must not be lost. */
static void grid_print_below(const Grid *grid, const GridRow *row, const GridLayout *layout, const View *view,
                FILE *out) {
        for (size_t i = 0; i < grid->n_columns; i++) {
                if (layout->shown[i] || row->titles || !(grid->columns[i].flags & COLUMN_BELOW) || !*row->cells[i])
                        continue;
                fprintf(out, "\n%*s", (int)GRID_INDENT, "");
                typeset_wrap(row->cells[i], GRID_INDENT, GRID_INDENT, view->width, out);
        }
}

/* True if column @i has left, and with it what it holds. */
static bool has_left(const Grid *grid, const GridLayout *layout, size_t i) {
        bool filled;

        column_width(grid, i, &filled);
        return !layout->shown[i] && filled && !(grid->columns[i].flags & COLUMN_BELOW);
}

static void grid_print_left_out(const Grid *grid, const GridLayout *layout, const View *view, unsigned rank_told,
                FILE *out) {
        char text[GRID_TEXT_MAX] = "";
        const char *last = "";
        size_t n = 0;
        bool more = false;

        for (size_t i = 0; i < grid->n_columns && n < sizeof text; i++) {
                const Column *column = &grid->columns[i];
                const bool left = has_left(grid, layout, i), told = column->rank <= rank_told || !*column->title;
                const char *title = *column->title ? column->title : column->name;

                more |= left && !told;
                if (!left || !told || strcmp(title, last) == 0)
                        continue;
                n += snprintf(text + n, sizeof text - n, "%s%s", n > 0 ? ", " : "(no room for ", title);
                last = title;
        }
        if (n == 0 || n >= sizeof text)
                return;
        snprintf(text + n, sizeof text - n, "%s: --format=details)", more ? " and more" : "");
        fputs(view->color ? style_sequences[GRID_DIM] : "", out);
        typeset_wrap(text, 0, 1, view->width, out);
        fputs(view->color ? "\033[0m\n" : "\n", out);
}

/* ---- as Markdown, where a line across all columns goes into the first cell */

static void markdown_print_cell(const char *text, const char *mark, FILE *out) {
        const size_t begin = strspn(text, " ");
        size_t n = strlen(text);

        while (n > begin && text[n - 1] == ' ')
                n--;
        mark = n > begin ? mark : "";
        fprintf(out, "| %s", mark);
        markdown_print(text + begin, n - begin, out);
        fprintf(out, n > begin ? "%s " : "%s", mark);
}

/* A heading is bold and any other line a remark; the words of a row go into the last column if that is a text column. */
static void markdown_print_line(const Grid *grid, const GridRow *row, const GridLayout *layout, FILE *out) {
        size_t last = grid->n_columns - 1, words = 1;

        while (last > 1 && !layout->shown[last])
                last--;
        words = grid->columns[last].flags & COLUMN_LEFT ? last : words;
        for (size_t i = 0; i < grid->n_columns; i++) {
                if (!layout->shown[i])
                        continue;
                if (i == 0 && !row->cells[0])
                        markdown_print_cell(row->line, row->style == GRID_BOLD ? "**" : "*", out);
                else if (i == 0)
                        markdown_print_cell(row->cells[0], "", out);
                else
                        markdown_print_cell(row->cells[0] && i == words ? row->line : "", "", out);
        }
        fputs("|\n", out);
}

static void markdown_print_row(const Grid *grid, const GridRow *row, const GridLayout *layout, FILE *out) {
        for (size_t i = 0; i < grid->n_columns; i++)
                if (layout->shown[i])
                        markdown_print_cell(is_dashed(&grid->columns[i], row, row->cells[i]) ? DASH : row->cells[i], "",
                                        out);
        fputs("|\n", out);
}

static void markdown_print_titles(const Grid *grid, const GridLayout *layout, FILE *out) {
        for (size_t i = 0; i < grid->n_columns; i++)
                if (layout->shown[i])
                        markdown_print_cell(grid->columns[i].title, "", out);
        fputs("|\n", out);
        for (size_t i = 0; i < grid->n_columns; i++)
                if (layout->shown[i])
                        fputs(grid->columns[i].flags & COLUMN_LEFT ? "| :-- " : "| --: ", out);
        fputs("|\n", out);
}

/* Columns that a narrow terminal drops silently are left out here, too. */
static void grid_print_markdown(const Grid *grid, unsigned rank_told, FILE *out) {
        GridLayout layout = layout_make(grid, 0);

        for (size_t i = 1; rank_told > 0 && i < grid->n_columns; i++)
                layout.shown[i] &= grid->columns[i].rank <= GRID_MARKDOWN;
        markdown_print_titles(grid, &layout, out);
        for (size_t i = 0; i < grid->n_rows; i++) {
                const GridRow *row = &grid->rows[i];

                if (row->line && (row->cells[0] || *row->line))
                        markdown_print_line(grid, row, &layout, out);
                else if (!row->line && !row->titles)
                        markdown_print_row(grid, row, &layout, out);
        }
}

/* ---- the whole */

void grid_print(const Grid *grid, const View *view, unsigned rank_told, FILE *out) {
        const GridLayout layout = layout_make(grid, view->width);

        if (view->markdown) {
                grid_print_markdown(grid, rank_told, out);
                return;
        }
        for (size_t i = 0; i < grid->n_rows; i++) {
                const GridRow *row = &grid->rows[i];

                if (row->verbatim)
                        grid_print_styled(row->style, view->color, row->line, out);
                else if (row->line)
                        grid_print_line(grid, row, &layout, view, out);
                else {
                        grid_print_row(grid, row, &layout, view, out);
                        grid_print_below(grid, row, &layout, view, out);
                }
                fputc('\n', out);
        }
        grid_print_left_out(grid, &layout, view, rank_told, out);
}

/* ---- below the grid */

void grid_print_footnotes(const CellFootnotes *footnotes, const View *view, FILE *out) {
        for (size_t i = 0; i < footnotes->n; i++) {
                size_t indent = fprintf(out, "(%zu) ", i + 1);

                typeset_wrap(footnotes->texts[i], indent, indent, view->width, out);
                fputc('\n', out);
        }
}
