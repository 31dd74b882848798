/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Filters over the rows of results, as those of a run are over benchmarks: globs over area/benchmark/arg=value, over the same without the
 * area, or over one argument. A row is chosen if one filter matches it, or if all exclude ("!"), and none excludes it. Pure.
 */

#include <stdbool.h>
#include <stddef.h>

typedef struct json_t json_t;

/* True if the glob @filter, without a mark of exclusion, matches @row. */
bool row_filter_matches(const char *filter, const json_t *row);

/*
 * Removes the rows of @result that the @n filters do not choose, and sets @matched of each filter that matches a row. Returns the number of
 * rows that are left.
 */
size_t row_filter_apply(const char *const *filters, size_t n, json_t *result, bool *matched);
