/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Keepers: each opens what one run's request names by path. It makes the run's directory below a directory of the submitter's choice
 * (--dir), and removes it when the run is over; and it finds the paths that the run is to see (--see).
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

#include "launch/birth/workplace.h"
#include "ops/runner-plan.h"

#define KEEPER_WORDS_MAX 512u
#define KEEPERS_MAX      64u

/* A file or directory that the keeper opened, and its path without symbolic links. */
typedef struct KeeperPlace {
        int fd; /* -1: there is none */
        char path[WORKPLACE_PATH_MAX];
} KeeperPlace;

typedef struct KeeperPlaces {
        KeeperPlace own; /* the run's directory, made and empty, where its plan has one */
        KeeperPlace seen[RUNNER_SEEN_MAX];
        char seen_paths[RUNNER_SEEN_MAX][RUNNER_DIRECTORY_MAX]; /* as the plan names them */
        size_t n_seen;
} KeeperPlaces;

/* The reason why there are none, for the submitter. */
typedef struct KeeperRefusal {
        uint32_t end; /* RunnerEnd */
        char words[KEEPER_WORDS_MAX];
} KeeperRefusal;

/* Has keepers reaped as they end, in the one process that starts them. */
void keepers_begin(void);

/*
 * Forks the keeper of the run of the plan in @plan_fd, which names paths. Returns 0 with the newborn's end of a socket, which is the
 * caller's; or a negative errno: EBUSY where KEEPERS_MAX live, as where a file system hangs.
 */
int keeper_start(int plan_fd, int *ret_fd);

/* Waits for a second for all keepers, whose runs are over: one that lives then, lives on by itself. */
void keepers_end(void);

/* Waits for the word of the keeper at @fd. False where one of the paths cannot be had. */
bool keeper_receive(int fd, KeeperPlaces *ret_kept, KeeperRefusal *ret_refusal);

/* Names to the keeper at @fd, of a directory, the process whose end is that of the run: @pid of this namespace. False: errno says why. */
bool keeper_watch(int fd, pid_t pid);

/*
 * Make of @kept a mount that can be moved to a place in the mount namespace of this process, where its path must lead to the same file: of a
 * run's directory, or of what is seen, with all that is mounted below it, read-only. Return its descriptor, or -1 with errno.
 */
int keeper_clone_own(const KeeperPlace *kept);
int keeper_clone_seen(const KeeperPlace *kept);
