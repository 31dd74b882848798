/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Compares a result with an earlier one under the same conditions; the sides were not measured in turns. The document has the shape of the
 * daemon's comparisons, so that every table, format and condition for those accepts it, too.
 *
 * The ratio of a row is the quotient of its two times; its interval is Welch's on their logs, from the errors behind their intervals. These
 * intervals do not include a machine's drift between runs, so the margin is wide: BASELINE_MARGIN exceeds the 4 to 8 % that most
 * disagreeing rows differ by between two runs on a guest (tests/bench/README.md). A time with the core alone is not compared with a time
 * beside a neighbour (measurand.h): that row has no ratio, no verdict, and the finding WARNING_UNLIKE_TIMES. Pure.
 */

#include <stdbool.h>

#define BASELINE_MARGIN 0.10

typedef struct json_t json_t;

enum {
        _BASELINE_E_SUCCESS,

        BASELINE_E_NONE,     /* the baseline has no result of this module */
        BASELINE_E_OTHER,    /* its result was measured under other conditions: see baseline_differences() */
        BASELINE_E_NO_PAIRS, /* no row of the result is in the baseline */
};

/* True if @json may be a baseline: the result of a run, or an array of several. */
bool baseline_check(const json_t *json);

/* True if a result in @json is of several machines; a baseline must be of one. */
bool baseline_is_of_several_machines(const json_t *json);

/*
 * Compares @result with the result in @baseline of the same module, by file name, or with the only one; a ratio within @margin counts as
 * the same. Returns 0, BASELINE_E_*, or a negative errno.
 */
int baseline_compare(const json_t *baseline, const json_t *result, double margin, json_t **ret_compared);

/* The remedy as of conditions_remedy(); NULL: a new baseline is. */
const char *baseline_remedy(const json_t *baseline, const json_t *result);

/*
 * The conditions that differ, as an array of clauses: "the kernel was A and is B". Returns 0, E_NONE, or a negative errno.
 */
int baseline_differences(const json_t *baseline, const json_t *result, json_t **ret_clauses);
