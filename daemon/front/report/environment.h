/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Environment of a run: the machine in words, and its controls. Built from the host as this process reads it, from the
 * launcher's account of the machine, and from the controls that the launcher told for each runner.
 */

#include "front/base/arena.h"
#include "front/base/machine-identity.h"
#include "front/report/machine-controls.h"
#include "ops/ops.h"
#include "proto/benchd.pb-c.h"

typedef struct RootDir RootDir;

#define ENVIRONMENT_HOST_TEXT_MAX 256u

/* The host as the front-end reads it, once. */
typedef struct EnvironmentHost {
        char system[ENVIRONMENT_HOST_TEXT_MAX]; /* as /etc/os-release names it */
        char kernel[ENVIRONMENT_HOST_TEXT_MAX];
        char libc[ENVIRONMENT_HOST_TEXT_MAX];
        char huge_pages[ENVIRONMENT_HOST_TEXT_MAX]; /* "always", "madvise" or "never"; empty where the kernel has none */
        MachineIdentity machine;
} EnvironmentHost;

/* @machine_name is that of the configuration, for machine_identity_read(). */
void environment_read_host(RootDir *root, const char *machine_name, EnvironmentHost *ret_host);

/* The system's one-minute load; NaN where it cannot be read. */
double environment_read_load(RootDir *root);

/* The share of the last 10 s in which some program waited for memory; NaN where the kernel does not tell. */
double environment_read_memory_stall(RootDir *root);

/*
 * The source of power: "mains", or "battery" where that discharges or no supply from outside is on; NULL where nothing tells, as on most
 * machines without a battery (Documentation/ABI/testing/sysfs-class-power). Static.
 */
const char *environment_read_power_source(RootDir *root);

/*
 * Builds the environment in @arena. @controls are NULL where nothing ran (status): then all CPUs that can be leased are
 * named. @machine is NULL until the launcher has told of it. Returns NULL where there is no memory.
 */
Benchd__Environment *environment_build(Arena *arena, const EnvironmentHost *host, const OpsMachine *machine,
                const MachineControls *controls, double load);

/*
 * Adds a sentence for each pair of CPUs whose shared core the topology does not name, one where more wants to run than there are CPUs, 
 * one where memory is short, and one where the power comes from a battery.
 */
void environment_warn(Arena *arena, const Benchd__Environment *environment, ArenaList *warnings);
