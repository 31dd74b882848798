/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Filters: the names by which a request chooses benchmarks.
 *
 * A filter is a glob (util/glob.h; a star passes slashes) over area/benchmark/arg=value. It matches by the whole, by any
 * leading part of it, or by the same without the area: `sort*`, `sorting/qsort`, `qsort`, `qsort/n=100`. One without a slash matches an
 * argument too: `n=100`. Behind another filter and two slashes it chooses within that: `sorting//n=100`. A leading `!` excludes, whatever
 * else includes. Without an including filter all are chosen but hidden ones: a hidden benchmark needs a
 * filter that writes its name out, or its area's where only the area is hidden.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/block.h"
#include "util/cleanup.h"

#define FILTER_BYTES_MAX 256u /* of one filter */

/* The filters of a request as they were written. Borrowed. */
typedef struct FilterList {
        char *const *filters;
        size_t n_filters;
} FilterList;

/* The same, compiled; it notes which of them matched anything. The words stay borrowed. */
typedef struct FilterSet FilterSet;

#define FILTER_PATH_MAX ((2 + RUNNER_ARGS_MAX) * (RUNNER_NAME_MAX + 1 + ARGUMENT_TEXT_MAX))

/* Tells whether @filter can be compiled. Returns 0, GLOB_E_*, or a negative errno. */
int filter_check(const char *filter);

/* Compiles filters that filter_check() accepts. Returns 0 or a negative errno. */
int filter_set_new(const FilterList *list, FilterSet **ret_set);
FilterSet *filter_set_free(FilterSet *set);

DEFINE_CLEANUP(FilterSet *, filter_set_free)

/* The operations that filter_set_select() takes for each byte of a path, at most. */
size_t filter_set_work(const FilterSet *set);

/* Writes the path that filters are matched with: "area/benchmark/arg=value" with the arguments at @args; NULL: "area/benchmark". */
void filter_path(const ListingEntry *entry, const ArgumentValue *args, char ret_path[static FILTER_PATH_MAX]);

/* False if @set chooses @entry with none of its arguments. A @hidden one has to be written out. */
bool filter_set_may_select(FilterSet *set, const ListingEntry *entry, bool hidden);

/* True if @set chooses @entry with the arguments that @path has, its filter_path(). A @hidden one has to be written out. */
bool filter_set_select(FilterSet *set, const ListingEntry *entry, const char *path, bool hidden);

/*
 * The first filter from number @from on that matched no path so far, nor did another that differs only in what it chooses within; @ret_at is
 * its number. NULL: there is none.
 */
const char *filter_set_unmatched(const FilterSet *set, size_t from, size_t *ret_at);
