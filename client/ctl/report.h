/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Reports for eyes, each from JSON to text and in a source of its own: a run with its parts, a module's list, the
 * daemon's state, its jobs, a governor's change. Pure.
 */

#include <stdbool.h>
#include <stdio.h>

typedef struct Footnotes Footnotes;
typedef struct json_t json_t;

/* Each report returns 0 or a negative errno. */
int report_result(const json_t *result, bool color, FILE *out);
int report_listing(const json_t *listing, bool color, FILE *out);
int report_status(const json_t *status, bool color, FILE *out);
int report_history(const json_t *history, bool color, FILE *out);
int report_governor(const json_t *governor, bool color, FILE *out);

/* ---- parts of a run's report */

/* True if @result compares two modules. */
bool report_is_comparison(const json_t *result);

/* Prints the table of the comparison @result: one row per pair of benchmarks. Its notes go into @footnotes. */
int report_comparison(const json_t *result, bool color, Footnotes *footnotes, FILE *out);

/* Prints the table of --trace, or nothing if nothing was traced. */
int report_trace(const json_t *result, bool color, FILE *out);

/* Prints each string of @warnings, an array or NULL, on a line of its own. */
void report_warnings(const json_t *warnings, bool color, FILE *out);
