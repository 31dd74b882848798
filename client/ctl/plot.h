/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Pictures of a result, each from JSON to text and in a source of its own. Each has its words in a column on the left, an axis in units
 * below, and fits the view. benchctl(1), THE PICTURES, explains them. Pure.
 */

#include <stdbool.h>
#include <stdio.h>

#include "ctl/axis.h"
#include "ctl/canvas.h"
#include "ctl/plot-samples.h"

#define PLOT_LABELS     20u /* columns of the words; the next is the axis */
#define PLOT_TICK_GAP   12u
#define PLOT_PLACES_MIN 16u

typedef struct View View;

/* The words, marks and colours of each class of samples. */
typedef struct PlotClass {
        const char *word;
        const char *glyph; /* of a sample */
        GridStyle style;
} PlotClass;

const PlotClass *plot_class(MarkClass class);

/* The width of a picture, and the places on its axis. */
size_t plot_width(const View *view);
size_t plot_places(const View *view);

/* Draws an axis on line @y, from the column of the words on, and the texts of its @ticks on the next line. */
void plot_draw_axis(Canvas *canvas, long y, size_t width, const Axis *axis, const AxisTicks *ticks);

/* Writes @word on line @y, and before the axis the @count. */
void plot_draw_label(Canvas *canvas, long y, const char *word, double count);

/* The bar of a share of one line: a blank for 0. */
const char *plot_bar(double share);

/*
 * Prints the distribution of @benchmark's samples by class, its processes' medians, its interval and modes. Without samples the histogram of
 * the result stands for them. Returns 0 or a negative errno, as each of these.
 */
int plot_distribution(const json_t *benchmark, const PlotSamples *samples, const Axis *axis, const View *view,
                FILE *out);

/* Prints the samples over time, and what disturbed them when. */
int plot_course(const PlotSamples *samples, const Axis *axis, const View *view, FILE *out);

/* Prints the intervals of the ratios of the comparison @result beside their margin. */
int plot_comparison(const json_t *result, const View *view, FILE *out);

/* Prints the times of the benchmark of the sweep @sweep over its sizes, and the fit. */
int plot_sweep(const json_t *result, const json_t *sweep, const View *view, FILE *out);
