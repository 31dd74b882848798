/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Times of benchmarks over earlier runs: of each benchmark the runs that measured it, the latest first, with the marks of those whose
 * interval does not overlap that of the run before under the same conditions. Pure.
 *
 * The mark is a simple one: intervals of equal times fail to overlap in about one of 180 pairs of runs. It says that two runs differ,
 * not why; the conditions are those of comparability_key.
 */

#include <stdbool.h>

typedef struct json_t json_t;

/* True if @filter, a glob as of a run, chooses @benchmark, a row that has a time and is not a comparison's old side. */
bool trend_matches(const char *filter, const json_t *benchmark);

/* Makes an empty one: { "benchmarks": [] }. Returns NULL if memory ran out. */
json_t *trend_new(void);

/*
 * Adds the benchmarks of @result, a run before all those added so far, that match @filter, a glob as of a run. Returns 0 or a negative
 * errno.
 */
int trend_add(json_t *trend, const json_t *result, const char *filter);

/* Sets "change" of each run to "slower", "faster" or null, once all are added. Returns 0 or a negative errno. */
int trend_mark(json_t *trend);
