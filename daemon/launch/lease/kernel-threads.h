/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The kernel's own threads, off the leased CPUs as far as they can be moved. Those that belong to a CPU stay, as do unbound
 * workers, which follow their queues' mask (machine/tunable.h), and kthreadd, since what it makes meanwhile would keep its
 * narrower mask for ever.
 */

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct RestoreJournal RestoreJournal;
typedef struct RootDir RootDir;

typedef struct KernelThreads {
        bool known; /* false: the kernel does not tell which it has (CONFIG_PROC_CHILDREN), or not here: in a container */
        size_t n_moved; /* or had been before */
        size_t n_refused;
} KernelThreads;

/*
 * Moves those of the running machine, whose @root is, off @leased, to @others where nothing else is left. Each is noted
 * in @journal first. Returns 0 or a negative errno.
 */
int kernel_threads_move(RootDir *root, RestoreJournal *journal, const cpu_set_t *leased, const cpu_set_t *others,
                KernelThreads *ret_threads);
