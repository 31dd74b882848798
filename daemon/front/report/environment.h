/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The environment of a run: the machine in words, and what was done to it. Built from what this process can read of its
 * host, from the launcher's account of the machine, and from what the launcher said of each runner.
 */

#include <sched.h>
#include <stdint.h>

#include "front/base/arena.h"
#include "front/report/machine-controls.h"
#include "ops/ops.h"
#include "proto/benchd.pb-c.h"

typedef struct RootDir RootDir;
typedef struct SampleBlock SampleBlock;

#define HOST_TEXT_MAX 256u

/* What the front-end reads itself, once. */
typedef struct Host {
        char system[HOST_TEXT_MAX]; /* of /etc/os-release */
        char kernel[HOST_TEXT_MAX];
        char libc[HOST_TEXT_MAX];
        char huge_pages[HOST_TEXT_MAX]; /* "always", "madvise" or "never"; empty where the kernel has none */
} Host;

/* What was set for the runners of a job: the worst outcome of each control over all of them, 0 where none was told. */
typedef struct Controls {
        uint32_t scheduler; /* OpsOutcome */
        uint32_t affinity;
        uint32_t memory;
        uint32_t memory_lock;
        uint32_t random_layout;
        uint32_t fixed_layout;
        uint32_t cpuset;
        uint32_t code_offset;
        uint32_t image_states[RUNNER_SIDES_MAX]; /* ImageState, of each side's module */
        MachineControls machine;
        cpu_set_t cpus; /* that they ran on */
} Controls;

void host_read(RootDir *root, Host *ret_host);

/* The system's one-minute load; NaN where it cannot be read. */
double host_load(RootDir *root);

/* Adds what was done for the runner that ended so, and what that of @block did itself. */
void controls_add(Controls *controls, const OpsEnded *ended, const SampleBlock *block);

/* Adds where the module of @side lay in the process that ended so. */
void controls_add_image(Controls *controls, uint32_t side, const SampleBlock *block);

/* The CPU that keeps house, where runners had it; else -1. */
int controls_shared_cpu(const Controls *controls, const OpsMachine *machine);

/*
 * Builds the environment in @arena. @controls are NULL where nothing ran (status): then all CPUs that can be leased are
 * named. @machine is NULL until the launcher told of it. NULL where there is no memory.
 */
Benchd__Environment *environment_build(Arena *arena, const Host *host, const OpsMachine *machine,
                const Controls *controls, double load);

/* A line on each thing that the topology does not say of the CPUs. */
void environment_add_warnings(Arena *arena, const Benchd__Environment *environment, TextList *warnings);

/* The word for a control's outcome, such as "applied". */
const char *outcome_name(uint32_t outcome);
