/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Which CPUs are lent to runners, and which one is left for everything else. Pure but for the two functions that ask the kernel.
 *
 * The lowest CPU that this process may use keeps house: it takes the interrupts, the daemons and the listing of modules.
 * The others are lent, one a runner, once they are calibrated. A machine with a single CPU lends that one, without SCHED_FIFO, which could starve
 * the daemon that has to take it back.
 */

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

#include "launch/grant.h"

#define LEASES_MAX         64u
#define LEASE_FAILURES_MAX 3u

typedef struct Lease {
        int cpu;
        bool busy;
        unsigned failures; /* to calibrate it, in a row; given up on at LEASE_FAILURES_MAX */
        bool calibrated;
        bool fifo;   /* may be run at SCHED_FIFO */
        Grant grant; /* of windows, over the processes that had this CPU */
} Lease;

typedef struct Leases {
        int housekeeping;
        Lease leases[LEASES_MAX];
        size_t n_leases;
} Leases;

/* The CPUs that this process may run on. Returns 0 or a negative errno. */
int leases_read_allowed(cpu_set_t *ret_allowed);

/* Splits @allowed, which is not empty. */
void leases_init(Leases *leases, const cpu_set_t *allowed);

/* Moves this process, and what it forks, to the housekeeping CPU. Returns 0 or a negative errno. */
int leases_keep_house(const Leases *leases);

/* Lends the highest free CPU that is calibrated; NULL if there is none. */
Lease *leases_take(Leases *leases);

/* Takes a CPU that is still to be calibrated; NULL if there is none left, or none that can be. */
Lease *leases_take_uncalibrated(Leases *leases);
void lease_give_back(Lease *lease);
