/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Which CPUs are lent to runners, and which one is left for everything else. Pure but for the two functions that ask the kernel.
 *
 * The lowest CPU that this process may use keeps house: it takes the interrupts, the daemons and the listing of modules.
 * The others are lent, one to each thread that measures, once they are calibrated: to a runner all that it needs at
 * once, or none, so that two can never wait for each other. A machine with a single CPU lends that one, without SCHED_FIFO,
 * which could starve the daemon that has to take it back. So does the CPU that keeps house, after all others, where a
 * benchmark with several threads would never have enough of them.
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

/* What one runner has: a CPU for each of its threads, in their order. */
typedef struct LeaseSet {
        Lease *leases[LEASES_MAX];
        size_t n;
} LeaseSet;

typedef struct Leases {
        cpu_set_t allowed;
        int housekeeping;
        Lease house; /* of the housekeeping CPU, where it is not among the others */
        bool has_house;
        Lease leases[LEASES_MAX];
        size_t n_leases;
} Leases;

/* The CPUs that this process may run on. Returns 0 or a negative errno. */
int leases_read_allowed(cpu_set_t *ret_allowed);

/* Splits @allowed, which is not empty. */
void leases_init(Leases *leases, const cpu_set_t *allowed);

/* Moves this process, and what it forks, to the housekeeping CPU. Returns 0 or a negative errno. */
int leases_keep_house(const Leases *leases);

/* The most that can ever be lent at once, as far as it is known. */
size_t leases_most(const Leases *leases);

/* Lends @n (1 or more) CPUs, the highest first, that are free and calibrated. False if that is not possible now. */
bool leases_take(Leases *leases, size_t n, LeaseSet *ret_set);
void lease_set_give_back(LeaseSet *set);

/* Whether its threads may be run at SCHED_FIFO: on all of its CPUs, or nowhere. */
bool lease_set_fifo(const LeaseSet *set);

/* Takes a CPU that is still to be calibrated; NULL if there is none left, or none that can be. */
Lease *leases_take_uncalibrated(Leases *leases);
void lease_give_back(Lease *lease);
