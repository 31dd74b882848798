/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Controls of a job: the settings of its runners, the machine's settings during the run, and what kept other tasks off
 * their CPUs. Each control has the worst outcome over all processes, since a run is as good as its worst process. Pure.
 */

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "front/base/arena.h"
#include "ops/ops.h"

typedef struct SampleBlock SampleBlock;

typedef struct MachineControls {
        uint32_t scheduler; /* OpsOutcome, as all of these; 0: not reported */
        uint32_t affinity;
        bool own_cpus; /* a process had CPUs for threads that its body starts, on which all its threads may run */
        uint32_t memory;
        uint32_t memory_lock;
        const char *directory; /* parent of the runs' directories, borrowed; NULL: in memory */
        char **seen;           /* the paths that the runs saw, borrowed */
        size_t n_seen;
        uint32_t random_layout;
        uint32_t stack;
        uint64_t stack_bytes;
        uint32_t fixed_layout;
        uint32_t common_layout;
        uint32_t cpuset;
        uint32_t namespaces;
        uint32_t adopted_affinity; /* of whole commands, as is the next */
        uint32_t adopted_group;
        uint32_t run_group; /* a cgroup that kills all processes of a run */
        uint32_t memory_bound;
        uint32_t tasks_bound;
        uint64_t memory_max_bytes;
        uint64_t address_space_max_bytes; /* of each process; 0: no limit */
        uint64_t tasks_max;
        uint32_t code_offset;
        uint32_t image_states[RUNNER_SIDES_MAX]; /* SampleImageState, of each side's module */
        OpsControl controls[OPS_CONTROLS_MAX];   /* the machine's */
        uint32_t n_controls;
        uint32_t isolation;     /* OpsIsolation; 0: not reported */
        uint32_t shared_caches; /* levels, as bits 1 << level */
        cpu_set_t cpus;         /* the runners' */
        cpu_set_t lost;         /* CPUs that went offline while leased */
        cpu_set_t left;         /* CPUs that a process left itself */
} MachineControls;

/* Adds the outcomes reported with the end of a process, and the ones in its @block. */
void machine_controls_add(MachineControls *controls, const OpsEnded *ended, const SampleBlock *block);

/* Adds the placement of the module of @side in the process of @block. */
void machine_controls_add_image(MachineControls *controls, uint32_t side, const SampleBlock *block);

/* Finds a control by name; NULL if there is none. */
const OpsControl *machine_controls_find(const MachineControls *controls, const char *name);

/* The word for an OpsOutcome ("applied"). */
const char *machine_controls_outcome_name(uint32_t outcome);

/* The housekeeping CPU if runners had it, else -1. */
int machine_controls_shared_cpu(const MachineControls *controls, const OpsMachine *machine);

/* True if a CPU went offline or was left: that explains why a runner was not pinned. */
bool machine_controls_lost_a_cpu(const MachineControls *controls);

/*
 * Adds a sentence for each CPU that went offline or was left, for denied controls, for each overridden control, and for
 * shared caches.
 */
void machine_controls_warn(const MachineControls *controls, Arena *arena, ArenaList *warnings);

/* Adds a sentence for each setting of a killed daemon that could not be restored at the start. */
void machine_controls_warn_replay(const OpsReplay *replay, Arena *arena, ArenaList *warnings);
