/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The environment of a run: the machine in words, and what was done to it. Built from what this process can read of its
 * host, from the launcher's account of the machine, and from what the launcher said of each runner.
 */

#include "front/base/arena.h"
#include "front/report/machine-controls.h"
#include "ops/ops.h"
#include "proto/benchd.pb-c.h"

typedef struct RootDir RootDir;

#define HOST_TEXT_MAX 256u

/* What the front-end reads itself, once. */
typedef struct Host {
        char system[HOST_TEXT_MAX]; /* of /etc/os-release */
        char kernel[HOST_TEXT_MAX];
        char libc[HOST_TEXT_MAX];
        char huge_pages[HOST_TEXT_MAX]; /* "always", "madvise" or "never"; empty where the kernel has none */
} Host;

void environment_read_host(RootDir *root, Host *ret_host);

/* The system's one-minute load; NaN where it cannot be read. */
double environment_read_load(RootDir *root);

/*
 * Builds the environment in @arena. @controls are NULL where nothing ran (status): then all CPUs that can be leased are
 * named. @machine is NULL until the launcher told of it. NULL where there is no memory.
 */
Benchd__Environment *environment_build(Arena *arena, const Host *host, const OpsMachine *machine,
                const MachineControls *controls, double load);

/* A line on each thing that the topology does not say of the CPUs. */
void environment_warn(Arena *arena, const Benchd__Environment *environment, TextList *warnings);
