/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The machine's clock, as the launcher keeps it: which clock times batches, and its frequency, which gets better with
 * each lease and each status (clock/refinement.h). The leased CPUs' counters run in step, so one baseline, read on the
 * housekeeping CPU, serves them all.
 */

#include <stdbool.h>

#include "clock/refinement.h"

typedef struct OpsMachine OpsMachine;

typedef struct ClockKeeper {
        Refinement refinement;
        bool calibrated; /* at least one CPU is */
} ClockKeeper;

/*
 * Chooses what times batches on @machine: the time-stamp counter where it is invariant and the kernel trusts it, unless
 * @distrust_tsc.
 */
void clock_keeper_choose(OpsMachine *machine, bool distrust_tsc);

/* A CPU was calibrated: its frequency is the beginning, if it is the first, or gives way to a better one. */
void clock_keeper_note(ClockKeeper *keeper, OpsMachine *machine, const CalibrationPoint *point);

/* Adds @point. Returns true where what @machine tells changed. Pure. */
bool clock_keeper_add(ClockKeeper *keeper, OpsMachine *machine, const CalibrationPoint *point);

/* The same for this moment; what did not agree is told on stderr, and looked at again at once. */
bool clock_keeper_look(ClockKeeper *keeper, OpsMachine *machine);

/* This moment. */
CalibrationPoint clock_keeper_now(void);
