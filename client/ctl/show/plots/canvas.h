/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Canvas: a picture of characters, each with a place and a style, drawn in any order and printed line by line. A code point takes one
 * place. Characters outside of it are dropped.
 */

#include <stddef.h>
#include <stdio.h>

#include "ctl/show/grid.h"
#include "util/cleanup.h"

typedef struct Canvas Canvas;
typedef struct View View;

int canvas_new(size_t width, size_t height, Canvas **ret_canvas);
Canvas *canvas_free(Canvas *canvas);
DEFINE_CLEANUP(Canvas *, canvas_free)

/* Puts the first character of @text into the column @x of the line @y. */
void canvas_put(Canvas *canvas, long x, long y, GridStyle style, const char *text);

/* Puts @text there, from @x on, as far as there is room. */
void canvas_write(Canvas *canvas, long x, long y, GridStyle style, const char *text);

/* Puts @text there so that it ends before @x. */
void canvas_write_before(Canvas *canvas, long x, long y, GridStyle style, const char *text);

/* Prints its lines without trailing blanks, up to the last non-empty one. */
void canvas_print(const Canvas *canvas, const View *view, FILE *out);
