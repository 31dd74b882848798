/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/show/plots/canvas.h"

#include <stdlib.h>
#include <string.h>

#include "ctl/base/typeset.h"
#include "ctl/model/view.h"
#include "util/cleanup.h"
#include "util/error.h"

#define CELL_BYTES 5u /* of the longest character, with an end */

typedef struct Cell {
        char text[CELL_BYTES]; /* empty: a blank */
        GridStyle style;
} Cell;

struct Canvas {
        size_t width;
        size_t height;
        Cell *cells;
};

int canvas_new(size_t width, size_t height, Canvas **ret_canvas) {
        _cleanup_(canvas_freep) Canvas *canvas = calloc(1, sizeof *canvas);

        if (!canvas)
                return error_origin(-ENOMEM);
        canvas->cells = calloc(width * height + 1, sizeof *canvas->cells);
        if (!canvas->cells)
                return error_origin(-ENOMEM);
        canvas->width = width;
        canvas->height = height;
        *ret_canvas = take_pointer(canvas);
        return 0;
}

Canvas *canvas_free(Canvas *canvas) {
        if (!canvas)
                return NULL;
        free(canvas->cells);
        free(canvas);
        return NULL;
}

/* The bytes of the first character of @text, at most as many as a cell has. */
static size_t character_bytes(const char *text) {
        size_t n = *text != '\0';

        while (n > 0 && n < CELL_BYTES - 1 && ((unsigned char)text[n] & 0xc0) == 0x80)
                n++;
        return n;
}

void canvas_put(Canvas *canvas, long x, long y, GridStyle style, const char *text) {
        const size_t n = character_bytes(text);
        Cell *cell;

        if (x < 0 || y < 0 || (size_t)x >= canvas->width || (size_t)y >= canvas->height)
                return;
        cell = &canvas->cells[(size_t)y * canvas->width + (size_t)x];
        *cell = (Cell){ .style = style };
        if (*text != ' ')
                memcpy(cell->text, text, n);
}

void canvas_write(Canvas *canvas, long x, long y, GridStyle style, const char *text) {
        for (; *text; text += character_bytes(text))
                canvas_put(canvas, x++, y, style, text);
}

void canvas_write_before(Canvas *canvas, long x, long y, GridStyle style, const char *text) {
        canvas_write(canvas, x - (long)typeset_width(text), y, style, text);
}

/* ---- printing */

static size_t line_width(const Cell *line, size_t width) {
        while (width > 0 && !*line[width - 1].text)
                width--;
        return width;
}

/* The characters of one style from the first on. */
static size_t run_length(const Cell *cells, size_t n) {
        size_t length = 1;

        while (length < n && cells[length].style == cells[0].style)
                length++;
        return length;
}

static void print_run(const Cell *cells, size_t n, const View *view, FILE *out) {
        char text[256] = "";
        size_t n_text = 0;

        for (size_t i = 0; i < n; i++) {
                if (n_text + CELL_BYTES > sizeof text) {
                        grid_print_styled(cells->style, view->color, text, out);
                        n_text = 0;
                }
                n_text += snprintf(text + n_text, sizeof text - n_text, "%s", *cells[i].text ? cells[i].text : " ");
        }
        grid_print_styled(cells->style, view->color, text, out);
}

static size_t lines_used(const Canvas *canvas) {
        size_t n = canvas->height;

        while (n > 0 && line_width(canvas->cells + (n - 1) * canvas->width, canvas->width) == 0)
                n--;
        return n;
}

void canvas_print(const Canvas *canvas, const View *view, FILE *out) {
        const size_t n_lines = lines_used(canvas);

        for (size_t y = 0; y < n_lines; y++) {
                const Cell *line = canvas->cells + y * canvas->width;
                const size_t width = line_width(line, canvas->width);

                for (size_t x = 0, n; x < width; x += n) {
                        n = run_length(line + x, width - x);
                        print_run(line + x, n, view, out);
                }
                fputc('\n', out);
        }
}
