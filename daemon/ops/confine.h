/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A process of a plan gives up what it was born with, before it touches anything of the submitter's: every capability, root's
 * identity, the chance to gain either again, and life beyond its launcher's. All programs that are born with a plan begin so.
 */

#include <stdbool.h>

#include "ops/runner-plan.h"

/*
 * Becomes the identity of the @plan, for good, and dies with the plan's launcher. True, or false with the name of the
 * step that failed; nothing of the submitter's may then run.
 */
bool confine(const RunnerPlan *plan, const char **ret_step);

/*
 * Becomes the identity of @plan, for good, in a process that runs nothing of the submitter's and outlives the launcher. False: it failed,
 * and nothing of the submitter's may be touched.
 */
bool confine_identity(const RunnerPlan *plan);

/* Gives up all capabilities of this process, but for the bounding set. */
bool confine_drop_capabilities(void);
