/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The benchmark that is 1.0, for --scale, and for every table of a run that had a reference. The daemon measures and keeps times; scaling only
 * shows them (times.h). Pure.
 */

#include <stdio.h>

typedef struct Times Times;
typedef struct json_t json_t;

enum {
        _SCALE_E_SUCCESS,

        SCALE_E_NONE,    /* no such benchmark has a time above zero */
        SCALE_E_SEVERAL, /* several benchmarks go by that name */
};

/*
 * Makes the times of @result, of its empty loop and of its machines multiples of the headline of the benchmark called @name: "name" or
 * "area/name", each also with "/arg=value". An empty name means the reference that the run or its module marks. With NULL, times are
 * multiples of the reference of a run that had one. Returns 0, E_NONE or E_SEVERAL (neither with NULL; @times is then as before), or a negative errno.
 */
int scale_find(Times *times, const json_t *result, const char *name);

/* Prints the line that names the yardstick, between @before and @after; nothing without one. */
void scale_print(const Times *times, const char *before, const char *after, FILE *out);
