/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* The launcher's decisions for every runner: its CPUs and their clock, the user that it runs as, and how it is born. */

#include "launch/birth/run-group.h"
#include "ops/runner-plan.h"

typedef struct Identities Identities;
typedef struct Identity Identity;
typedef struct LeaseSet LeaseSet;
typedef struct Leases Leases;

/* The facts that a setup is made from. */
typedef struct RunnerSetup {
        const Identities *identities;
        const Leases *leases;
        OpsMachine *machine;
} RunnerSetup;

/*
 * Completes @plan for a runner of @identity on the leased CPUs. A runner without a lease keeps to the housekeeping CPU.
 */
void runner_setup_complete(const RunnerSetup *setup, const Identity *identity, const LeaseSet *lent, RunnerPlan *plan);

/* The bounds of the control group of a runner that @spawn asks for: on its memory, its processes and threads. */
RunGroupBounds runner_setup_bounds(const RunnerSetup *setup, const OpsSpawn *spawn);

/* The address space of each process of a runner that @spawn asks for, where no control group bounds its memory. */
uint64_t runner_setup_address_space_bytes(const RunnerSetup *setup, const OpsSpawn *spawn);

/* Fills in how the runner of @plan, which is complete, is born; without a control group yet. */
void runner_setup_birth(const RunnerSetup *setup, const RunnerPlan *plan, ZygoteBirth *ret_birth);
