/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A result against an earlier one of the same conditions: a comparison whose sides were not measured in turns. It has the shape of the
 * daemon's comparisons, so that every table, format and condition that takes those takes it too.
 *
 * The ratio of a row is the quotient of its two times, its interval Welch's on their logs, by the error that the interval of each is of.
 * No such interval holds the drift of a machine from one run to another, so the margin is wide: BASELINE_MARGIN lies beyond the 4 to 8 %
 * by which most of the rows that disagree do so between two runs on a guest (tests/bench/README.md). A time alone is not
 * compared with one beside a neighbour (measurand.h): such a row has no ratio and no verdict, and the finding WARNING_UNLIKE_TIMES. Pure.
 */

#include <stdbool.h>

#define BASELINE_MARGIN 0.10

typedef struct json_t json_t;

enum {
        _BASELINE_E_SUCCESS,

        BASELINE_E_NONE,     /* the baseline has no result of this module */
        BASELINE_E_OTHER,    /* its result was measured under other conditions: baseline_differences() has them */
        BASELINE_E_NO_PAIRS, /* no row of the result is in it */
};

/* True if @json may be a baseline: the result of a run, or an array of several. */
bool baseline_check(const json_t *json);

/* True if a result in @json is of several machines: a baseline is of one. */
bool baseline_is_of_several_machines(const json_t *json);

/*
 * Makes the comparison of @result with the result in @baseline of the same module, by the file's name, or the only one; a ratio within
 * @margin is the same. Returns 0, BASELINE_E_*, or a negative errno.
 */
int baseline_compare(const json_t *baseline, const json_t *result, double margin, json_t **ret_compared);

/* True if another daemon has set the machine for its own run now, and had not when @baseline was measured: the remedy is to wait. */
bool baseline_meets_another_daemon(const json_t *baseline, const json_t *result);

/*
 * The conditions that differ, as an array of clauses: "the kernel was A and is B". Returns 0, E_NONE, or a negative errno.
 */
int baseline_differences(const json_t *baseline, const json_t *result, json_t **ret_clauses);
