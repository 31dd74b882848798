/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The reference of a run: the benchmark, with one set of arguments, whose time is 1.0 in scaled tables. A request names it in full, without
 * globs, or relies on the module's mark. It is measured even if the filters exclude it, since a ratio needs both times from the same job.
 * Pure.
 */

#include <stdbool.h>
#include <stddef.h>

#include "ops/arguments.h"
#include "ops/block.h"

#define REFERENCE_NAMES_MAX 200u /* bytes of the names in a refusal, with the zero */

typedef struct Reference {
        const ListingEntry *entry; /* NULL: the run has none. Borrowed */
        size_t set;                /* of its arguments, in the order of arguments_step() */
} Reference;

/*
 * Finds the first benchmark of @listing that @given names: "area/benchmark" or "benchmark", optionally with "/arg=value" for all its
 * arguments or the first ones. An empty name means the benchmark marked by the module. Returns the number of candidates, hidden ones
 * included; 0 leaves ret_reference without an entry.
 */
size_t reference_find(const ListingBlock *listing, const char *given, Reference *ret_reference);

/* True if @reference is the benchmark with the arguments at @at. */
bool reference_is(const Reference *reference, const Arguments *at);

/* Writes as many candidates for @given as fit, as "area/benchmark/arg=value" separated by commas. Returns @ret_text. */
const char *reference_write_names(const ListingBlock *listing, const char *given,
                char ret_text[static REFERENCE_NAMES_MAX]);
