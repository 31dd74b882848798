/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The view from a cell: files can be read and not written, but for a directory of the runner's own and shared memory, both empty at
 * its birth; /run, where other programs listen, is empty; /proc shows the processes of the cell, and cannot be written; the network is
 * a loopback interface of its own; where its body has CPUs for threads of its own, no others are online. No further user namespace can be made, behind which the kernel would offer more to attack.
 */

#include <sched.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct WorkplaceOwner WorkplaceOwner;

#define CELL_VIEW_WORKPLACE "/tmp"

/* In new namespaces: mounts of others no longer arrive, and the loopback interface is up. Returns 0 or a negative errno. */
int cell_view_detach(void);

/*
 * Closes the view, for good, with @online (or NULL: the machine's) as the CPUs online, and goes to the runner's directory, at
 * CELL_VIEW_WORKPLACE: the mount @work_fd, which stays the caller's, or where that is -1 a space of its own that belongs to @owner. NULL, or
 * the step that failed, with errno. The caller is the runner, with all that it has to open outside.
 */
const char *cell_view_close(const WorkplaceOwner *owner, const cpu_set_t *online, int work_fd);

/* Goes there in another process of the cell, whose view is closed. As above. */
const char *cell_view_enter(void);
