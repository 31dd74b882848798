/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The plan that is applied to the machine. There is one for all leases, since most settings act on the whole machine:
 * when a lease comes or goes, or `set-governor` is called, a new plan is made and applied. A value that the new plan no
 * longer names is put back, so an empty plan restores everything.
 *
 * Each value is noted in the restore journal before it is changed, then read back: the kernel clamps silently.
 */

#include <stddef.h>

#include "machine/restore.h"
#include "machine/tunable.h"

typedef struct AppliedPlan AppliedPlan;

/* The outcome of one tunable: the worst of its steps, with an example. */
typedef struct AppliedTunable {
        OpsOutcome outcome;
        size_t counts[_OPS_OUTCOME_N]; /* of steps */
        const TunableStep *example;    /* the first step of that outcome; NULL if the machine lacks the tunable */
} AppliedTunable;

/*
 * Makes an empty plan for the machine below @root. @journal, open and already restored from, has no other entries of
 * RESTORE_FILE than this plan's; both outlive it. Without one (NULL) the machine is read and never changed. Returns 0
 * or a negative errno.
 */
int applied_plan_new(RootDir *root, RestoreJournal *journal, AppliedPlan **ret_applied);

/* Closes the descriptors; this restores only the idle latency, which lasts as long as its descriptor. */
AppliedPlan *applied_plan_free(AppliedPlan *applied);

/*
 * Applies @plan, which it takes over, leaving it empty. @tell, unless NULL, is called for each value that is put back.
 * Returns 0, or a negative errno: then a part is applied, which an empty plan undoes, and the rest is
 * OPS_OUTCOME_DENIED.
 */
int applied_plan_move(AppliedPlan *applied, TunablePlan *plan, RestoreTell tell, void *context);

/*
 * Reads all applied values again. A step whose value has changed becomes OPS_OUTCOME_OVERRIDDEN, or OPS_OUTCOME_OFF.
 * Returns 0 or a negative errno.
 */
int applied_plan_verify(AppliedPlan *applied, size_t *ret_n_changed);

/* The steps with their outcomes, valid until the next move. */
const TunablePlan *applied_plan_current(const AppliedPlan *applied);

void applied_plan_report(const AppliedPlan *applied, TunableId id, AppliedTunable *ret_report);
