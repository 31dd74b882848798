/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Environment of a run: the machine in words, and its controls. Built from the host facts that this process reads, the
 * machine's state that the launcher sends, and the controls that the launcher reports for each runner.
 */

#include "front/base/arena.h"
#include "front/base/machine-identity.h"
#include "front/report/machine-controls.h"
#include "ops/ops.h"
#include "proto/benchd.pb-c.h"

typedef struct RootDir RootDir;

#define ENVIRONMENT_HOST_TEXT_MAX 256u

/* Host facts, read once by the front-end. */
typedef struct EnvironmentHost {
        char system[ENVIRONMENT_HOST_TEXT_MAX]; /* as /etc/os-release names it */
        char kernel[ENVIRONMENT_HOST_TEXT_MAX];
        char libc[ENVIRONMENT_HOST_TEXT_MAX];
        char huge_pages[ENVIRONMENT_HOST_TEXT_MAX]; /* "always", "madvise" or "never"; empty: not supported by the kernel */
        MachineIdentity machine;
} EnvironmentHost;

/* Reads the host facts. @machine_name is the configured one, for machine_identity_read(). */
void environment_read_host(RootDir *root, const char *machine_name, EnvironmentHost *ret_host);

/* The system's one-minute load; NaN if it cannot be read. */
double environment_read_load(RootDir *root);

/* The share of the last 10 s in which some task waited for memory (PSI); NaN if the kernel does not report it. */
double environment_read_memory_stall(RootDir *root);

/*
 * The power source: "mains", or "battery" if it discharges or no external supply is online; NULL if unknown, as on most machines without a
 * battery (Documentation/ABI/testing/sysfs-class-power). Static.
 */
const char *environment_read_power_source(RootDir *root);

/*
 * Builds the environment in @arena. @controls is NULL if nothing ran (status): then all CPUs that can be leased are
 * named. @machine is NULL until the launcher has sent it. Returns NULL if memory ran out.
 */
Benchd__Environment *environment_build(Arena *arena, const EnvironmentHost *host, const OpsMachine *machine,
                const MachineControls *controls, double load);

/*
 * Adds a sentence for each pair of CPUs that share a core unknown to the topology, and one each if more tasks want to run than there are
 * CPUs, if memory is short, and if the machine runs on battery.
 */
void environment_warn(Arena *arena, const Benchd__Environment *environment, ArenaList *warnings);
