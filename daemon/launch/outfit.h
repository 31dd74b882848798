/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * What is the launcher's to say of a runner, whatever benchd asks for: its CPUs and their clock, as whom it runs, and how it
 * is born.
 */

#include "ops/runner-plan.h"

typedef struct Identities Identities;
typedef struct Identity Identity;
typedef struct LeaseSet LeaseSet;
typedef struct Leases Leases;
typedef struct OpsMachine OpsMachine;
typedef struct ZygoteBirth ZygoteBirth;

/* What it is said from. */
typedef struct Outfit {
        const Identities *identities;
        const Leases *leases;
        OpsMachine *machine;
} Outfit;

/* Completes @plan for a runner of @identity on what it was lent. What has no lease keeps to the housekeeping CPU. */
void outfit_complete(const Outfit *outfit, const Identity *identity, const LeaseSet *lent, RunnerPlan *plan);

/* How the runner of @plan, complete, is born; in no cpuset yet. */
void outfit_birth(const Outfit *outfit, const RunnerPlan *plan, ZygoteBirth *ret_birth);
