/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Which benchmarks of a module are run: those that the filters of a request mean, each with all its arguments that they
 * mean, and with each number of threads. Where a method subtracts the empty loop, that is the first of them. Pure.
 */

#include <stddef.h>

#include "ops/sample-block.h"
#include "proto/benchd.pb-c.h"

typedef struct RunPlan RunPlan;

/* The benchmarks of @listing with all their arguments and numbers of threads; more than PLAN_BENCHMARKS_MAX are not counted to the end. */
size_t listing_count(const ListingBlock *listing);

/*
 * Fills the entries and benchmarks of @plan, whose options and number of sides are known. Returns 0, PLAN_E_NO_MATCH,
 * PLAN_E_TOO_MANY_BENCHMARKS, or a negative errno.
 */
int selection_apply(RunPlan *plan, const ListingBlock *listing, const Benchd__RunRequest *request);
