/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A control group for each runner: a run is killed as a whole, however many processes it has become, and has bounds that no
 * system call can lift. Its aspects:
 *
 *      kill     all of its processes die at once, at the run's end, its timeout, its cancellation, and when the journal of a
 *               killed daemon is replayed
 *      cpuset   the CPUs that it was lent. An affinity alone is only a wish of the process that has it, so code at SCHED_FIFO
 *               could go and starve the CPU that keeps house
 *      memory   a bound on the memory of all its processes together, and none of it swapped
 *      tasks    a bound on its processes and threads
 *
 * With cgroup v2 a run has one group for all aspects, below the control group of this daemon. The controllers can be handed on
 * only if that group is delegated. The daemon's own processes then move to a group beside the runners', because a group that
 * hands controllers on may have no processes. With v1 a run has a group in each hierarchy that there is. Each group is fresh for
 * its run, noted in the restore journal before it is made, and removed when it is empty.
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

/* The group of one run; {} is none. */
typedef struct RunGroup {
        RunGroupPlace places[_RUN_GROUP_ASPECT_N]; /* the place for killing last */
        size_t n;
        OpsOutcome outcomes[_RUN_GROUP_ASPECT_N];
} RunGroup;

typedef struct RunGroupBounds {
        const cpu_set_t *cpus; /* NULL: any */
        uint64_t memory_bytes;
        uint64_t tasks;
} RunGroupBounds;

/*
 * Finds where groups can be made on the running machine, whose files are below @root. In a hierarchy of v1, and in v2 without delegation,
 * that is a group `benchd`, which all daemons share and which stays: making it takes CAP_DAC_OVERRIDE. Both arguments outlive the groups;
 * without a journal there are no groups. Returns 0 or a negative errno.
 */
int run_groups_new(RootDir *root, RestoreJournal *journal, RunGroups **ret_groups);

/*
 * Call it when CPUs were switched on: a group of v1, which lost them when they went off, gets the CPUs of its parent.
 */
void run_groups_follow_cpus(const RunGroups *groups);

/* Hands the controllers of v2 on. The control group of this process is its own, and @own are all processes in it. */
void run_groups_divide(RunGroups *groups, const pid_t *own, size_t n_own);
/*
 * Takes back the controllers that run_groups_divide() handed on, in this daemon or in a killed one whose group this
 * process is in.
 */
void run_groups_unite(RootDir *root);
RunGroups *run_groups_free(RunGroups *groups);

/* Makes a group for process @id. The outcomes say which aspects could not be had. Returns 0 or a negative errno. */
int run_groups_make(RunGroups *groups, uint64_t id, const RunGroupBounds *bounds, RunGroup *ret_group);

/* Writes the absolute paths of the files that a process writes itself to in order to join; empty: none. */
void run_group_files(const RunGroup *group, char files[static ZYGOTE_GROUPS_MAX][ZYGOTE_PATH_MAX]);

/*
 * Kills everything in the group of @files, and removes it: for the zygote after the launcher was killed, which knows only the files. A group
 * that is gone is no error.
 */
void run_group_end_files(RootDir *root, const char files[static ZYGOTE_GROUPS_MAX][ZYGOTE_PATH_MAX]);

/* Returns which of those files is of the group that bounds @aspect, as a bit; 0 if none is. */
uint32_t run_group_number(const RunGroup *group, RunGroupAspect aspect);

/* Notes which of those groups the newborn joined, as bits. */
void run_group_note_joined(RunGroup *group, uint32_t joined);

/* True if @pid is in a group of a run, of this daemon or of another that shares its groups. */
bool run_groups_have(const RunGroups *groups, pid_t pid);

/* True if the kernel kills all processes in it, whoever asks: in v1 they are signalled. */
bool run_group_kills_by_kernel(const RunGroup *group);

/*
 * Moves a process of the user into it. A process leaves the bounds of its own group for those of a run only: where the run has none, it
 * stays. Returns the outcome for the group that kills, 0 if there is none.
 */
OpsOutcome run_groups_adopt(const RunGroups *groups, const RunGroup *group, pid_t pid);

/*
 * Moves @pid out again, to the daemon's own processes: the process that was to be moved has died meanwhile, so another may have got its
 * pid, and have been moved.
 */
void run_groups_evict(const RunGroups *groups, const RunGroup *group, pid_t pid);

/* Kills all processes in it. False if no group can kill, so that processes have to be found otherwise. */
bool run_groups_kill(const RunGroups *groups, const RunGroup *group);

/* True if no process of the run is left in its group. */
bool run_groups_are_empty(const RunGroups *groups, const RunGroup *group);

/* One of the processes in it; 0 if there is none. */
pid_t run_groups_first(const RunGroups *groups, const RunGroup *group);

/* The bounds that the run has met, as bits of OpsBound. */
uint32_t run_groups_bounds_met(const RunGroups *groups, const RunGroup *group);

/* The most memory that all processes in it had together, with the pages of files that they read and wrote; 0 where no group counts it. */
uint64_t run_groups_memory_peak(const RunGroups *groups, const RunGroup *group);

/* True if one of its processes died of the bound on memory and the kernel left the others alive, as v1 does. */
bool run_groups_lost_one(const RunGroups *groups, const RunGroup *group);

/* Kills until it is empty, for at most @patience_ms. */
void run_groups_end(const RunGroups *groups, const RunGroup *group, unsigned patience_ms);

/* Removes it if it is empty. Otherwise it stays in the journal, for a later removal. Returns 0 or a negative errno. */
int run_groups_remove(RunGroups *groups, RunGroup *group);

/* True if @key of a journal is the path of a group. */
bool run_group_is_key(const char *key);

/*
 * The hand of RESTORE_CGROUP, with the values "present" and "absent", for groups that a killed daemon left: the processes in the group
 * are killed first, and waited for. @root outlives it.
 */
void run_group_hand(RootDir *root, RestoreHand *ret_hand);
