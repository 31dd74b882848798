/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The view from a cell: a tree of its own, in which nothing is found that is not put there (pivot_root(2)). The machine's part of it is the
 * directories of the system, what the kernel tells of the hardware, the devices that every program has, and the paths that the submitter
 * named: all to be read, not to be written. The run's own part is a directory and shared memory, both empty at its birth; pseudo-terminals and
 * message queues; /proc, with the processes of the cell; and the network, a loopback interface. A body that has CPUs for threads of its
 * own sees no others online. No further user namespace can be made, behind which the kernel would offer more to attack.
 */

#include <sched.h>
#include <stddef.h>

#include "ops/runner-plan.h"

typedef struct WorkplaceOwner WorkplaceOwner;

#define CELL_VIEW_WORKPLACE "/tmp"

/* A path that the submitter named: what is seen there. */
typedef struct CellSeen {
        char path[RUNNER_DIRECTORY_MAX]; /* absolute (runner_plan_seen_is_valid()) */
        int fd;                          /* a mount that has no place yet */
} CellSeen;

/* Mounts that have no place yet, and stay the caller's. */
typedef struct CellView {
        const WorkplaceOwner *owner;
        const cpu_set_t *online; /* the CPUs that are online; NULL: the machine's */
        int proc_fd;             /* of cell_view_open_proc() */
        int work_fd;             /* of the runner's directory; -1: a space in memory */
        CellSeen seen[RUNNER_SEEN_MAX];
        size_t n_seen;
} CellView;

/* In new namespaces: mounts of others no longer arrive, and the loopback interface is up. Returns 0 or a negative errno. */
int cell_view_detach(void);

/*
 * A /proc of the cell's own processes, as a mount that has no place yet. -1 where the kernel refuses: part of the container's /proc is
 * covered, and no other is there. Then a cell has that one.
 */
int cell_view_open_proc(void);

/*
 * Closes the view for all processes of the cell, for good, and goes to the runner's directory, at CELL_VIEW_WORKPLACE. NULL, or the step
 * that failed, with errno. The caller is the runner, with all that it has to open outside.
 */
const char *cell_view_close(const CellView *view);

/* Goes there in another process of the cell, whose view is closed. As above. */
const char *cell_view_enter(void);
