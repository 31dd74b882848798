/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Moves the kernel's own threads off the leased CPUs, as far as the kernel allows. Threads that belong to a CPU stay,
 * as do unbound workers, which follow their queues' mask (machine/tunable.h), and kthreadd, since threads that it
 * starts meanwhile would keep its narrower mask for ever.
 */

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct RestoreJournal RestoreJournal;
typedef struct RootDir RootDir;

typedef struct KernelThreads {
        bool known; /* false: the kernel does not list its threads (CONFIG_PROC_CHILDREN), or not in this container */
        size_t n_moved; /* now or earlier */
        size_t n_refused;
} KernelThreads;

/*
 * Moves the threads of the running machine, whose files are below @root, off @leased; a thread left without a CPU goes
 * to @others. Each change is noted in @journal first; without one (NULL) none is moved, and those on @leased count as
 * refused. Returns 0 or a negative errno.
 */
int kernel_threads_move(RootDir *root, RestoreJournal *journal, const cpu_set_t *leased, const cpu_set_t *others,
                KernelThreads *ret_threads);
