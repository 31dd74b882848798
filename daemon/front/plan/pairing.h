/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Pairs of benchmarks of two compared modules: benchmarks of equal area and name, or of a name that is unique in each
 * module, or the two that the request names; with each set of arguments that both have. Pure.
 */

#include <stddef.h>

#include "ops/block.h"
#include "proto/benchd.pb-c.h"

typedef struct PlanInput PlanInput;
typedef struct Plan Plan;

/* Finds the benchmark that @given names: "area/benchmark", or "benchmark" if only one area has it. NULL: none, or several. */
const ListingEntry *pairing_find_named(const ListingBlock *listing, const char *given);

/* Counts the benchmarks that @given may mean. */
size_t pairing_count_named(const ListingBlock *listing, const char *given);

/*
 * Reduces the chosen, not yet ordered benchmarks of @plan to the single-threaded ones that both sides of @input have, and notes benchmarks
 * or sets of arguments that only one side has. Returns 0, PLAN_E_NO_OLD_OF_THAT_NAME, PLAN_E_NOTHING_IN_COMMON, PLAN_E_TOO_MANY_PAIRS, or a
 * negative errno.
 */
int pairing_apply(Plan *plan, const PlanInput *input, const Benchd__RunRequest *request);
