/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * SCHED_FIFO, given to a thread and taken back. Low: above everything ordinary, below the kernel's own real-time
 * threads.
 *
 * The receiver must be known. An unreaped child's id is its own; that of any other thread may be another process's by now,
 * so the thread is looked at before and after: one that was not the child's at both times is made ordinary again.
 */

#include <stdbool.h>
#include <sys/types.h>

#include "ops/ops.h"

typedef struct Thread Thread;

/*
 * Gives it to @pid, an unreaped child, and reads it back. Its children are ordinary. OVERRIDDEN if @pid has left @cpu:
 * it would keep others from theirs.
 */
OpsOutcome realtime_grant(pid_t pid, int cpu);

/* True if @pid still has it: a process may give it up. */
bool realtime_holds(pid_t pid);

/* Takes it back; nothing if @pid is dead. */
void realtime_revoke(pid_t pid);

/* The same with another thread of an unreaped child. */
OpsOutcome realtime_grant_thread(const Thread *thread, int cpu);
void realtime_revoke_thread(const Thread *thread);

/* True if the thread @id may run on @cpu and nowhere else. */
bool realtime_stays_on(pid_t id, int cpu);
