/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Times of benchmarks over earlier runs: for each benchmark the runs that measured it, the latest first (where each tells the time of its
 * commit, that of the latest commit first), with marks on runs that left the
 * level of the runs before them, and the overall drift. Pure.
 *
 * Only like runs are compared: equal comparability_key, and times of the same kind (measurand.h). stats/series.h marks runs at 99 %, since
 * a history has many lines; with fewer than five like runs before, by a baseline's margin. The drift comes from stats/drift.h over the runs
 * like the latest one. It is reported if p is below 1 % and the change exceeds the margin, so that a slowdown in steps too small for a mark
 * is found, too. Neither says why times differ. A run that is like none before it has the differences of its conditions in place of a mark.
 */

#include <stdbool.h>
#include <stdio.h>

#define TREND_CONFIDENCE 0.99
#define TREND_MARGIN     0.005 /* a smaller change is ignored */

typedef struct json_t json_t;

/* True if @benchmark has a time, is neither a comparison's old side nor an empty loop, and matches @filter, a glob as for a run. */
bool trend_matches(const char *filter, const json_t *benchmark);

/* Makes an empty trend: { "benchmarks": [] }. Returns NULL if memory ran out. */
json_t *trend_new(void);

/*
 * Adds the benchmarks of @result that match @filter, a glob as for a run. @result must be earlier than all results added so far. Returns 0
 * or a negative errno.
 */
int trend_add(json_t *trend, const json_t *result, const char *filter);

/*
 * Orders the runs, and sets "change" of each run to "slower", "faster" or null, its "differences" and "remedy", and "drift" of each benchmark, once all are
 * added; @margin as TREND_MARGIN. Returns 0 or a negative errno.
 */
int trend_mark(json_t *trend, double margin);

/* The short note on @run, on its row's reliability; "" if there is none. */
const char *trend_note(const json_t *run);

/* Calls @tell with a sentence for each job whose conditions differ from those of all runs before. Returns 0 or a negative errno. */
int trend_tell_conditions(const json_t *trend, int (*tell)(void *context, const char *sentence), void *context);

/* Prints the sentence on the drift of the benchmark @row. Returns false if it has none. */
bool trend_print_drift(const json_t *row, FILE *out);
