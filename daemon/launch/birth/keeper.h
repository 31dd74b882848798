/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Keepers: a keeper opens the paths that one run's request names. It makes the run's directory below a directory of the submitter's choice
 * (--dir) and removes it when the run is over; and it opens the paths that the run is to see (--see).
 *
 * A keeper is a process that the zygote forks and that becomes the submitter for good before it touches the path: whatever the path is, it
 * does nothing that its user could not do. It lives outside the run's cell and apart from the daemon, waits for the end of the run, and so
 * cleans up after a launcher that was killed too. A keeper that is killed, or a power cut, leaves a directory that the next keeper in the
 * same place finds unlocked, and removes.
 *
 * Opening a path may take for ever, on a file server that does not answer: only the newborn waits for its keeper, within its timeout;
 * neither zygote nor launcher ever opens the path.
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

/* Why a path could not be had, for the submitter. */
typedef struct KeeperRefusal {
        uint32_t end; /* RunnerEnd */
        char words[KEEPER_WORDS_MAX];
} KeeperRefusal;

/* Sets up the reaping of keepers as they end, in the process that starts them. */
void keepers_begin(void);

/*
 * Forks the keeper of the run of the plan in @plan_fd, which names paths. Returns 0 with the newborn's end of a socket, which is the
 * caller's; or a negative errno: EBUSY where KEEPERS_MAX live, as where a file system hangs.
 */
int keeper_start(int plan_fd, int *ret_fd);

/* Waits up to a second for all keepers, whose runs are over; a keeper that takes longer goes on alone. */
void keepers_end(void);

/* Waits for the answer of the keeper at @fd. False if one of the paths cannot be had. */
bool keeper_receive(int fd, KeeperPlaces *ret_kept, KeeperRefusal *ret_refusal);

/*
 * Tells the keeper at @fd, which made a directory, that the run ends with the process @pid of this namespace. False:
 * errno says why.
 */
bool keeper_watch(int fd, pid_t pid);

/*
 * Make a mount of @kept that can be moved to a place in this process's mount namespace, where its path must lead to the same file: of a
 * run's directory, or, read-only and with everything mounted below it, of a path that is seen. Return its descriptor, or -1 with errno.
 */
int keeper_clone_own(const KeeperPlace *kept);
int keeper_clone_seen(const KeeperPlace *kept);
