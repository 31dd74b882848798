/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A control group for each runner: a run is killed as one, however many processes it has become, and has bounds that it cannot
 * leave, whatever it asks the kernel for. Its aspects:
 *
 *      kill     all of its processes die at once, at the run's end, its timeout, its cancellation, and when the journal of a
 *               killed daemon is replayed
 *      cpuset   the CPUs that it was lent. An affinity alone is only a wish of the process that has it, so code at SCHED_FIFO
 *               could go and starve the CPU that keeps house
 *      memory   a bound on the memory of all its processes together, and none of it swapped
 *      tasks    a bound on its processes and threads
 *
 * With cgroup v2 a run has one group for all, below the control group of this daemon. The controllers can be handed on only
 * where that is delegated: the daemon's own processes then move to a group beside the runners', because none may be where
 * controllers are handed on. With v1 a run has a group in each hierarchy that there is. Each group is fresh for its run, noted in
 * the restore journal before it is made, and removed when it is empty.
 */

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "launch/birth/zygote.h"
#include "machine/restore-record.h"
#include "ops/ops.h"

typedef struct RestoreHand RestoreHand;
typedef struct RestoreJournal RestoreJournal;
typedef struct RunGroups RunGroups;

typedef enum RunGroupAspect {
        RUN_GROUP_CPUSET,
        RUN_GROUP_MEMORY,
        RUN_GROUP_TASKS,
        RUN_GROUP_KILL,
        _RUN_GROUP_ASPECT_N,
} RunGroupAspect;

_Static_assert(ZYGOTE_GROUPS_MAX >= _RUN_GROUP_ASPECT_N, "a newborn joins all groups of its run");

/* One directory of a run's group. */
typedef struct RunGroupPlace {
        char path[RESTORE_KEY_MAX]; /* below the root */
        uint32_t aspects;           /* bits 1 << RunGroupAspect */
        bool v2;
} RunGroupPlace;

/* One run's; {} is one that has none. */
typedef struct RunGroup {
        RunGroupPlace places[_RUN_GROUP_ASPECT_N]; /* the one by which it is killed last */
        size_t n;
        OpsOutcome outcomes[_RUN_GROUP_ASPECT_N];
} RunGroup;

typedef struct RunGroupBounds {
        const cpu_set_t *cpus; /* NULL: any */
        uint64_t memory_bytes;
        uint64_t tasks;
} RunGroupBounds;

/*
 * Finds where the running machine, whose @root is, lets groups be made. In a hierarchy of v1, and in v2 where it is not delegated, that is a
 * group `benchd`, which is every daemon's and stays: to make it takes CAP_DAC_OVERRIDE. Both arguments outlive the groups; without a journal
 * there are none. Returns 0 or a negative errno.
 */
int run_groups_new(RootDir *root, RestoreJournal *journal, RunGroups **ret_groups);

/* CPUs have come: a group of v1, which lost them when they went, gets those of its mother. */
void run_groups_follow_cpus(const RunGroups *groups);

/* Hands the controllers on, where they are those of v2: the control group of this process is its own, and @own are all that is in it. */
void run_groups_divide(RunGroups *groups, const pid_t *own, size_t n_own);
/* Takes the controllers back that run_groups_divide() handed on, or those of a daemon which was killed, in whose group this process is. */
void run_groups_unite(RootDir *root);
RunGroups *run_groups_free(RunGroups *groups);

/* Makes a group for process @id. Its outcomes say which aspects could not be had. Returns 0 or a negative errno. */
int run_groups_make(RunGroups *groups, uint64_t id, const RunGroupBounds *bounds, RunGroup *ret_group);

/* Writes the absolute paths of the files by which a process joins it; empty where there is none. */
void run_group_files(const RunGroup *group, char files[static ZYGOTE_GROUPS_MAX][ZYGOTE_PATH_MAX]);

/*
 * Ends all that is in the group of @files, and removes it. The way of who knows nothing else of it, when the launcher was killed. A group that
 * is gone is no error.
 */
void run_group_end_files(RootDir *root, const char files[static ZYGOTE_GROUPS_MAX][ZYGOTE_PATH_MAX]);

/* The one of those files whose group bounds @aspect, as a bit; 0 where none does. */
uint32_t run_group_number(const RunGroup *group, RunGroupAspect aspect);

/* The newborn says which of those it joined, as bits. */
void run_group_note_joined(RunGroup *group, uint32_t joined);

/* Kills all that is in it. False if there is no group by which to do that, so that processes have to be found otherwise. */
bool run_groups_kill(const RunGroups *groups, const RunGroup *group);

/* True if no process of the run lives, as far as its group tells. */
bool run_groups_are_empty(const RunGroups *groups, const RunGroup *group);

/* One of the processes in it; 0 if there is none. */
pid_t run_groups_first(const RunGroups *groups, const RunGroup *group);

/* The bounds that the run met so far, as bits of OpsBound. */
uint32_t run_groups_bounds_met(const RunGroups *groups, const RunGroup *group);

/* True if a process of it died for its bound on memory, and the kernel left the others alive, as it does in v1. */
bool run_groups_lost_one(const RunGroups *groups, const RunGroup *group);

/* Kills until it is empty, for at most @patience_ms. */
void run_groups_end(const RunGroups *groups, const RunGroup *group, unsigned patience_ms);

/* Removes it once it is empty. One that is not yet stays in the journal, which removes it later. Returns 0 or a negative errno. */
int run_groups_remove(RunGroups *groups, RunGroup *group);

/* True if @key of a journal is the path of a group. */
bool run_group_is_key(const char *key);

/*
 * The hand of RESTORE_CGROUP, with the values "present" and "absent", for what a killed daemon left: all that is in the group is killed
 * first, and waited for. @root outlives it.
 */
void run_group_hand(RootDir *root, RestoreHand *ret_hand);
