/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Processes that a runner left behind. The launcher is the subreaper of all its descendants, so a process whose parent
 * died becomes its child; any child that nobody here started is somebody's leftover. A control group is the better way
 * to end them (launch/birth/run-group.h); this is the one where none can be had, and the one that reaps.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Makes orphans come here. Returns 0 or a negative errno. */
int stray_adopt(void);

/*
 * Kills every child that is not among @known, with all that descends from it, and reaps what can be reaped within
 * @patience_ms. All are stopped before any is killed, so that none forks meanwhile. True if none is left: a process that
 * somebody traces stays a corpse until its tracer is gone, and is not waited for.
 */
bool stray_kill(const pid_t *known, size_t n_known, unsigned patience_ms);

/* Kills what descends from @pid, a child of ours that is not reaped, and @pid itself. */
void stray_kill_below(pid_t pid);

/* The processes and threads of the whole machine, of all users; 0 where that cannot be told. */
size_t stray_count_tasks(void);
