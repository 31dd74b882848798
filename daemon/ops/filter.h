/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Filters: the names by which a request chooses benchmarks.
 *
 * A filter is a glob (fnmatch; a star passes slashes) over area/benchmark/arg=value. It matches by the whole, by any
 * leading part of it, or by the same without the area: `sort*`, `sorting/qsort`, `qsort`, `qsort/n=100`. A leading `!`
 * excludes, whatever else includes. Without an including filter all are chosen but hidden ones: a hidden benchmark needs a
 * filter that writes its name out, or its area's where only the area is hidden.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/sample-block.h"

#define FILTER_BYTES_MAX 256u /* of one filter */

/* The filters of a request. Borrowed. */
typedef struct FilterList {
        char *const *filters;
        size_t n_filters;
} FilterList;

#define FILTER_PATH_MAX ((2 + RUNNER_ARGS_MAX) * (RUNNER_NAME_MAX + 1 + ARGUMENT_TEXT_MAX))

/* Writes the path that filters are matched with: "area/benchmark/arg=value" with the arguments at @args; NULL: "area/benchmark". */
void filter_path(const ListingEntry *entry, const ArgumentValue *args, char ret_path[static FILTER_PATH_MAX]);

/*
 * True if @list chooses @entry with the arguments at @args, one an axis (NULL: look at area and name only). A @hidden one has to be
 * written out.
 */
bool filter_select(const FilterList *list, const ListingEntry *entry, const ArgumentValue *args, bool hidden);
