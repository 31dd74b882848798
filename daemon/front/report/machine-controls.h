/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * What the launcher switched of the machine around the processes of a job, and what kept others off their CPUs: of each
 * control the worst that came of it, since a run is as good as its worst process. Pure.
 */

#include <stdbool.h>
#include <stdint.h>

#include "front/base/arena.h"
#include "ops/ops.h"

typedef struct MachineControls {
        OpsControl controls[OPS_CONTROLS_MAX];
        uint32_t n_controls;
        uint32_t isolation;     /* OpsIsolation; 0 where none was told */
        uint32_t shared_caches; /* levels, as bits 1 << level */
        cpu_set_t lost;         /* CPUs that were switched off while a process had them */
        cpu_set_t left;         /* those that a process left by itself */
} MachineControls;

/* Whether @b is worse than @a; both OpsOutcome, or 0. */
bool outcome_is_worse(uint32_t b, uint32_t a);

/* Adds what was told with the end of a process. */
void machine_controls_add(MachineControls *of, const OpsEnded *ended);

/* The control of that name; NULL if there is none. */
const OpsControl *machine_controls_find(const MachineControls *of, const char *name);

/* Whether a CPU was switched off or left, which says more than that a runner was not pinned. */
bool machine_controls_tell_cpus(const MachineControls *of);

/*
 * Adds a sentence on CPUs that were switched off or left, one on what was denied, one on each value that did not stay as it
 * was set, and one on shared caches.
 */
void machine_controls_warn(const MachineControls *of, Arena *arena, TextList *warnings);

/* Adds what of a killed daemon could not be put back when this one started. */
void replay_warn(const OpsReplay *replay, Arena *arena, TextList *warnings);
