/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The benchmark that counts as 1.0, for --scale and for every table of a run with a reference. The daemon measures and stores times;
 * scaling affects only their display (times.h). Pure.
 */

#include <stdio.h>

typedef struct Times Times;
typedef struct json_t json_t;

enum {
        _SCALE_E_SUCCESS,

        SCALE_E_NONE,    /* no such benchmark has a time above zero */
        SCALE_E_SEVERAL, /* several benchmarks have that name */
};

/*
 * Sets @times to show the times of @result, its empty loop and its machines as multiples of the headline of the benchmark @name: "name" or
 * "area/name", each optionally with "/arg=value". An empty name means the reference marked by the run or its module; NULL means the run's
 * reference, if it has one. Returns 0, E_NONE or E_SEVERAL (neither with NULL, which may leave @times unchanged), or a negative errno.
 */
int scale_find(Times *times, const json_t *result, const char *name);

/* Prints the line that names the yardstick, between @before and @after; nothing if there is none. */
void scale_print(const Times *times, const char *before, const char *after, FILE *out);
