/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Filters: the patterns with which a request chooses benchmarks.
 *
 * A filter is a glob (util/glob.h; a star matches slashes) over area/benchmark/arg=value. It matches the whole path, any leading part of
 * it, or the same without the area: `sort*`, `sorting/qsort`, `qsort`, `qsort/n=100`. A filter without a slash also matches an argument:
 * `n=100`. After another filter and two slashes it chooses within that one: `sorting//n=100`. A leading `!` excludes, even what another
 * filter includes. Without an including filter all benchmarks are chosen except hidden ones: a hidden benchmark needs a filter that
 * spells out its name, or its area's name if only the area is hidden.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/block.h"
#include "util/cleanup.h"

#define FILTER_BYTES_MAX 256u /* of one filter */

/* The filters of a request as written. Borrowed. */
typedef struct FilterList {
        char *const *filters;
        size_t n_filters;
} FilterList;

/* The same, compiled; notes which of them matched anything. The strings stay borrowed. */
typedef struct FilterSet FilterSet;

#define FILTER_PATH_MAX ((2 + RUNNER_ARGS_MAX) * (RUNNER_NAME_MAX + 1 + ARGUMENT_TEXT_MAX))

/* Checks that @filter can be compiled. Returns 0, GLOB_E_*, or a negative errno. */
int filter_check(const char *filter);

/* Compiles filters that filter_check() accepts. Returns 0 or a negative errno. */
int filter_set_new(const FilterList *list, FilterSet **ret_set);
FilterSet *filter_set_free(FilterSet *set);

DEFINE_CLEANUP(FilterSet *, filter_set_free)

/* The most operations that filter_set_select() needs per byte of a path. */
size_t filter_set_work(const FilterSet *set);

/*
 * Writes the path that filters are matched against: "area/benchmark/arg=value" with the arguments @args; NULL:
 * "area/benchmark".
 */
void filter_path(const ListingEntry *entry, const ArgumentValue *args, char ret_path[static FILTER_PATH_MAX]);

/* False if @set cannot choose @entry with any arguments. A @hidden one has to be spelled out. */
bool filter_set_may_select(FilterSet *set, const ListingEntry *entry, bool hidden);

/*
 * True if @set chooses @entry with the arguments in @path, made by filter_path(). A @hidden one has to be spelled out.
 */
bool filter_set_select(FilterSet *set, const ListingEntry *entry, const char *path, bool hidden);

/*
 * Returns the first filter from number @from on that has matched no path, itself or with another one to choose within; @ret_at is its
 * number. NULL: none.
 */
const char *filter_set_unmatched(const FilterSet *set, size_t from, size_t *ret_at);
