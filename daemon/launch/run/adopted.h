/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Processes of a client that a runner's process took in: programs of the client's own world, which run a command on the runner's CPUs and
 * in its control group. They are no children of this process, so a pid names one only as long as its pidfd says that it lives. The group
 * kills them; where there is none they are killed by pidfd. One that its user moves out of the group lives on, elsewhere.
 */

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "ops/outcome.h"

typedef struct RootDir RootDir;

enum {
        _ADOPTED_E_SUCCESS,

        ADOPTED_E_FULL,     /* ADOPTED_MAX are there, or ADOPTED_IN_ALL came */
        ADOPTED_E_GONE,     /* the process is dead */
        ADOPTED_E_STRANGER, /* it is not wholly of the user, or belongs to a run already */
        ADOPTED_E_THREADS,  /* it has several threads, of which only the first would move */
        ADOPTED_E_ENDLESS,  /* no control group ends it, and this process may not */
        ADOPTED_E_OVER,     /* the runner's process ends */
};

#define ADOPTED_MAX    4u  /* one for each side of a comparison, and as many that are about to end */
#define ADOPTED_IN_ALL 16u /* of one runner's process: moving a process into a group takes the kernel milliseconds */

typedef struct AdoptedOne {
        pid_t pid;
        int pidfd;
        cpu_set_t before; /* its CPUs, when it came */
} AdoptedOne;

#define ADOPTED_ONE_NULL                                                                                               \
 { .pid = -1, .pidfd = -1 }

/* {} is empty. */
typedef struct Adopted {
        AdoptedOne ones[ADOPTED_MAX];
        size_t n;
        size_t n_came; /* in all */
} Adopted;

/*
 * Holds @pid, which must be a process of one thread whose four user ids are @uid, by its files below @root. A socket tells which pid
 * connected it, which another process may have by now: one of the same user at most. Returns 0, E_GONE, E_STRANGER, E_THREADS, or a
 * negative errno.
 */
int adopted_hold(RootDir *root, pid_t pid, uid_t uid, AdoptedOne *ret_one);
void adopted_let_go(AdoptedOne *one);

bool adopted_is_gone(const AdoptedOne *one);

/* True if this process may kill it. */
bool adopted_obeys(const AdoptedOne *one);

/* True if there is room for one more; those that are dead make room. */
bool adopted_has_room(Adopted *adopted);

/* True if @pid is one of them, and lives. */
bool adopted_has(const Adopted *adopted, pid_t pid);

/* Takes in @one, for which there is room, and which is then @adopted's. */
void adopted_take(Adopted *adopted, const AdoptedOne *one);

/* Pins it to @cpus. */
OpsOutcome adopted_pin(const AdoptedOne *one, const cpu_set_t *cpus);

/* Kills those that this process may kill, with all their descendants. */
void adopted_kill(const Adopted *adopted);

/* True if none lives that this process could kill. The group tells of those in it. */
bool adopted_are_gone(const Adopted *adopted);

/* Forgets them; those that live get their CPUs back, and so do their descendants. */
void adopted_clear(Adopted *adopted);
