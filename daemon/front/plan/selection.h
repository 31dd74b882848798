/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Selection of the benchmarks to run: those that were chosen (chosen.h), each with all its arguments that they choose,
 * and with each number of threads. If a method subtracts the empty loop, that is the first of them. The reference that times are scaled to is
 * among them, whatever the filters choose. Pure.
 */

#include <stddef.h>

#include "ops/block.h"
#include "proto/benchd.pb-c.h"

typedef struct Chosen Chosen;
typedef struct PlanInput PlanInput;
typedef struct Plan Plan;

/*
 * Counts the benchmarks of @listing that were @chosen, with all their arguments and the numbers of threads that @request has them run
 * with. A comparison of two benchmarks by name has no other.
 */
size_t selection_count(const ListingBlock *listing, const Chosen *chosen, const Benchd__RunRequest *request);

/*
 * Fills the entries and benchmarks of @plan, whose options and number of sides are known. Returns 0, PLAN_E_NO_MATCH,
 * PLAN_E_TOO_MANY_BENCHMARKS, PLAN_E_NO_REFERENCE, PLAN_E_SEVERAL_REFERENCES, or a negative errno.
 */
int selection_apply(Plan *plan, const PlanInput *input, const Benchd__RunRequest *request);
