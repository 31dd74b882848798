/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Spawn records: the order to the launcher for one runner process. Pure.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "front/plan/plan.h"
#include "ops/ops.h"

typedef struct Config Config;
typedef struct JobModules JobModules;

#define SPAWN_TIMEOUT_MIN_NS     (60ull * 1000000000)
#define SPAWN_INSPECT_TIMEOUT_NS (5ull * 1000000000)

/* The part common to all processes of a job. */
typedef struct SpawnJob {
        uint64_t tickets[RUNNER_SIDES_MAX]; /* one a side; 0: no such side */
        const Benchd__RunRequest *run;      /* checked; NULL: nothing is measured */
        uint64_t timeout_max_ns;
        uint64_t listing_timeout_ns;
        uint64_t memory_max_bytes; /* as in OpsSpawn */
        uint64_t tasks_max;
        uint64_t address_space_max_bytes;
        const char *module_names[RUNNER_SIDES_MAX]; /* as submitted; NULL: no such side */
        char **library_names[RUNNER_SIDES_MAX];     /* each under RUNNER_LIBRARY_NAME_MAX bytes */
        size_t n_libraries[RUNNER_SIDES_MAX];       /* of both sides at most RUNNER_LIBRARIES_MAX */
        size_t n_preloaded[RUNNER_SIDES_MAX];       /* of these, the first ones */
        char **environment;                         /* NAME=VALUE, at most REQUEST_ENVIRONMENT_MAX bytes in all */
        size_t n_environment;
        bool after_others; /* another job's runners had the cores last, so they are warmed up as at the start of a run */
} SpawnJob;

/*
 * The common part for a job with @modules and the request @run (NULL: it measures nothing), which must outlive it, within the limits of
 * @config.
 */
SpawnJob spawn_job_of(const JobModules *modules, const Benchd__RunRequest *run, const Config *config);

/* Fills in the order for a process that lists the module of @side. */
void spawn_list(const SpawnJob *job, size_t side, OpsRecord *ret_record);

/*
 * Fills in the order for a process that inspects the module file of @side; @benchmark is AREA/NAME or NAME, each part under RUNNER_NAME_MAX
 * bytes, or NULL for all.
 */
void spawn_inspect(const SpawnJob *job, size_t side, const char *benchmark, OpsRecord *ret_record);

/* Fills in the order for @process of @plan. */
void spawn_run(const SpawnJob *job, const Plan *plan, const PlanProcess *process, OpsRecord *ret_record);

/*
 * The timeout of a process with @schedule: @asked_ns if not 0, else ten times its estimate and at least a minute; never
 * more than @max_ns.
 */
uint64_t spawn_timeout_ns(const RunnerSchedule *schedule, uint64_t asked_ns, uint64_t max_ns);
