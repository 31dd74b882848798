/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The view from a cell: a file tree that has only what is put there (pivot_root(2)). From the machine come the directories of the system, the
 * kernel's files about the hardware, the devices that every program has, and the paths that the submitter named, all read-only. The run's own
 * part is a directory and shared memory, both empty at its birth; pseudo-terminals and message queues; /proc, with the processes of the cell;
 * and the network, a loopback interface. A body with CPUs for its own threads sees only these online. No further user namespace can be made,
 * since one would expose more of the kernel to attack.
 */

#include <sched.h>
#include <stddef.h>

#include "ops/runner-plan.h"

typedef struct WorkplaceOwner WorkplaceOwner;

#define CELL_VIEW_WORKPLACE "/tmp"

/* A path that the submitter named, and the mount that is seen there. */
typedef struct CellSeen {
        char path[RUNNER_DIRECTORY_MAX]; /* absolute (runner_plan_seen_is_valid()) */
        int fd;                          /* a mount that is not attached yet */
} CellSeen;

/* Mounts that are not attached yet, and stay the caller's. */
typedef struct CellView {
        const WorkplaceOwner *owner;
        const cpu_set_t *online; /* the CPUs that are online; NULL: the machine's */
        int proc_fd;             /* of cell_view_open_proc() */
        int work_fd;             /* of the runner's directory; -1: a space in memory */
        CellSeen seen[RUNNER_SEEN_MAX];
        size_t n_seen;
} CellView;

/*
 * Call it in new namespaces: mounts from outside no longer arrive afterwards, and the loopback interface is up. Returns
 * 0 or a negative errno.
 */
int cell_view_detach(void);

/*
 * Makes a /proc of the cell's own processes, a mount that is not attached yet. -1 where the kernel refuses, because part of the
 * container's only /proc is covered. Then the cell has that one.
 */
int cell_view_open_proc(void);

/*
 * Closes the view for all processes of the cell, for good, and enters the runner's directory, at CELL_VIEW_WORKPLACE. Returns NULL, or
 * the step that failed, with errno. The caller is the runner, which has opened everything that it needs from outside.
 */
const char *cell_view_close(const CellView *view);

/* Enters the runner's directory in another process of the cell, whose view is closed. Returns as above. */
const char *cell_view_enter(void);
