/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Order statistics of several sorted sequences together, without merging them: the middle of the longest is counted in all of
 * them, and the values on the wrong side of it are out.
 */

#include <stdbool.h>
#include <stddef.h>

/* A sequence in rising order: the values of a run, or how far a part of them lies from a centre. */
typedef struct View {
        const double *first;
        ptrdiff_t step; /* 1, or -1: from the last to the first */
        double center;
        size_t n;
        size_t from, to; /* the selected value is in this part still */
} View;

typedef struct Views {
        View *views;
        size_t n;
        size_t n_values;
} Views;

/* The number of values under @value, or, with @or_equal, not over it. */
size_t views_count(const Views *views, double value, bool or_equal);

/* The value of @rank, from 0, of all views together. */
double views_select(Views *views, size_t rank);

/* The quantile at @p, of type 7, of one value or more. */
double views_quantile(Views *views, double p);

/* Turns each view of values into two of how far they lie from @center; there is room for as many again. */
void views_center(Views *views, double center);
