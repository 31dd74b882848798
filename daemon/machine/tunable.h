/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Tunables: the parts of the machine that are switched while CPUs are leased. Each has a row that reads what the
 * machine has and says what it should hold (machine/applied-plan.h does it). Settings that disturb only their process
 * are left to that: huge pages, memory policy.
 *
 *      platform-profile       a firmware's profile; only by `set-governor`
 *      energy-preference      the hardware's own bias, of the leased CPUs' policies: none for saving
 *      governor               performance: no ramp-up
 *      frequency limits       both at the base frequency, or where none is told, the lower at the upper
 *      boost                  off: what is left depends on the heat and on the neighbours
 *      idle-latency           as much as C1 takes to leave, as long as a descriptor is open. Not 0: an idle sibling would
 *                             poll, on the issue slots of the core that measures
 *      irq-affinity           off the leased CPUs; the kernel refuses this for interrupts that it manages itself
 *      workqueues             unbound work off the leased CPUs
 *      watchdog               off the leased CPUs; where it cannot be, off
 *      timer-migration        off, or idle CPUs give their timers to the busy one, which measures
 *      page-merging           KSM stopped: it walks memory and breaks pages apart
 */

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "machine/tune-plan.h"

typedef struct RestoreJournal RestoreJournal;
typedef struct RootDir RootDir;

typedef struct TuneWish {
        cpu_set_t leased; /* with the siblings that stay empty; none: nothing is wanted */
        cpu_set_t others; /* where interrupts and work go instead: at least one */
        uint32_t without; /* bits 1 << TunableId that are to be left alone */
} TuneWish;

/* The name of a tunable: a static word. */
const char *tunable_name(TunableId id);

/*
 * Adds to @plan what @wish takes on the machine below @root. @journal tells what files held that were changed already.
 * Returns 0 or a negative errno.
 */
int tunables_plan(RootDir *root, const RestoreJournal *journal, const TuneWish *wish, TunePlan *plan);

/* Adds the switch of boost (turbo) of the policies of @cpus, whichever the driver has. Returns 0 or a negative errno. */
int tunable_plan_boost(RootDir *root, const cpu_set_t *cpus, bool on, TunePlan *plan);
