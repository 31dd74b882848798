/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Times of benchmarks over earlier runs: of each benchmark the runs that measured it, the latest first, with the marks of those that left
 * the level of the runs before, and the drift of the whole. Pure.
 *
 * Only like runs are held against each other: those of one comparability_key whose times are of one kind (measurand.h). A run is marked
 * by stats/series.h, at 99 %, since a history has many lines; under five like runs before it, by a baseline's margin. The drift is that of
 * stats/drift.h over the runs like the latest: it is told below 1 % and beyond the margin, so that a slowness which comes in steps that
 * no mark sees is seen. Neither says why times differ.
 */

#include <stdbool.h>
#include <stdio.h>

#define TREND_CONFIDENCE 0.99
#define TREND_MARGIN     0.005 /* a smaller change is none */

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

/*
 * Sets "change" of each run to "slower", "faster" or null, and "drift" of each benchmark, once all are added; @margin as TREND_MARGIN.
 * Returns 0 or a negative errno.
 */
int trend_mark(json_t *trend, double margin);

/* The word or two on @run; "" if there is nothing to say. */
const char *trend_note(const json_t *run);

/* Prints the sentence on the drift of @row, a benchmark. False: it has none. */
bool trend_print_drift(const json_t *row, FILE *out);
