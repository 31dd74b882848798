/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The launcher's part of a runner, whatever benchd asks for: its CPUs and their clock, the user that it runs as, and
 * how it is born.
 */

#include "launch/birth/run-group.h"
#include "ops/runner-plan.h"

typedef struct Identities Identities;
typedef struct Identity Identity;
typedef struct LeaseSet LeaseSet;
typedef struct Leases Leases;

/* The facts from which an outfit is made. */
typedef struct Outfit {
        const Identities *identities;
        const Leases *leases;
        OpsMachine *machine;
} Outfit;

/*
 * Completes @plan for a runner of @identity on the CPUs that it was lent. A runner without a lease keeps to the
 * housekeeping CPU.
 */
void outfit_complete(const Outfit *outfit, const Identity *identity, const LeaseSet *lent, RunnerPlan *plan);

/* The bounds of the control group of a runner that @spawn asks for: on its memory, its processes and threads. */
RunGroupBounds outfit_bounds(const Outfit *outfit, const OpsSpawn *spawn);

/* The address space of each process of a runner that @spawn asks for, where no control group bounds its memory. */
uint64_t outfit_address_space_bytes(const Outfit *outfit, const OpsSpawn *spawn);

/* How the runner of @plan, complete, is born; in no control group yet. */
void outfit_birth(const Outfit *outfit, const RunnerPlan *plan, ZygoteBirth *ret_birth);
