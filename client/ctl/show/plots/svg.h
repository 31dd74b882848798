/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Pictures in SVG, for a page: with words that stand for them where nobody sees them.
 *
 * A drawing is as wide as its place on the page and has a height in pixels. Shapes are in a field that is SVG_WIDTH units wide however wide it
 * is shown; strokes and dots keep their size. Text stands outside of it at percentages, and so is never stretched.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "ctl/show/plots/axis.h"

#define SVG_WIDTH      1000.0
#define SVG_ROW_HEIGHT 26.0

typedef struct Picture Picture;
typedef struct PlotSamples PlotSamples;
typedef struct json_t json_t;

/* The height of a drawing as an axis of values. Beyond an axis of times are strips with scales of their own, up to the extremes. */
typedef struct SvgHeight {
        Axis axis;          /* its places are pixels from the top */
        Axis above, below;  /* AXIS_NONE: there is no such strip */
        double least, most; /* of the samples */
        double height;
} SvgHeight;

/* The height that @axis has in a drawing of @height pixels, over the samples too, if there are any. */
SvgHeight svg_height(const Axis *axis, const PlotSamples *samples, double height);

/*
 * Begins a drawing of class @class: its @title and the sentence @description are those of the SVG, under ids that begin with @id,
 * which is unique on the page.
 */
void svg_begin(const char *id, const char *class, double height, const char *title, const char *description, FILE *out);
void svg_end(FILE *out);

/* Prints the plane of @picture as a panel of class @class; @x and @width are in percent. Returns 0 or a negative errno. */
int svg_plane(const Picture *picture, const SvgHeight *height, const char *class, double x, double width, FILE *out);

/* Prints the rows of @picture over each other, its axis x upright beside that of another panel. */
int svg_upright(const Picture *picture, const SvgHeight *height, const char *class, double x, double width, FILE *out);

/* Prints the row at @index as a drawing of its own, for eyes only, and the ticks of all rows as a line of text, @gap units apart. */
void svg_row(const Picture *picture, size_t index, FILE *out);
void svg_scale(const Picture *picture, double gap, FILE *out);

/* Prints @counts, an array of numbers, as a small drawing of bars; nothing where there are none. */
void svg_spark(const json_t *counts, FILE *out);
