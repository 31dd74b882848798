/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The values that are wanted of the machine, as data: a step a file, in the order in which they are to be written.
 */

#include <stddef.h>

#include "machine/restore-record.h"
#include "machine/value.h"
#include "ops/outcome.h"

/*
 * In the order of writing. A preference is taken only until the governor is `performance`; a governor resets no_turbo,
 * and no_turbo clamps the limits, so that the limits come before it; of two limits that rise, the upper one rises first.
 * Restoring goes backwards through the same.
 */
typedef enum TunableId {
        TUNABLE_PLATFORM_PROFILE,
        TUNABLE_EPP,
        TUNABLE_GOVERNOR,
        TUNABLE_MAX_FREQUENCY,
        TUNABLE_MIN_FREQUENCY,
        TUNABLE_BOOST,
        TUNABLE_IDLE_LATENCY,
        TUNABLE_IRQ_AFFINITY,
        TUNABLE_WORKQUEUES,
        TUNABLE_WATCHDOG,
        TUNABLE_TIMER_MIGRATION,
        TUNABLE_KSM,
        _TUNABLE_N,
} TunableId;

typedef struct TuneStep {
        TunableId id;
        ValueKind kind;
        char path[RESTORE_KEY_MAX];
        char want[VALUE_MAX];
        char was[VALUE_MAX]; /* before it was first changed */
        char is[VALUE_MAX];
        OpsOutcome outcome;
} TuneStep;

typedef struct TunePlan {
        TuneStep *steps; /* rising by id */
        size_t n_steps;
} TunePlan;

/*
 * Adds a copy of @step in its place. The first step that names a path decides, so the plan of a lease stands before that
 * of a scheme. Returns 0 or a negative errno.
 */
int tune_plan_add(TunePlan *plan, const TuneStep *step);
void tune_plan_clear(TunePlan *plan);

/* The step of @path; NULL if there is none. */
TuneStep *tune_plan_find(const TunePlan *plan, const char *path);
