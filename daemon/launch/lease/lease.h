/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Which CPUs are lent to runners, and which are left for everything else. Pure but for the functions that ask the kernel.
 *
 * One core keeps house: it takes the interrupts, the daemons and the listing of modules. The others are lent whole, by
 * machine/choice.h, a CPU of each to a thread that measures, once that CPU is calibrated: to a runner all that it needs
 * at once, or none, so that two can never wait for each other. A machine with a single CPU lends that one, without
 * SCHED_FIFO, which could starve the daemon that has to take it back. So does the CPU that keeps house, after all
 * others, where a benchmark with several threads would never have enough of them.
 */

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/choice.h"
#include "machine/topology.h"

#define LEASES_MAX         64u
#define LEASE_FAILURES_MAX 3u
#define LEASE_AGAIN_MAX                                                                                                \
 1024u /* leases from one calibration to the next, of a CPU whose calibration stays provisional */

enum {
        LEASES_E_UNCALIBRATED =
                        CHOICE_E_BUSY + 1, /* there would be enough, had they not been given up on: beside CHOICE_E_* */
};

/* The windows of SCHED_FIFO of a CPU (launch/run/windows.h). */
typedef struct LeaseGrant {
        bool open;
        uint64_t begun_ns;
        uint64_t next_ns; /* no window before */
} LeaseGrant;

typedef struct Lease {
        int cpu;
        unsigned failures; /* to calibrate it, in a row; given up on at LEASE_FAILURES_MAX */
        bool calibrated;
        bool provisional;     /* its calibration missed something: it is tried again */
        unsigned n_lent;      /* to measure, since its last calibration */
        unsigned again_after; /* so many times lent: it is calibrated again, if it is provisional */
        bool fifo;            /* may be run at SCHED_FIFO */
        LeaseGrant grant;     /* of windows, over the processes that had this CPU */
} Lease;

/* The CPUs of one runner: one for each of its threads, in their order, then those for threads of the body's own; and their siblings, which
 * stay empty. */
typedef struct LeaseSet {
        Lease *leases[LEASES_MAX];
        size_t n;
        cpu_set_t reserved;
        bool isolated; /* at boot, all of @reserved */
} LeaseSet;

/* The share of some moments that the core of @cpu is slow for, from 0 to 1; negative where that cannot be told. */
typedef double (*LeasesProbe)(void *userdata, int cpu);

typedef struct Leases {
        const Topology *topology;
        LeasesProbe probe; /* asked before a choice is made; NULL: nobody is */
        void *probe_userdata;
        cpu_set_t given;       /* to this daemon when it started */
        bool given_all;        /* that was all that there were: what comes later is too */
        cpu_set_t moved;       /* switched on or off since the split: their calibration holds no more */
        cpu_set_t off;         /* switched off since the split: not lent */
        bool stale;            /* what the topology tells is not so any more */
        TopologyHidden hidden; /* what it does not tell */
        ChoicePool pool;
        cpu_set_t allowed;
        cpu_set_t busy; /* reserved by somebody */
        int housekeeping;
        Lease house; /* of the housekeeping CPU, where it is not among the others */
        bool has_house;
        Lease leases[LEASES_MAX]; /* rising by CPU */
        size_t n_leases;
} Leases;

/* The CPUs that this process may run on. Returns 0 or a negative errno. */
int leases_read_allowed(cpu_set_t *ret_allowed);

/*
 * Reads the topology of the machine below @root. If that tells nothing, or nothing of @allowed, each of these is a core
 * of its own. Returns 0 or a negative errno.
 */
int leases_read_topology(RootDir *root, const cpu_set_t *allowed, Topology **ret_topology);

/* Before CPUs are chosen from now on, @probe is asked of a few that could be, and the quietest are preferred. */
void leases_ask(Leases *leases, LeasesProbe probe, void *userdata);

/* Splits @allowed, of which @topology, which outlives the leases, has one CPU online at least. */
void leases_init(Leases *leases, const Topology *topology, const cpu_set_t *allowed);

/* @cpu was switched on or off; -1: some were. From here to the next split nothing is lent, so that the split comes. */
void leases_note_hotplug(Leases *leases, int cpu, bool on);

/*
 * Which CPUs may share the core of @set, which is lent for calibration, though the topology does not say so: at most @max into @ret_cpus,
 * none that is lent to somebody else. Returns how many.
 */
size_t leases_suspects(const Leases *leases, const LeaseSet *set, int *ret_cpus, size_t max);

/* @cpu and @other were tried. If they share a core, nothing is lent until the next split, as if a CPU had come or gone. */
void leases_note_sibling(Leases *leases, int cpu, int other, bool share);

/* Tells whether it is time to split anew: CPUs came or went, or were found to share a core, and none is lent. */
bool leases_await_split(const Leases *leases);

/*
 * Splits the CPUs of @topology, which takes the place of the one before. The facts of a CPU that stayed hold on. False
 * if @topology leaves none: then all is as before.
 */
bool leases_split(Leases *leases, const Topology *topology);

/* There is no better split. */
void leases_keep_split(Leases *leases);

/* Moves this process, and what it forks, to the core that keeps house. Returns 0 or a negative errno. */
int leases_keep_house(const Leases *leases);

/* True if @n CPUs of @within could be lent, once those that others have are given back. */
bool leases_could_lend(const Leases *leases, size_t n, const cpu_set_t *within);

/* Upper bound of leases at a time, as far as it is known. */
size_t leases_most(const Leases *leases);

/*
 * Lends @n (1 or more) CPUs that are free and calibrated, of those @within (NULL: any). Takes a millisecond or a few where
 * there are more, and a probe to ask which of them are quiet. Returns 0, CHOICE_E_* or
 * E_UNCALIBRATED, of which CHOICE_E_BUSY alone passes by waiting.
 */
int leases_take(Leases *leases, size_t n, const cpu_set_t *within, LeaseSet *ret_set);

/*
 * Takes that of the CPUs still to be calibrated, or to be calibrated again, which would be lent first; false if there is none now, or none that
 * can be.
 */
bool leases_take_uncalibrated(Leases *leases, LeaseSet *ret_set);

/* The calibration of @lease, which was taken for it, is over; @done: the CPU has one. A provisional one is tried again ever more seldom. */
void lease_note_calibration(Lease *lease, bool done);
void leases_give_back(Leases *leases, LeaseSet *set);

/* The levels of the caches that @set shares with what is lent to others, as bits 1 << level. */
uint32_t leases_shared_caches(const Leases *leases, const LeaseSet *set);

/* True if its threads may be run at SCHED_FIFO: on all of its CPUs, or nowhere. */
bool lease_set_fifo(const LeaseSet *set);
