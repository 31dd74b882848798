/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A cpuset for each runner: the CPUs that it was lent, which it cannot leave, whatever it asks the kernel for. An
 * affinity alone is only a wish of the process that has it, so that code at SCHED_FIFO could go and starve the CPU that
 * keeps house.
 *
 * The group is one of cgroup v1 if that has the controller, else one of v2 below the control group that was delegated
 * to this daemon. The daemon's own processes then move to a group beside the runners', because none may be where
 * controllers are handed on. Each group is noted in the restore journal before it is made.
 */

#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "machine/restore-record.h"
#include "ops/ops.h"

typedef struct Cpusets Cpusets;
typedef struct RestoreHand RestoreHand;
typedef struct RestoreJournal RestoreJournal;
typedef struct RootDir RootDir;

/* One runner's. */
typedef struct Cpuset {
        char path[RESTORE_KEY_MAX]; /* below the root; empty: there is none */
        const char *tasks;          /* the file in it to which a process writes itself; static */
        OpsOutcome outcome;
} Cpuset;

/*
 * Finds the cpusets of v1 of the running machine, whose @root is, if it has them, and makes the group `benchd` there, which
 * is every daemon's and stays: in the mother of all nobody may write, not even its owner, so that this takes
 * CAP_DAC_OVERRIDE. Both arguments outlive it; without a journal there are none. Returns 0 or a negative errno.
 */
int cpusets_new(RootDir *root, RestoreJournal *journal, Cpusets **ret_cpusets);

/* Takes those of v2, if there are none of v1: the control group of this process is its own, and @own are all that is in it. */
void cpusets_divide(Cpusets *cpusets, const pid_t *own, size_t n_own);
/* Takes the controller back that cpusets_divide() handed on, or that of a daemon which was killed, in whose group this process is. */
void cpusets_unite(RootDir *root);
Cpusets *cpusets_free(Cpusets *cpusets);

/* Makes a cpuset of @cpus for process @id. Its outcome says if it could not be had. Returns 0 or a negative errno. */
int cpusets_make(Cpusets *cpusets, uint64_t id, const cpu_set_t *cpus, Cpuset *ret_cpuset);

/* Removes it once it is empty. One that is not yet stays in the journal, which removes it later. Returns 0 or a negative errno. */
int cpusets_remove(Cpusets *cpusets, Cpuset *cpuset);

/* Writes the absolute path of the file by which a process joins it into @path; empty where there is none. */
void cpuset_tasks(const Cpuset *cpuset, char *path, size_t n_path);

/* The hand of RESTORE_CGROUP, with the values "present" and "absent"; @root outlives it. */
void cpuset_hand(RootDir *root, RestoreHand *ret_hand);
