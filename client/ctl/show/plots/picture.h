/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Picture: a drawing as data, in values rather than places. Two backends draw it: characters (plots/canvas.h) and SVG (plots/svg.h). Pure.
 *
 * With an axis y, shapes lie in the plane of both axes. Otherwise they lie in rows over the axis x, which the character backend stacks, and
 * SVG draws separately or on top of each other. Each backend merges shapes at its own resolution and omits what is too fine for it: the
 * character backend draws areas, rules and reaches only in rows.
 */

#include <stdbool.h>
#include <stddef.h>

#include "ctl/show/grid.h"
#include "ctl/show/plots/axis.h"
#include "ctl/show/plots/samples.h"

typedef struct json_t json_t;

/* The look of a kind of shapes. */
typedef struct PictureLook {
        const char *class; /* of CSS */
        const char *glyph;
        GridStyle style;
        bool has_ends; /* its reach in characters is ├─┤ */
        bool counted;  /* several at one place are shown as a digit */
        bool ringed;   /* a ring of the background colour separates it from others */
        bool hollow;
        double length; /* of its stroke in pixels; 0: a dot */
} PictureLook;

/* Looks of processes and runs. */
extern const PictureLook picture_look_median, picture_look_point, picture_look_interval, picture_look_headline,
                picture_look_whisker, picture_look_fit, picture_look_mode, picture_look_mode_between;

/* Looks of ratios. */
extern const PictureLook picture_look_margin, picture_look_one;

/* The look of samples of @class. */
const PictureLook *picture_look_of_class(MarkClass class);

/* Each kind is drawn over the kinds before it. */
typedef enum PictureShapeKind {
        SHAPE_BIN,   /* @y values between two values of x; rows only */
        SHAPE_AREA,  /* the area between two values */
        SHAPE_RULE,  /* a line across at one value */
        SHAPE_CURVE, /* the next point of a line */
        SHAPE_REACH, /* a stroke from one point to another */
        SHAPE_DOT,
        _SHAPE_KINDS_N,
} PictureShapeKind;

typedef struct PictureShape {
        PictureShapeKind kind;
        const PictureLook *look;
        size_t row;
        double x, to_x; /* NAN: the whole axis */
        double y, to_y;
        const char *label; /* NULL: none; the picture's own copy */
} PictureShape;

typedef struct PictureRow {
        const char *label; /* the picture's own copy */
        double count;      /* of things in it; NAN: not shown */
        size_t n_lines;    /* in characters */
        const PictureLook *look;
        bool of_class; /* bars of the samples of @class */
        MarkClass class;
        uint32_t mark;    /* bars for the share of samples with this mark; 0: none */
        const char *tail; /* a word after it; NULL: none. Borrowed */
} PictureRow;

typedef struct Picture {
        const char *name; /* of the axis x; NULL: none. Borrowed */
        Axis x, y;
        bool is_named;               /* labels of rows are names: their column is as wide as they need */
        size_t n_lines;              /* of the plane, in characters */
        const PlotSamples *samples;  /* in the plane, and in rows; NULL: none. Borrowed */
        const PlotSamples *sides[2]; /* instead, of an old and a new side; NULL: there are none. Borrowed */
        PictureRow *rows;
        size_t n_rows;
        PictureShape *shapes;
        size_t n_shapes;
        PictureRow no_row; /* a dummy to fill in if memory ran out */
        bool failed;       /* memory ran out */
} Picture;

void picture_clear(Picture *picture);

/* Adds a row of one line with a copy of @label; @count NAN: not shown. The caller may set more fields. Shapes added next belong to it. */
PictureRow *picture_add_row(Picture *picture, const char *label, double count);

/*
 * Add shapes, with a copy of @label unless NULL. A shape with a NAN value, or a value not on its axis, is omitted. In a row, y is
 * ROW_MIDDLE.
 */
#define ROW_MIDDLE 0.5
void picture_add_dot(Picture *picture, const PictureLook *look, double x, double y, const char *label);
void picture_add_curve(Picture *picture, const PictureLook *look, double x, double y);
void picture_add_reach(Picture *picture, const PictureLook *look, double x, double to_x, double y, double to_y);
void picture_add_area(Picture *picture, const PictureLook *look, bool of_y, double from, double to);
void picture_add_rule(Picture *picture, const PictureLook *look, bool of_y, double at, const char *label);

/* Fits the ends of @axis, one of the two, to everything on it, with a margin if it is logarithmic. */
void picture_fit(Picture *picture, Axis *axis);

/* Returns 0, or -ENOMEM if the picture is incomplete. */
int picture_finish(const Picture *picture);

/* ---- pictures of a result */

/* The samples of @benchmark over time, with the medians, the headline and its interval. @range is for the axis of times. */
void picture_course(const json_t *benchmark, const PlotSamples *samples, const SamplesRange *range, Picture *picture);

/*
 * The distribution of the samples by class, or without samples the result's histogram; with modes, medians, and the
 * interval.
 */
void picture_distribution(const json_t *benchmark, const PlotSamples *samples, const SamplesRange *range,
                Picture *picture);

/*
 * Both sides of @pair, each with its samples: the medians of their processes beside each other, with their headlines and intervals; and their
 * distributions as two rows. The axis of times is logarithmic if the sides are far apart.
 */
void picture_pair_course(const json_t *pair, const PlotSamples sides[static 2], const SamplesRange *range,
                Picture *picture);
void picture_pair_distribution(const json_t *pair, const PlotSamples sides[static 2], const SamplesRange *range,
                Picture *picture);

/* The times of the benchmark of @sweep over its sizes, and the fit, in @unit or NULL. Returns the number of times. */
size_t picture_sweep(const json_t *result, const json_t *sweep, const AmountTimeUnit *unit, Picture *picture);

/* The intervals of the ratios of the comparison @result, with the margin, one row each. */
void picture_ratios(const json_t *result, Picture *picture);
