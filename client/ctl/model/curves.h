/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Curves: the benchmarks of a result over an argument, those of one area and argument in one figure; of a comparison both sides, whatever
 * their areas are called. Pure.
 */

typedef struct json_t json_t;

/* The first argument of @row with a number that other rows of its benchmark have otherwise; NULL: none. Borrowed. */
const char *curves_axis(const json_t *rows, const json_t *row);

/*
 * Appends to @figures each figure of @result: { "title", "x", "sets": [ { "path", "title", "rows": [...] } ] }, where "x" is the argument and a set
 * a curve of benchmarks, which are as long as the result lives. Returns 0 or a negative errno.
 */
int curves_add(json_t *figures, const json_t *result);

/* The number of the argument @x of @row; NAN: it has none. */
double curves_x(const json_t *row, const char *x);

/* The object of @list whose @key is @text; a new one is a copy of @model. Borrowed; NULL if memory ran out. */
json_t *curves_find_or_add(json_t *list, const char *key, const char *text, const json_t *model);
