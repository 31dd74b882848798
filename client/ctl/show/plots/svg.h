/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Pictures in SVG, for a page, with alternative text for screen readers.
 *
 * A drawing is as wide as its place on the page and has a height in pixels. Shapes are in a field of SVG_WIDTH units, at any display width;
 * strokes and dots keep their size. Text lies outside of the field at percentages, and so is never stretched.
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

/* The height of a drawing as an axis of values. Beyond an axis of times there are strips with separate scales, up to the extremes. */
typedef struct SvgHeight {
        Axis axis;               /* its places are pixels from the top */
        Axis above, below;       /* AXIS_NONE: no such strip */
        double least, most;      /* of the samples */
        size_t n_below, n_above; /* of them, beyond the axis */
        double height;
} SvgHeight;

/* The height of the axis y of @picture in a drawing of @height pixels, including its samples, if any. */
SvgHeight svg_height(const Picture *picture, double height);

/*
 * Begins a drawing of @class with the SVG's @title and @description (a sentence), under ids that begin with @id, which must be unique on
 * the page.
 */
void svg_begin(const char *id, const char *class, double height, const char *title, const char *description, FILE *out);
void svg_end(FILE *out);

/* Prints the plane of @picture as a panel of class @class; @x and @width are in percent. Returns 0 or a negative errno. */
int svg_plane(const Picture *picture, const SvgHeight *height, const char *class, double x, double width, FILE *out);

/* Prints the rows of @picture on top of each other, its axis x vertical beside another panel's. */
int svg_upright(const Picture *picture, const SvgHeight *height, const char *class, double x, double width, FILE *out);

/* Prints the samples of both sides of @picture, or the bins of its first two rows, as bars to the left and to the right of the middle. */
void svg_mirrored(const Picture *picture, const SvgHeight *height, const char *class, double x, double width,
                FILE *out);

/*
 * Print the row at @index as a separate drawing, hidden from screen readers; and the ticks of all rows as a line of text, @gap units apart.
 */
void svg_row(const Picture *picture, size_t index, FILE *out);
void svg_scale(const Picture *picture, double gap, FILE *out);

/* Prints @counts, an array of numbers, as a small drawing of bars; nothing if it is empty. */
void svg_spark(const json_t *counts, FILE *out);
