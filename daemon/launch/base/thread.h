/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A thread of a child of this process. The child keeps its number until it is reaped; a number of a thread may be another process's
 * the next moment, so a thread is its process and its id together, and the kernel tells in one call if both still belong together.
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
} Thread;

#define THREAD_LOOKS_MAX                                                                                               \
 256u /* at threads of a process, the last ids first: workers begin after the module's own threads */

/*
 * Finds the thread of @process, an unreaped child, that knows itself as @own_id: in its own namespace of processes, which may not be
 * this one's. Returns 0, E_GONE, also where it is none of the last THREAD_LOOKS_MAX, or a negative errno.
 */
int thread_find_own(RootDir *root, pid_t process, pid_t own_id, Thread *ret_thread);

/* True if the first thread of @process, an unreaped child, runs or waits for nothing but a CPU: state R of proc_pid_stat(5). */
bool thread_wants_cpu(RootDir *root, pid_t process);

/* True if the process, an unreaped child, has this thread, or another one that got its id. */
bool thread_is_there(const Thread *thread);

/* Reads when @process began, in the kernel's own unit since it booted. Returns 0, E_GONE, or a negative errno. */
int thread_read_start(RootDir *root, pid_t process, uint64_t *ret_started);
