/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Which CPUs to lease: whole physical cores, of which one CPU measures and its siblings stay empty. Pure.
 *
 * One core keeps house: it takes the interrupts and the daemons and is never leased. Among the others, those that were
 * set apart at boot come first, then the fastest type, then the same NUMA node, then the quietest as far as that is
 * known, then those that share no cache with a lease that runs, then the highest. If there is one core alone, its CPUs
 * are leased singly and the choice says that the core is shared.
 */

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct Topology Topology;

enum {
        _CHOICE_E_SUCCESS,

        CHOICE_E_MISSING,      /* a CPU was asked for that the machine does not have */
        CHOICE_E_OFFLINE,      /* one was asked for that is not online */
        CHOICE_E_NOT_LEASABLE, /* of those asked for, too few may be used by this daemon */
        CHOICE_E_HOUSEKEEPING, /* of those asked for, too few are left beside the one that keeps house */
        CHOICE_E_TOO_FEW,      /* the machine never has so many cores to lease */
        CHOICE_E_BUSY,         /* it has, but others have leased them: wait */
};

/* The CPUs of a daemon, split once and again at each hotplug. */
typedef struct ChoicePool {
        cpu_set_t allowed;      /* online, and this daemon may use them */
        cpu_set_t housekeeping; /* never leased */
        bool whole_cores;       /* false: too few cores, so that CPUs of one core are leased singly */
} ChoicePool;

#define CHOICE_PROBED_MAX 8u
#define CHOICE_NOISE_STEP 0.1 /* shares no further apart are one: so much they differ by chance */

/* How busy the cores of some CPUs are: the share of the time that they were slow for, from 0 to 1. */
typedef struct ChoiceNoise {
        int cpus[CHOICE_PROBED_MAX];
        double shares[CHOICE_PROBED_MAX];
        size_t n;
} ChoiceNoise;

typedef struct ChoiceWish {
        const cpu_set_t *within; /* as the user named them; NULL for any */
        size_t n;                /* CPUs that measure, each on a core of its own; 1 or more */
        const ChoiceNoise *
                        noise; /* NULL: none is known. A CPU that is not in it is taken for as busy as the busiest that is */
} ChoiceWish;

typedef struct Choice {
        cpu_set_t measuring; /* as many as were wished */
        cpu_set_t reserved;  /* and their siblings: nothing else may run there */
        bool isolated;       /* at boot, all of @reserved */
        bool core_shared;    /* a sibling of a measuring CPU is not reserved */
} Choice;

/* Splits the online CPUs of @allowed. Returns 0, or E_TOO_FEW if there is none. */
int choice_split(const Topology *topology, const cpu_set_t *allowed, ChoicePool *ret_pool);

/*
 * Chooses within @pool what meets @wish, apart from @busy, which other leases have reserved. Returns 0 or E_*. A machine
 * with one CPU leases that one, although it keeps house.
 */
int choice_make(const Topology *topology, const ChoicePool *pool, const ChoiceWish *wish, const cpu_set_t *busy,
                Choice *ret_choice);

/*
 * The CPUs of which it is worth knowing how busy they are before @wish is chosen, each on a core of its own, in the order of the choice:
 * those that differ in nothing that counts for more. At most @max into @ret_cpus. Returns how many; 0 where there is nothing to choose.
 */
size_t choice_candidates(const Topology *topology, const ChoicePool *pool, const ChoiceWish *wish,
                const cpu_set_t *busy, int *ret_cpus, size_t max);

/* The CPUs of @wish on account of which choice_make() returned @outcome; empty where it is none of them. */
void choice_blame(const Topology *topology, const ChoicePool *pool, const ChoiceWish *wish, int outcome,
                cpu_set_t *ret_cpus);
