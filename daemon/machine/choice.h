/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Which CPUs to lease: whole physical cores, of which one CPU measures and its siblings stay empty. Pure.
 *
 * One core keeps house: it takes the interrupts and the daemons and is never leased. Among the others, cores isolated
 * at boot come first, then the fastest type, then the same NUMA node, then the quietest if that is known, then cores
 * that share no cache with another lease, then the highest. If there is only one core, its CPUs are leased singly and
 * the choice says that the core is shared.
 */

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct Topology Topology;

enum {
        _CHOICE_E_SUCCESS,

        CHOICE_E_MISSING,      /* a requested CPU does not exist */
        CHOICE_E_OFFLINE,      /* a requested CPU is not online */
        CHOICE_E_NOT_LEASABLE, /* this daemon may use too few of the requested CPUs */
        CHOICE_E_HOUSEKEEPING, /* too few of the requested CPUs are left beside the housekeeping one */
        CHOICE_E_TOO_FEW,      /* the machine does not have that many cores to lease */
        CHOICE_E_BUSY,         /* enough cores exist, but are leased: wait */
};

/* The CPUs of a daemon, split once and again at each hotplug. */
typedef struct ChoicePool {
        cpu_set_t allowed;      /* online, and this daemon may use them */
        cpu_set_t housekeeping; /* never leased */
        bool whole_cores;       /* false: only one core, so its CPUs are leased singly */
} ChoicePool;

#define CHOICE_PROBED_MAX 8u
#define CHOICE_NOISE_STEP 0.1 /* shares closer than this count as equal: they differ so much by chance */

/* How busy the cores of some CPUs are: the share of time for which they were slow, from 0 to 1. */
typedef struct ChoiceNoise {
        int cpus[CHOICE_PROBED_MAX];
        double shares[CHOICE_PROBED_MAX];
        size_t n;
} ChoiceNoise;

typedef struct ChoiceWish {
        const cpu_set_t *within;  /* the CPUs that the user named; NULL for any */
        size_t n;                 /* CPUs that measure, each on a core of its own; 1 or more */
        const ChoiceNoise *noise; /* NULL: not known. A CPU that is not in it counts as busy as the busiest in it */
} ChoiceWish;

typedef struct Choice {
        cpu_set_t measuring; /* as many as requested */
        cpu_set_t reserved;  /* and their siblings: nothing else may run there */
        bool isolated;       /* at boot, all of @reserved */
        bool core_shared;    /* a sibling of a measuring CPU is not reserved */
} Choice;

/* Splits the online CPUs of @allowed. Returns 0, or E_TOO_FEW if there is none. */
int choice_split(const Topology *topology, const cpu_set_t *allowed, ChoicePool *ret_pool);

/*
 * Chooses CPUs of @pool for @wish, without @busy, which other leases have reserved. Returns 0 or E_*. A machine with
 * one CPU leases that one, although it keeps house.
 */
int choice_make(const Topology *topology, const ChoicePool *pool, const ChoiceWish *wish, const cpu_set_t *busy,
                Choice *ret_choice);

/*
 * Lists the CPUs that are worth probing before @wish is chosen: each on another core, in the order of the choice, equal in all criteria
 * that come before noise. At most @max into @ret_cpus. Returns their number; 0 if there is nothing to choose.
 */
size_t choice_candidates(const Topology *topology, const ChoicePool *pool, const ChoiceWish *wish,
                const cpu_set_t *busy, int *ret_cpus, size_t max);

/* The CPUs of @wish because of which choice_make() returned @outcome; empty if none is to blame. */
void choice_blame(const Topology *topology, const ChoicePool *pool, const ChoiceWish *wish, int outcome,
                cpu_set_t *ret_cpus);
