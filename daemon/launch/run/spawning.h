/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Starting a runner for benchd, from the request to the answer: first its resources are found, then it is born. In between
 * the caller may read the machine's clock, which would be wasted on a request that is refused.
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

/* The context that all spawnings share. */
typedef struct SpawningConfig {
        Tickets *tickets;
        Runners *runners;
        Leases *leases;
        const RunnerSetup *setup;
        bool require_cpuset;       /* for SCHED_FIFO */
        ProcessEnded ended, freed; /* as in ProcessConfig */
        void *userdata;
} SpawningConfig;

typedef struct Spawning {
        const SpawningConfig *config;
        const OpsRecord *request;
        const Ticket *tickets[RUNNER_SIDES_MAX]; /* one a side */
        LeaseSet leases;                         /* none: it lists or counts allocations, on the housekeeping CPU */
} Spawning;

/*
 * Finds the resources of the runner that @request asks for. Both arguments outlive @ret_spawning, which the caller must
 * start. Returns 0 or E_REFUSED.
 */
int spawning_prepare(const SpawningConfig *config, const OpsRecord *request, Spawning *ret_spawning,
                OpsRecord *ret_answer);

/* Starts the runner. If that fails, its resources are given back and the answer is a refusal. */
void spawning_start(Spawning *spawning, OpsRecord *ret_answer);
