/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * One step of a plan that is a file: what it was is noted in the restore journal, then it is written and read back.
 */

#include <stdbool.h>

#include "machine/tune-plan.h"

typedef struct RestoreJournal RestoreJournal;
typedef struct RootDir RootDir;

typedef struct TuneTarget {
        RootDir *root;
        RestoreJournal *journal; /* NULL: nothing can be noted, so nothing is changed */
} TuneTarget;

/* Brings the file of @step to what is wanted. Returns 0, the outcome being in @step, or a negative errno. */
int tune_step_apply(const TuneTarget *target, TuneStep *step);

/* Looks what it holds, and leaves it so: what is not as wanted is TUNE_DENIED. Returns 0 or a negative errno. */
int tune_step_look(const TuneTarget *target, TuneStep *step);

/* Reads it again; one that is gone reads as empty. Returns 0 or a negative errno. */
int tune_step_reread(const TuneTarget *target, TuneStep *step, bool *ret_changed);

/* Has what it holds now count as our doing. Returns 0 or a negative errno. */
int tune_step_settle(const TuneTarget *target, const TuneStep *step);
