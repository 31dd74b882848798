/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Filters: which benchmarks a request means.
 *
 * A filter is a glob (fnmatch; a star passes slashes) over area/benchmark/arg=value. It matches by the whole, by any
 * leading part of it, or by the same without the area: `sort*`, `sorting/qsort`, `qsort`, `qsort/n=100`. A leading `!`
 * excludes, whatever else includes. With no including filter all are meant, except what is hidden: that needs a filter
 * that writes its name out, or its area's where only the area is hidden.
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

#define FILTER_PATH_MAX ((2 + RUNNER_ARGS_MAX) * (RUNNER_NAME_MAX + 24u))

/* What filters are held against: "area/benchmark/arg=value", of arguments at @args; NULL: "area/benchmark". */
void filter_path(const ListingEntry *entry, const int64_t *args, char ret_path[static FILTER_PATH_MAX]);

/*
 * Whether @list means @entry with the arguments at @args, one an axis (NULL: look at area and name only). @hidden is
 * whether it has to be written out.
 */
bool filters_select(const FilterList *list, const ListingEntry *entry, const int64_t *args, bool hidden);
