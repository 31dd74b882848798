/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Pairs of benchmarks of two modules that are compared with each other: those of equal area and name, or of a name that
 * each has once, or the one of each that the request names; with each set of arguments that both have. Pure.
 */

#include <stddef.h>

#include "ops/block.h"
#include "proto/benchd.pb-c.h"

typedef struct PlanInput PlanInput;
typedef struct Plan Plan;

/* The benchmark that @given names: "area/benchmark", or "benchmark" where only one area has it. NULL: none, or several. */
const ListingEntry *pairing_find_named(const ListingBlock *listing, const char *given);

/* Counts the benchmarks that @given may mean. */
size_t pairing_count_named(const ListingBlock *listing, const char *given);

/*
 * Leaves in @plan, whose benchmarks are chosen and not yet ordered, those of one thread that both sides of @input have, and notes
 * those that only one side has, as a whole or with some arguments. Returns 0, PLAN_E_NO_OLD_OF_THAT_NAME,
 * PLAN_E_NOTHING_IN_COMMON, PLAN_E_TOO_MANY_PAIRS, or a negative errno.
 */
int pairing_apply(Plan *plan, const PlanInput *input, const Benchd__RunRequest *request);
