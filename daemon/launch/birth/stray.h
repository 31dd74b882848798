/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Processes that a runner left behind. The launcher is the subreaper of all its descendants, so a process whose parent
 * died becomes its child; a child that the launcher did not start is a stray. A control group kills better
 * (launch/birth/run-group.h); this module kills where there is none, and always reaps.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Makes this process the subreaper of its descendants. Returns 0 or a negative errno. */
int stray_adopt(void);

/*
 * Kills every child that is not among @known, with all its descendants, and reaps what can be reaped within
 * @patience_ms. All are stopped before any is killed, so that none forks meanwhile. True if none is left. A traced
 * process stays a zombie until its tracer is gone, and is not waited for.
 */
bool stray_kill(const pid_t *known, size_t n_known, unsigned patience_ms);

/* Kills @pid, an unreaped child of this process, and all its descendants. */
void stray_kill_below(pid_t pid);

/* Calls @each for @pid and for each of its descendants that is found. */
void stray_each(pid_t pid, void (*each)(pid_t pid, void *userdata), void *userdata);

/* Counts the processes and threads of all users of the machine; 0 if they cannot be counted. */
size_t stray_count_tasks(void);
