/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Rows of a result's table that are built from several parts of its JSON: pairs of benchmarks, counts of iterations, the empty loop. Pure.
 */

#include <stdbool.h>

typedef struct json_t json_t;

/*
 * Makes the rows of the comparison @result: for each pair a copy that also has the benchmarks of both sides, "old" and "new", and if one of
 * them failed, its "failed" and its "output"; and the findings by which a side is not reliable. A new reference in @ret_pairs. Returns 0 or a negative errno.
 */
int rows_of_pairs(const json_t *result, json_t **ret_pairs);

/*
 * The rows that the verdict on @result counts, in @ret_rows, a new reference: the pairs of a comparison, else the benchmarks without the empty
 * loop. Returns 0 or a negative errno.
 */
int rows_judged(const json_t *result, json_t **ret_rows);

/*
 * Takes from the names of @pairs what both sides share: areas that are only the names of the files compared, "new" and "old". Names that
 * differ stay: "mod_16 against mod_13". For people; filters, and formats for programs, have the whole names.
 */
void rows_shorten_names(const json_t *result, json_t *pairs);

/*
 * The rows of @benchmark as an array of benchmarks: itself or, if its method shows each count of iterations, one per
 * count, which differ in mean, deviation and count; the last has the warnings. Returns a new reference, or NULL if
 * memory ran out.
 */
json_t *rows_of_steps(const json_t *benchmark);

/*
 * EMPTY: the empty loop of a run as the first row of its table, which shows what the harness itself adds. It is shown if @always (times are
 * multiples), or if a row is about as short. Methods that subtract the loop have their row NOTHING instead. @ret_row is a new reference, or
 * NULL if the table of @result has no such row. Returns 0 or a negative errno.
 */
int rows_empty(const json_t *result, bool always, json_t **ret_row);
