/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The drawing of one benchmark, all of it on one axis of times: on the left its processes in their order, each with its samples over time,
 * by cause, and its median as a dot, over the interval of the headline; on the right the distribution of the samples, the classes apart,
 * with its modes. A result without samples has the dots, and the histogram of the headline's samples.
 */

#include <stdio.h>

typedef struct json_t json_t;

/* The times that a drawing shows. Beyond low and high they are told by strips of their own, up to the extremes. */
typedef struct FigureRange {
        double low, high;
        double least, most; /* extremes; inside or beyond the two */
} FigureRange;

enum {
        _FIGURE_E_SUCCESS,

        FIGURE_E_NOTHING, /* there is no time to draw */
};

/* The range of @benchmark, whose times_ns count units of @unit_ns. Returns 0, E_NOTHING, or a negative errno. */
int figure_range(const json_t *benchmark, double unit_ns, FigureRange *ret_range);

/* A range that holds both. */
FigureRange figure_range_join(const FigureRange *a, const FigureRange *b);

/* Prints the drawing, with a caption that counts its samples. @id is unique on the page. Returns 0 or a negative errno. */
int figure_print(const char *id, const json_t *benchmark, double unit_ns, const FigureRange *range, FILE *out);
