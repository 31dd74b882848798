/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A thread of a process that is not this one's child to reap, so that its id may be another's the next moment. Which
 * thread it is, its process and the time of its start tell together: /proc shows both.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct RootDir RootDir;

enum {
        _THREAD_E_SUCCESS,

        THREAD_E_GONE, /* the process has no such thread */
};

typedef struct Thread {
        pid_t process;
        pid_t id;
        uint64_t started; /* in the kernel's own unit, since it booted */
} Thread;

/* Finds thread @id of @process, which is an unreaped child. Returns 0, E_GONE, or a negative errno. */
int thread_find(RootDir *root, pid_t process, pid_t id, Thread *ret_thread);

/*
 * Finds the thread of @process, an unreaped child, that knows itself as @own_id: in its own namespace of processes, which may not be
 * this one's. Returns 0, E_GONE, or a negative errno.
 */
int thread_find_own(RootDir *root, pid_t process, pid_t own_id, Thread *ret_thread);

/* True if the first thread of @process, an unreaped child, runs or waits for nothing but a CPU: state R of proc_pid_stat(5). */
bool thread_wants_cpu(RootDir *root, pid_t process);

/* True if the thread with this id is still the one that was found. */
bool thread_is(RootDir *root, const Thread *thread);
