/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Selection of the benchmarks to run: the chosen ones (chosen.h) with each chosen set of arguments and each number of threads. If a method
 * subtracts the empty loop, PLAN_NOTHING comes first. The reference that times are scaled to is included, even if the filters exclude it.
 * Pure.
 */

#include <stddef.h>

#include "ops/block.h"
#include "proto/benchd.pb-c.h"

typedef struct Chosen Chosen;
typedef struct PlanInput PlanInput;
typedef struct Plan Plan;

/*
 * Counts the benchmarks of @listing in @chosen, with all their chosen arguments and the numbers of threads of @request. A comparison that
 * names its benchmarks has just one.
 */
size_t selection_count(const ListingBlock *listing, const Chosen *chosen, const Benchd__RunRequest *request);

/*
 * Fills in the entries and benchmarks of @plan, whose options and number of sides must be set. Returns 0,
 * PLAN_E_NO_MATCH, PLAN_E_TOO_MANY_BENCHMARKS, PLAN_E_NO_REFERENCE, PLAN_E_SEVERAL_REFERENCES, or a negative errno.
 */
int selection_apply(Plan *plan, const PlanInput *input, const Benchd__RunRequest *request);
