/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Which benchmarks of two modules are compared with each other: those of equal area and name, or the one of each that
 * the request names; with each set of arguments that both have. Pure.
 */

#include "ops/sample-block.h"
#include "proto/benchd.pb-c.h"

typedef struct RunPlan RunPlan;

/*
 * Leaves in @plan, whose benchmarks are chosen and not yet ordered, those that @old has too, and notes what only one of
 * the two has. Returns 0, PLAN_E_NOTHING_IN_COMMON, PLAN_E_TOO_MANY_PAIRS, or a negative errno.
 */
int pairing_apply(RunPlan *plan, const ListingBlock *old, const Benchd__RunRequest *request);
