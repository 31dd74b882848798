/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A process of a plan gives up its privileges before it touches anything of the submitter: all capabilities, root's identity,
 * any way to regain them, and the chance to outlive its launcher. All programs that are started with a plan begin with this.
 */

#include <stdbool.h>

#include "ops/runner-plan.h"

/*
 * Takes the identity of @plan for good, and will die with the plan's launcher. False with the name of the step that
 * failed; then no code of the submitter may run.
 */
bool confine(const RunnerPlan *plan, const char **ret_step);

/*
 * Takes the identity of @plan for good, in a process that runs no code of the submitter and outlives the launcher. False: it failed, and
 * nothing of the submitter may be touched.
 */
bool confine_identity(const RunnerPlan *plan);

/* Drops all capabilities of this process, but not the bounding set. */
bool confine_drop_capabilities(void);
