/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Keepers: each makes the directory of one run below a directory of the submitter's choice (--dir), and removes it when the run is over.
 *
 * A keeper is a process that the zygote forks and that becomes the submitter for good before it touches the path: whatever the path is, it
 * does nothing that its user could not do. It lives outside the run's cell and apart from the daemon, waits for the end of the run, and so
 * cleans up after a launcher that was killed too. A keeper that was killed itself, or a power cut, leaves a directory that the next one
 * at the same place finds unlocked, and removes.
 *
 * Opening a path may take for ever, on a file server that does not answer: the newborn waits for its keeper, with the timeout that it has,
 * and neither zygote nor launcher ever opens it.
 */

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "launch/workplace.h"
#include "ops/runner-plan.h"

#define KEEPER_WORDS_MAX 512u
#define KEEPERS_MAX      64u

/* A run's directory, made and empty. */
typedef struct KeptDirectory {
        int fd;
        char path[WORKPLACE_PATH_MAX];
} KeptDirectory;

/* Has keepers reaped as they end, in the one process that starts them. */
void keepers_begin(void);

/*
 * Forks the keeper of the run of the plan in @plan_fd, whose directory it names. Returns 0 with the newborn's end of a socket, which is the
 * caller's; or a negative errno: EBUSY where KEEPERS_MAX live, as where a file system hangs.
 */
int keeper_start(int plan_fd, int *ret_fd);

/* Waits for a second for all keepers, whose runs are over: one that lives then, lives on by itself. */
void keepers_end(void);

/* Waits for the word of the keeper at @fd. False, with @words for the submitter, where there is no directory. */
bool keeper_receive(int fd, KeptDirectory *ret_kept, char words[static KEEPER_WORDS_MAX]);

/* Names to the keeper at @fd the process whose end is that of the run: @pid of this namespace. False: errno says why. */
bool keeper_watch(int fd, pid_t pid);

/*
 * Makes of @kept a mount that can be moved to a place in the mount namespace of this process, where its path must lead to the same
 * directory. Returns its descriptor, or -1 with errno.
 */
int keeper_clone_mount(const KeptDirectory *kept);
