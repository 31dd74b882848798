/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Times as multiples of one benchmark's: for --scale, and for every table of a run that had a reference. The daemon measures and keeps
 * times; scaling only shows them. The interval of a multiple has the errors of both times: half of it, of logs, is the root of the sum of
 * the squares of theirs. The yardstick itself is 1 without an error. Pure.
 */

#include <stdio.h>

typedef struct json_t json_t;

enum {
        _SCALE_E_SUCCESS,

        SCALE_E_NONE,    /* no such benchmark has a time above zero; nothing was scaled */
        SCALE_E_SEVERAL, /* several benchmarks go by that name; nothing was scaled */
};

/*
 * Divides the times of all benchmarks of @result, and of its empty loop, by the headline of the one called @name: "name" or "area/name",
 * each also with "/arg=value". An empty name means the reference that the run or its module marks. With NULL, times are scaled to the
 * reference of a run that had one. The field "scaled" marks each benchmark, "reference" the one that is 1.0, and "scale" the result.
 * Returns 0, E_NONE or E_SEVERAL (neither with NULL), or a negative errno.
 */
int scale_apply(json_t *result, const char *name);

/* Prints the line of a scaled @result that names its unit, between @before and @after; of any other nothing. */
void scale_print(const json_t *result, const char *before, const char *after, FILE *out);
