/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Rows of a result's table that are more than one object of its JSON: pairs of benchmarks, counts of iterations, the empty loop. Pure.
 */

#include <stdbool.h>

typedef struct json_t json_t;

/*
 * The rows of the comparison @result: of each pair a copy that has the benchmarks of both sides too, "old" and "new", and where one of
 * these failed its "failed" and its "output". A new reference in @ret_pairs. Returns 0 or a negative errno.
 */
int rows_of_pairs(const json_t *result, json_t **ret_pairs);

/*
 * The rows of @benchmark as an array of benchmarks: itself or, if its method shows each count of iterations, one per
 * count, which differ in mean, deviation and count; the last has the warnings. Returns a new reference, or NULL if
 * memory ran out.
 */
json_t *rows_of_steps(const json_t *benchmark);

/*
 * EMPTY: the empty loop of a run as the first row of its table, the measure of what the harness itself adds. The first screen has it only
 * where another row hangs on it: @always, as where times are multiples, or where a row is as short. Methods that take the loop off have their row NOTHING instead. The row, as a new reference, in @ret_row;
 * NULL where the table of @result has none. Returns 0 or a negative errno.
 */
int rows_empty(const json_t *result, bool always, json_t **ret_row);
