/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A runner on benchd's word, from the record that asks for it to the record that answers: first what it is to have, then its
 * birth. In between the machine's clock may be looked at, which is of no use for what is refused.
 */

#include <stdbool.h>

#include "launch/lease/lease.h"
#include "launch/run/process.h"

typedef struct RunnerSetup RunnerSetup;
typedef struct Runners Runners;

enum {
        _SPAWNING_E_SUCCESS,

        SPAWNING_E_REFUSED, /* the answer says why */
};

/* The means that all of them share. */
typedef struct SpawningConfig {
        Tickets *tickets;
        Runners *runners;
        Leases *leases;
        const RunnerSetup *setup;
        bool require_cpuset;       /* for SCHED_FIFO */
        ProcessEnded ended, freed; /* as those of ProcessConfig */
        void *userdata;
} SpawningConfig;

typedef struct Spawning {
        const SpawningConfig *config;
        const OpsRecord *request;
        const Ticket *tickets[RUNNER_SIDES_MAX]; /* one a side */
        LeaseSet leases;                         /* none: it lists or counts allocations, beside all else */
} Spawning;

/*
 * Finds what the runner that @request asks for is to have. Both outlive @ret_spawning, which is to be started. Returns 0 or
 * E_REFUSED.
 */
int spawning_prepare(const SpawningConfig *config, const OpsRecord *request, Spawning *ret_spawning,
                OpsRecord *ret_answer);

/* Has the runner born. If that fails, all is given back, and the answer refuses. */
void spawning_start(Spawning *spawning, OpsRecord *ret_answer);
