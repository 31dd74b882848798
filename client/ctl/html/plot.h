/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Drawings in SVG: axes, paths of few bytes, and the frame of a drawing with the words that stand for it where
 * nobody sees it.
 *
 * A drawing is as wide as its place on the page and has a height in pixels. Marks are in panels, whose own width is PLOT_WIDTH units
 * however wide they are shown; strokes and dots keep their size. Text stands outside of them at percentages, and so is never stretched.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "ctl/axis.h"

#define PLOT_WIDTH 1000.0

typedef struct PlotAxis {
        double low, high; /* the values at its ends */
        double from, to;  /* the ends in the drawing */
        bool log;
        const TimeUnit *unit; /* of times; NULL: the one that suits them */
} PlotAxis;

/* The place of @value, which may lie beyond the ends. */
double plot_place(const PlotAxis *axis, double value);

/* Ticks by one of the functions of axis.h, @gap units of the drawing or more apart; none of an axis that has no length. */
typedef void (*PlotTicks)(const Axis *axis, size_t gap, AxisTicks *ret_ticks);
void plot_ticks(const PlotAxis *axis, PlotTicks ticks, size_t gap, AxisTicks *ret_ticks);

/* The place in percent of an axis from 0 to PLOT_WIDTH, of its end where @value lies beyond. */
double plot_percent(const PlotAxis *axis, double value);

/* Prints the ticks of such an axis as a line of text, for the head of a column of drawings. */
void plot_print_scale(const PlotAxis *axis, PlotTicks ticks, size_t gap, FILE *out);

/* Widens a linear axis by @share of its length at both ends; one of no length by a share of its value. */
void plot_axis_widen(PlotAxis *axis, double share);

/*
 * Begins a drawing of class @class: its @title and the sentence @description are those of the SVG, under ids that begin with @id,
 * which is unique on the page.
 */
void plot_begin(const char *id, const char *class, double height, const char *title, const char *description,
                FILE *out);
void plot_end(FILE *out);

/* A panel of class @class; @x and @width are in percent. */
void plot_panel_begin(const char *class, double x, double width, double height, FILE *out);
void plot_panel_end(FILE *out);

/* The field for marks within a panel, in units of PLOT_WIDTH by @height. */
void plot_field_begin(double height, FILE *out);
void plot_field_end(FILE *out);

/* A path under way, of whole units but for lines, each step from the place before it; of one kind of marks. */
typedef struct PlotPath {
        FILE *out;
        long x, y;
        size_t n; /* of marks; 0: nothing was printed */
        const char *class;
        const char *title; /* on hovering; NULL: none */
} PlotPath;

/* A dot at @x and @y; @length makes a stroke of it, downwards. */
void plot_path_dot(PlotPath *path, double x, double y, double length);

/* A line across the panel. */
void plot_path_across(PlotPath *path, double y);

/* A rectangle, which is filled. */
void plot_path_bar(PlotPath *path, double x, double y, double width, double height);

/* A point of a line. */
void plot_path_line(PlotPath *path, double x, double y);

/* Ends the path, if it was begun. */
void plot_path_end(PlotPath *path);
