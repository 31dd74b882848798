/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The CPUs that another thread may run on, as a value that the restore journal keeps. Its key is the thread's number and the
 * tick at which it started, so that nobody is restored who merely got the number later.
 */

#include <stddef.h>
#include <sys/types.h>

typedef struct RestoreHand RestoreHand;
typedef struct RootDir RootDir;

enum {
        _THREAD_MASK_E_SUCCESS,

        THREAD_MASK_E_GONE, /* there is no such thread */
};

/* Writes the key of thread @tid of the machine below @root. Returns 0, E_GONE, or a negative errno. */
int thread_mask_key(RootDir *root, pid_t tid, char *key, size_t n_key);

/*
 * The hand of RESTORE_THREAD_MASK, with values as lists of CPUs; @root, the running machine's, outlives it. A thread that the
 * kernel ties to its CPU refuses. A mask with a CPU that is off is written without it: it is to be written again.
 */
void thread_mask_hand(RootDir *root, RestoreHand *ret_hand);
