/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The reader of results: a run's, a comparison's, a listing's or that of several machines, as JSON. Each field that several files read
 * has its place in the JSON here alone. A field that a result lacks reads as empty.
 *
 * A row is one of its benchmarks or of its comparisons: both have a name, an area and arguments.
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

/* The rows that its verdicts are of: the comparisons, if there are any, else the benchmarks. */
const json_t *result_judged(const json_t *result);

/* Walks the benchmarks: each as @row, at the place @i. */
#define result_each_row(i, row, result) json_each(i, row, result_rows(result))

/* Walks the comparisons. */
#define result_each_comparison(i, row, result) json_each(i, row, result_comparisons(result))

/* The benchmark that is the same as @row, or NULL. */
const json_t *result_find(const json_t *result, const json_t *row);

/* The benchmark that is the side "new" or "old" of @comparison, or NULL. */
const json_t *result_side(const json_t *result, const json_t *comparison, const char *side);

/* True if the times of both may be compared: they have one comparability key. */
bool result_is_comparable(const json_t *a, const json_t *b);

/* ---- a row */

const char *row_name(const json_t *row); /* "" if it has none */
const char *row_area(const json_t *row);
double row_threads(const json_t *row); /* 1 if it does not say */
bool row_is_of(const json_t *row, const char *area);

/* True if @a and @b have the same area, name, arguments and threads. */
bool row_is_same(const json_t *a, const json_t *b);

/* Prints the path of @row, "area/name/n=8", as a filter matches it. */
void row_print_path(const json_t *row, FILE *out);

/* ... with "/threads=2" behind it where @row has several, so that no two rows of a run have the same. Returns NULL if memory ran out. */
char *row_path(const json_t *row);

/* The path of @row behind the name of the module of @result, "module.so/area/name", unless @result is NULL. Returns NULL if memory ran out. */
char *row_path_within(const json_t *result, const json_t *row);

/* Walks the arguments of @row: each as @value, a json_t *, under its @name. */
#define row_each_argument(name, value, row) json_object_foreach((json_t *)json_at((row), "args"), name, value)

/* Walks the counters that the module made, which are numbers. */
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

/* The one at @path. */
RowEstimate row_estimate(const json_t *row, const char *path);

/* The time of an iteration, in ns. */
RowEstimate row_time(const json_t *row);

/* A comparison's quotient of new and old. */
RowEstimate row_ratio(const json_t *row);

/*
 * The samples that the time is of: with the core alone, beside a busy neighbour, over all. Times of different samples say nothing of each
 * other, since a neighbour on the core makes most code slower by up to a factor of two and more.
 */
bool row_is_shared(const json_t *row);
bool row_has_like_time(const json_t *a, const json_t *b);
const char *row_time_words(const json_t *row); /* behind "the time is" */

/* True if it has a time, over 0. */
bool row_has_time(const json_t *row);

/* True if no row of @rows before @index has the area of that one. */
bool rows_area_is_new(const json_t *rows, size_t index);
