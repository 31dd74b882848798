/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Controls of a job: what was set for its runners and switched of the machine around them, and what kept others off
 * their CPUs. Each control has the worst outcome over all processes, since a run is as good as its worst process.
 * Pure.
 */

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "front/base/arena.h"
#include "ops/ops.h"

typedef struct SampleBlock SampleBlock;

typedef struct MachineControls {
        uint32_t scheduler; /* OpsOutcome, as all of these; 0 where none was told */
        uint32_t affinity;
        bool own_cpus; /* a process had CPUs for threads of its body's own, on which all may run */
        uint32_t memory;
        uint32_t memory_lock;
        const char *directory; /* below which the runs had theirs, for as long as this lives; NULL: in memory */
        char **seen;           /* what the runs saw, for as long as this lives */
        size_t n_seen;
        uint32_t random_layout;
        uint32_t stack;
        uint64_t stack_bytes;
        uint32_t fixed_layout;
        uint32_t common_layout;
        uint32_t cpuset;
        uint32_t namespaces;
        uint32_t run_group; /* one by which all processes of a run are killed */
        uint32_t memory_bound;
        uint32_t tasks_bound;
        uint64_t memory_max_bytes;
        uint64_t address_space_max_bytes; /* of each process; 0: no limit */
        uint64_t tasks_max;
        uint32_t code_offset;
        uint32_t image_states[RUNNER_SIDES_MAX]; /* SampleImageState, of each side's module */
        OpsControl controls[OPS_CONTROLS_MAX];   /* the machine's */
        uint32_t n_controls;
        uint32_t isolation;     /* OpsIsolation; 0 where none was told */
        uint32_t shared_caches; /* levels, as bits 1 << level */
        cpu_set_t cpus;         /* the runners' */
        cpu_set_t lost;         /* CPUs that were switched off while a process had them */
        cpu_set_t left;         /* CPUs that a process left by itself */
} MachineControls;

/* Adds the outcomes that were told with the end of a process, and those in its @block. */
void machine_controls_add(MachineControls *controls, const OpsEnded *ended, const SampleBlock *block);

/* Adds the place of the module of @side in the process of @block. */
void machine_controls_add_image(MachineControls *controls, uint32_t side, const SampleBlock *block);

/* The control of that name; NULL if there is none. */
const OpsControl *machine_controls_find(const MachineControls *controls, const char *name);

/* The word for an OpsOutcome, such as "applied". */
const char *machine_controls_outcome_name(uint32_t outcome);

/* The housekeeping CPU, where runners had it; else -1. */
int machine_controls_shared_cpu(const MachineControls *controls, const OpsMachine *machine);

/* True where a CPU was switched off or left, which says more than that a runner was not pinned. */
bool machine_controls_lost_a_cpu(const MachineControls *controls);

/*
 * Adds a sentence for each CPU switched off or left, for denied controls, for each overridden one, and for shared
 * caches.
 */
void machine_controls_warn(const MachineControls *controls, Arena *arena, ArenaList *warnings);

/* Adds a sentence for each thing of a killed daemon that could not be put back when this one started. */
void machine_controls_warn_replay(const OpsReplay *replay, Arena *arena, ArenaList *warnings);
