/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Picture: a drawing as data, in values and not in places. Two backends show it: characters (plots/canvas.h) and SVG (plots/svg.h). Pure.
 *
 * With an axis y shapes lie in the plane of both axes. Otherwise they lie in rows over the axis x, which characters set below each other,
 * and SVG shows each by itself or all over each other. Each backend counts and joins as finely as it can show, and leaves out what is too fine
 * for it: characters show areas, rules and reaches in rows only.
 */

#include <stdbool.h>
#include <stddef.h>

#include "ctl/show/grid.h"
#include "ctl/show/plots/axis.h"
#include "ctl/show/plots/samples.h"

typedef struct json_t json_t;

/* How a kind of shapes looks. */
typedef struct PictureLook {
        const char *class; /* of CSS */
        const char *glyph;
        GridStyle style;
        bool has_ends; /* its reach in characters is ├─┤ */
        bool counted;  /* several at one place are a digit */
        bool ringed;   /* a ring of the ground's colour parts it from others */
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

/* Each kind lies over those before it. */
typedef enum PictureShapeKind {
        SHAPE_BIN,   /* as many values as @y between two of x; rows only */
        SHAPE_AREA,  /* all between two values */
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
        double count;      /* of things in it; NAN: not told */
        size_t n_lines;    /* in characters */
        const PictureLook *look;
        bool of_class; /* bars of the samples of @class */
        MarkClass class;
        uint32_t mark;    /* bars of the share of the samples that have it; 0: none */
        const char *tail; /* a word behind it; NULL: none. Borrowed */
} PictureRow;

typedef struct Picture {
        const char *name; /* of the axis x; NULL: none. Borrowed */
        Axis x, y;
        bool is_named;              /* labels of rows are names, as long as they are */
        size_t n_lines;             /* of the plane, in characters */
        const PlotSamples *samples; /* in the plane, and in rows; NULL: none. Borrowed */
        PictureRow *rows;
        size_t n_rows;
        PictureShape *shapes;
        size_t n_shapes;
        char **texts; /* of an axis x of an order, in place of numbers; NULL: none */
        size_t n_texts;
        PictureRow no_row; /* that is filled in where there is no memory for one */
        bool failed;       /* memory ran out while it was made */
} Picture;

void picture_clear(Picture *picture);

/*
 * Adds a row of one line with a copy of @label; @count is NAN where none is told. The caller may fill in what more it is. Shapes that are
 * added after it are in it.
 */
PictureRow *picture_add_row(Picture *picture, const char *label, double count);

/*
 * Add shapes, with a copy of @label, if it is not NULL. A shape with a value that is NAN, or that its axis does not have, is left out. In a row
 * y is ROW_MIDDLE.
 */
#define ROW_MIDDLE 0.5
void picture_add_dot(Picture *picture, const PictureLook *look, double x, double y, const char *label);
void picture_add_curve(Picture *picture, const PictureLook *look, double x, double y);
void picture_add_reach(Picture *picture, const PictureLook *look, double x, double to_x, double y, double to_y);
void picture_add_area(Picture *picture, const PictureLook *look, bool of_y, double from, double to);
void picture_add_rule(Picture *picture, const PictureLook *look, bool of_y, double at, const char *label);

/* Sets the ends of @axis, one of the two, to all that there is on it, a logarithmic one with some room beside. */
void picture_fit(Picture *picture, Axis *axis);

/* Returns 0, or -ENOMEM where it is not whole. */
int picture_finish(const Picture *picture);

/* ---- pictures of a result */

/* The samples of @benchmark over time, with the medians, the headline and its interval. @range is that of the axis of times. */
void picture_course(const json_t *benchmark, const PlotSamples *samples, const SamplesRange *range, Picture *picture);

/* Their distribution by class, or without samples the histogram of the result; modes, medians, and the interval. */
void picture_distribution(const json_t *benchmark, const PlotSamples *samples, const SamplesRange *range,
                Picture *picture);

/* The times of the benchmark of the sweep @sweep over its sizes, and the fit, in @unit or NULL. Returns how many there are. */
size_t picture_sweep(const json_t *result, const json_t *sweep, const AmountTimeUnit *unit, Picture *picture);

/* The intervals of the ratios of the comparison @result beside their margin, a row each. */
void picture_ratios(const json_t *result, Picture *picture);
