/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Two results side by side, of two machines or two days: the benchmarks of both by area, name, arguments and threads, with the ratio of
 * their times. There is no verdict, since they were not measured in turns; "comparable" says if their conditions were equal. Pure.
 */

#include <stddef.h>

typedef struct json_t json_t;

enum {
        _SIDE_BY_SIDE_E_SUCCESS,

        SIDE_BY_SIDE_E_NOTHING, /* no benchmark has a time in both */
};

/*
 * Makes { "results": [2], "comparable": bool, "differences": [clauses], "remedy": sentence or null, "benchmarks": [...], "only": [[names], [names]] } of @first and @second. Returns 0,
 * E_NOTHING or a negative errno.
 */
int side_by_side(const json_t *first, const json_t *second, json_t **ret_json);

/* "A: mybench.so, job 00112233" of result @index of @json; the caller frees it. NULL if memory ran out. */
char *side_by_side_title(const json_t *json, size_t index);

/* Notes on two results: the first where they are not comparable, above the differences. */
#define SIDE_BY_SIDE_UNLIKE     "other conditions: the ratios are not of the code alone"
#define SIDE_BY_SIDE_NO_VERDICT "No verdict: two runs were not measured in turns; 'benchctl compare' does that."
