/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Processes of a client that a runner's process took in: programs of the client's own world, which run a command on the runner's CPUs and
 * in its control group. They are no children of this process, so they are watched and killed by pidfd.
 */

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "ops/outcome.h"

enum {
        _ADOPTED_E_SUCCESS,

        ADOPTED_E_FULL, /* ADOPTED_MAX are there */
        ADOPTED_E_GONE, /* the process is dead */
};

#define ADOPTED_MAX 4u /* one for each side of a comparison, and as many that are about to end */

typedef struct AdoptedOne {
        pid_t pid;
        int pidfd;
} AdoptedOne;

/* {} is empty. */
typedef struct Adopted {
        AdoptedOne ones[ADOPTED_MAX];
        size_t n;
} Adopted;

/*
 * Takes in @pid; those that are dead make room. The caller has checked whose it is, and checks again afterwards that it lives, since a pid
 * can be reused. Returns 0, E_FULL, E_GONE, or a negative errno.
 */
int adopted_take(Adopted *adopted, pid_t pid);

/* Pins @pid to @cpus. */
OpsOutcome adopted_pin(pid_t pid, const cpu_set_t *cpus);

/* Kills them with all their descendants. */
void adopted_kill(const Adopted *adopted);

/* True if none lives. */
bool adopted_are_gone(const Adopted *adopted);

/* Forgets them: those that live are not touched. */
void adopted_clear(Adopted *adopted);
