/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A thread of a child of this process. The child keeps its pid until it is reaped, but a thread's id may be reused at once. So a
 * thread is its process and its id together, and one system call checks that both still belong together.
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
 256u /* at threads of a process, from the last id down: workers begin after the module's own threads */

/*
 * Finds the thread of @process, an unreaped child, that has the id @own_id in its own pid namespace, which may differ from this one.
 * Returns 0, E_GONE (also if it is not among the last THREAD_LOOKS_MAX), or a negative errno.
 */
int thread_find_own(RootDir *root, pid_t process, pid_t own_id, Thread *ret_thread);

/* True if the first thread of @process, an unreaped child, runs or waits for nothing but a CPU: state R of proc_pid_stat(5). */
bool thread_wants_cpu(RootDir *root, pid_t process);

/* True if the process, an unreaped child, has this thread or another with the same id. */
bool thread_is_there(const Thread *thread);

/*
 * Reads when @process began, in clock ticks since boot (field 22 of proc_pid_stat(5)). Returns 0, E_GONE, or a negative
 * errno.
 */
int thread_read_start(RootDir *root, pid_t process, uint64_t *ret_started);
