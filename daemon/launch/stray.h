/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Processes that a runner left behind. The launcher is the subreaper of all its descendants, so a process whose parent
 * died becomes its child; any child that nobody here started is somebody's leftover.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Makes orphans come here. Returns 0 or a negative errno. */
int stray_adopt(void);

/*
 * Kills every child that is not among @known, and what those leave behind, and reaps what can be reaped within
 * @patience_ms. True if none is left: a process that somebody traces stays a corpse until its tracer is gone, and is not
 * waited for.
 */
bool stray_kill(const pid_t *known, size_t n_known, unsigned patience_ms);
