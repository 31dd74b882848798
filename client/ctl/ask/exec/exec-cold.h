/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Cold runs: the page cache loses the files of a command before each of its runs, or everything, which takes root or the
 * permission of the daemon. A file that a process has
 * mapped, as all have libc, stays; the kernel tells that to the file's owner and to those who may write it.
 */

#include <stdbool.h>
#include <stddef.h>

#include "ctl/ask/exec/exec-plan.h"

typedef struct ExecPaths ExecPaths;

/* Files of a command, before one run. */
typedef struct ExecDropped {
        size_t n;        /* that are no longer in the page cache, as far as it is known */
        size_t n_kept;   /* that are still, in part */
        size_t n_hidden; /* of which the kernel does not tell */
        double bytes;    /* that were in it and are not */
} ExecDropped;

/*
 * Finds the files of all commands of @plan by a run of each, with its hooks around it, if it asks for that; prints why that is not possible.
 * @ret_paths has an element a command, or is NULL. Returns 0 or an exit code.
 */
int exec_cold_find(const ExecPlan *plan, ExecPaths **ret_paths);
ExecPaths *exec_cold_free(const ExecPlan *plan, ExecPaths *paths);

/* Writes dirty pages of @paths, and drops all. */
void exec_cold_drop(const ExecPaths *paths, ExecDropped *ret_dropped);

/* True if this process may drop the whole page cache itself, as root may. */
bool exec_cold_is_own(void);

/* Drops the whole page cache. Returns 0 or a negative errno. */
int exec_cold_drop_all(void);

/* How cold, in words: "cold: 3 files dropped, 2 in use kept". */
void exec_cold_words(const ExecDropped *dropped, char *words, size_t n);
