/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Reader of results in JSON: of a run, a comparison, a listing or several machines. Only this module knows where in the JSON the fields
 * read by several files are. A missing field reads as empty.
 *
 * A row is a benchmark or a comparison: both have a name, an area and arguments.
 */

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

#include "ctl/base/json-path.h"

/* ---- a result */

const json_t *result_rows(const json_t *result);        /* its benchmarks */
const json_t *result_comparisons(const json_t *result); /* an empty list in a run */
bool result_compares(const json_t *result);
bool result_is_of_commands(const json_t *result); /* by 'benchctl exec' */

/* True of commands that were compared with the first of them: its side is the reference, not an old one as with a baseline. */
bool result_has_reference(const json_t *result);

/* The rows with verdicts: the comparisons, if there are any, else the benchmarks. */
const json_t *result_judged(const json_t *result);

/* Iterates over the benchmarks: each as @row, with its index @i. */
#define result_each_row(i, row, result) json_each(i, row, result_rows(result))

/* Iterates over the comparisons. */
#define result_each_comparison(i, row, result) json_each(i, row, result_comparisons(result))

/* The benchmark for which row_is_same() holds with @row, or NULL. */
const json_t *result_find(const json_t *result, const json_t *row);

/* The benchmark on the side "new" or "old" of @comparison, or NULL. */
const json_t *result_side(const json_t *result, const json_t *comparison, const char *side);

/* True if the times of both may be compared: their comparability keys are equal. */
bool result_is_comparable(const json_t *a, const json_t *b);

/* ---- a row */

const char *row_name(const json_t *row); /* "" if it has none */
const char *row_area(const json_t *row);
double row_threads(const json_t *row); /* 1 if missing */
bool row_is_of(const json_t *row, const char *area);

/* True of a whole command: people know it by its title, and its area says nothing. */
bool row_is_command(const json_t *row);

/* True for NOTHING, the loop that an older method subtracts: a row of no area, and no benchmark. */
bool row_is_empty_loop(const json_t *row);

/* True if @a and @b have the same area, name, arguments and threads. */
bool row_is_same(const json_t *a, const json_t *b);

/* Prints the path of @row, "area/name/n=8", as a filter matches it. */
void row_print_path(const json_t *row, FILE *out);

/* The path of @row, with "/threads=2" appended if it has several, so that it is unique within a run. NULL if memory ran out. */
char *row_path(const json_t *row);

/* The path of @row after the module name of @result, "module.so/area/name", unless @result is NULL. NULL if memory ran out. */
char *row_path_within(const json_t *result, const json_t *row);

/* Iterates over the arguments of @row: each as @value, a json_t *, with its @name. */
#define row_each_argument(name, value, row) json_object_foreach((json_t *)json_at((row), "args"), name, value)

/* Iterates over the module's own counters that are numbers. */
#define row_each_counter(name, value, row)                                                                             \
 json_object_foreach((json_t *)json_at((row), "counters"), name, value) if (json_is_number(value))

bool row_has_failed(const json_t *row);
const char *row_failure(const json_t *row);         /* the code, "crashed"; NULL if it has not failed */
const char *row_failure_message(const json_t *row); /* a sentence */

/* An estimate with its interval; NAN where a number is missing. */
typedef struct RowEstimate {
        double point;
        double low;
        double high;
} RowEstimate;

/* The estimate at @path of @row. */
RowEstimate row_estimate(const json_t *row, const char *path);

/* The time of an iteration, in ns. */
RowEstimate row_time(const json_t *row);

/* The ratio of a comparison, new to old. */
RowEstimate row_ratio(const json_t *row);

/*
 * The samples behind the time: with the core alone, beside a busy neighbour, or all. Times of different kinds are not comparable, since a
 * neighbour on the core slows most code by up to a factor of two and more.
 */
bool row_is_shared(const json_t *row);
bool row_has_like_time(const json_t *a, const json_t *b);
const char *row_time_words(const json_t *row); /* to follow "the time is" */

/* True if @row has a time above 0. */
bool row_has_time(const json_t *row);

/* The rows of @all but the empty loop: a new list, or NULL if memory ran out. */
json_t *rows_without_empty_loop(const json_t *all);

/* True if no row of @rows before @index has the same area. */
bool rows_area_is_new(const json_t *rows, size_t index);
