/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * SCHED_FIFO, given to a process and taken back. Low: above everything ordinary, below the kernel's own real-time threads.
 */

#include <stdbool.h>
#include <sys/types.h>

#include "ops/ops.h"

/*
 * Gives it to @pid, an unreaped child, and reads it back. What it forks is ordinary. OVERRIDDEN where it has left @cpu: it
 * would keep others from theirs.
 */
OpsOutcome realtime_grant(pid_t pid, int cpu);

/* Whether it still has it: a process may give it up. */
bool realtime_holds(pid_t pid);

/* Takes it back; nothing if @pid is dead. */
void realtime_revoke(pid_t pid);
