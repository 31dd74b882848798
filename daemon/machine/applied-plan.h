/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The plan that the machine was brought to. There is one for all leases, since most of what is switched is everybody's:
 * when a lease comes or goes, or `set-governor` was said, the plan is made anew and the machine moved to it. A value
 * that the new plan does not name any more is put back, so that an empty plan restores all.
 *
 * Each value is noted in the restore journal before it is changed, then read back: the kernel clamps without a word.
 */

#include <stddef.h>

#include "machine/restore.h"
#include "machine/tunable.h"

typedef struct AppliedPlan AppliedPlan;

/* The outcome of one tunable: the worst of its steps, with an example. */
typedef struct AppliedTunable {
        OpsOutcome outcome;
        size_t counts[_OPS_OUTCOME_N]; /* of steps */
        const TunableStep *example;    /* the first step of that outcome; NULL where the machine has nothing of it */
} AppliedTunable;

/*
 * Makes the plan of the machine below @root, empty so far. @journal, open and already restored from, has no other
 * entries of RESTORE_FILE than this plan's; both outlive it. Without one (NULL) the machine is looked at and never
 * changed. Returns 0 or a negative errno.
 */
int applied_plan_new(RootDir *root, RestoreJournal *journal, AppliedPlan **ret_applied);

/* Closes what is open; nothing is restored but what is scoped to a descriptor. */
AppliedPlan *applied_plan_free(AppliedPlan *applied);

/*
 * Moves the machine to @plan, which it takes over, leaving it empty. @tell, unless it is NULL, hears of what is put
 * back. Returns 0, or a negative errno: then some of it is done, an empty plan undoes that, and what was not done is
 * OPS_OUTCOME_DENIED.
 */
int applied_plan_move(AppliedPlan *applied, TunablePlan *plan, RestoreTell tell, void *context);

/*
 * Reads again all that was applied. A step that holds something else by now becomes OPS_OUTCOME_OVERRIDDEN, or
 * OPS_OUTCOME_OFF. Returns 0 or a negative errno.
 */
int applied_plan_verify(AppliedPlan *applied, size_t *ret_n_changed);

/* The steps with their outcomes, valid until the next move. */
const TunablePlan *applied_plan_current(const AppliedPlan *applied);

void applied_plan_report(const AppliedPlan *applied, TunableId id, AppliedTunable *ret_report);
