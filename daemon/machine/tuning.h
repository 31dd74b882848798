/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Brings the machine to a plan and back. There is one tuning for all leases, since most of what is switched is everybody's:
 * when a lease comes or goes, or `set-governor` was said, the plan is made anew and the machine moved to it. What the new
 * plan does not name any more is put back, so that an empty plan restores all.
 *
 * Each value is noted in the restore journal before it is changed, then read back: the kernel clamps without a word.
 */

#include <stddef.h>

#include "machine/restore.h"
#include "machine/tune-plan.h"

typedef struct RestoreJournal RestoreJournal;
typedef struct RootDir RootDir;
typedef struct Tuning Tuning;

/* What became of one tunable: the worst that became of its steps, with an example. */
typedef struct TuneReport {
        TuneOutcome outcome;
        size_t counts[_TUNE_OUTCOME_N]; /* of steps */
        const TuneStep *example;        /* the first step of that outcome; NULL where the machine has nothing of it */
} TuneReport;

/*
 * Makes a tuning of the machine below @root. @journal, open and already restored from, has no other entries of
 * RESTORE_FILE than the tuning's; both outlive it. Without one (NULL) the machine is looked at and never changed. Returns 0
 * or a negative errno.
 */
int tuning_new(RootDir *root, RestoreJournal *journal, Tuning **ret_tuning);

/* Closes what is open; nothing is restored but what is scoped to a descriptor. */
Tuning *tuning_free(Tuning *tuning);

/*
 * Moves the machine to @plan, which it takes over, leaving it empty. @tell, unless it is NULL, hears of what is put back.
 * Returns 0, or a negative errno: then some of it is done, an empty plan undoes that, and what was not done is TUNE_DENIED.
 */
int tuning_move(Tuning *tuning, TunePlan *plan, RestoreTell tell, void *context);

/*
 * Looks whether all that was applied is still so. What is not becomes TUNE_OVERRIDDEN, or TUNE_OFF. Returns 0 or a negative
 * errno.
 */
int tuning_verify(Tuning *tuning, size_t *ret_n_changed);

/* The plan in force, with what became of each step; it stays the tuning's, until it is moved. */
const TunePlan *tuning_plan(const Tuning *tuning);

void tuning_report(const Tuning *tuning, TunableId id, TuneReport *ret_report);
