/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * SCHED_FIFO, given to a process and taken back. Low: above everything ordinary, below the kernel's own real-time threads.
 */

#include <sys/types.h>

#include "ops/ops.h"

/*
 * Gives it to @pid, an unreaped child, and reads it back. What it forks is ordinary. OVERRIDDEN where it has left @cpu: it
 * would keep others from theirs.
 */
OpsOutcome realtime_grant(pid_t pid, int cpu);

/* Takes it back; nothing if @pid is dead. */
void realtime_revoke(pid_t pid);
