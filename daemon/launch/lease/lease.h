/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Which CPUs are lent to runners, and which are left for everything else. Pure but for the functions that ask the kernel.
 *
 * One core keeps house: it takes the interrupts, the daemons and the listing of modules. The others are lent whole, by
 * machine/choice.h: one CPU of each measures, once it is calibrated. A runner gets all CPUs that it needs at once, or
 * none, so that two runners can never wait for each other. A machine with a single CPU lends that one, without
 * SCHED_FIFO, which could starve the daemon that has to take it back. The housekeeping CPU is lent in the same way,
 * after all others, if a benchmark with several threads would never get enough CPUs otherwise.
 */

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/choice.h"
#include "machine/topology.h"

#define LEASES_MAX         64u
#define LEASE_FAILURES_MAX 3u
#define LEASE_AGAIN_MAX    1024u /* leases between two calibrations of a CPU whose calibration stays provisional */

enum {
        LEASES_E_UNCALIBRATED =
                        CHOICE_E_BUSY + 1, /* too few, because calibration was given up on some; continues CHOICE_E_* */
};

/* The windows of SCHED_FIFO of a CPU (launch/run/windows.h). */
typedef struct LeaseGrant {
        bool open;
        uint64_t begun_ns;
        uint64_t next_ns; /* no window before */
} LeaseGrant;

typedef struct Lease {
        int cpu;
        unsigned failures; /* of calibration, in a row; given up at LEASE_FAILURES_MAX */
        bool calibrated;
        bool provisional;     /* its calibration missed some facts: it is tried again */
        unsigned n_lent;      /* times to measure, since its last calibration */
        unsigned again_after; /* times lent until a provisional CPU is calibrated again */
        bool fifo;            /* may be run at SCHED_FIFO */
        LeaseGrant grant;     /* of windows, across all processes that had this CPU */
} Lease;

/*
 * The CPUs of one runner: one for each of its threads, in their order, then the CPUs for the body's own threads; and
 * their siblings, which stay empty.
 */
typedef struct LeaseSet {
        Lease *leases[LEASES_MAX];
        size_t n;
        cpu_set_t reserved;
        bool isolated; /* at boot, all of @reserved */
} LeaseSet;

/* Returns the share of time for which the core of @cpu is slow, from 0 to 1; negative if it cannot be measured. */
typedef double (*LeasesProbe)(void *userdata, int cpu);

typedef struct Leases {
        const Topology *topology;
        LeasesProbe probe; /* asked before a choice is made; NULL: none */
        void *probe_userdata;
        cpu_set_t given;       /* to this daemon when it started */
        bool given_all;        /* all CPUs were given, so later ones are too */
        cpu_set_t moved;       /* switched on or off since the split: their calibration is void */
        cpu_set_t off;         /* switched off since the split: not lent */
        bool stale;            /* the topology is out of date */
        TopologyHidden hidden; /* siblings that the topology does not show */
        ChoicePool pool;
        cpu_set_t allowed;
        cpu_set_t busy; /* reserved by leases */
        int housekeeping;
        Lease house; /* of the housekeeping CPU, if it is not among the others */
        bool has_house;
        Lease leases[LEASES_MAX]; /* rising by CPU */
        size_t n_leases;
} Leases;

/* Reads which CPUs this process may run on. Returns 0 or a negative errno. */
int leases_read_allowed(cpu_set_t *ret_allowed);

/*
 * Reads the topology of the machine below @root. If there is none, or it has none of @allowed, each of these counts as
 * a core. Returns 0 or a negative errno.
 */
int leases_read_topology(RootDir *root, const cpu_set_t *allowed, Topology **ret_topology);

/* From now on @probe is called for a few candidates before CPUs are chosen, and the quietest are preferred. */
void leases_ask(Leases *leases, LeasesProbe probe, void *userdata);

/* Splits @allowed. @topology outlives the leases, and at least one allowed CPU is online in it. */
void leases_init(Leases *leases, const Topology *topology, const cpu_set_t *allowed);

/*
 * Notes that @cpu was switched on or off; -1: some were. Nothing is lent until the next split, so that the split comes.
 */
void leases_note_hotplug(Leases *leases, int cpu, bool on);

/*
 * Lists CPUs that may share the core of @set, which is lent for calibration, although the topology does not say so: at most @max into
 * @ret_cpus, without CPUs of other leases. Returns their number.
 */
size_t leases_suspects(const Leases *leases, const LeaseSet *set, int *ret_cpus, size_t max);

/*
 * Notes the result of a test of @cpu and @other. If they share a core, nothing is lent until the next split, as if a
 * CPU had come or gone.
 */
void leases_note_sibling(Leases *leases, int cpu, int other, bool share);

/* True if it is time to split anew: CPUs came or went, or were found to share a core, and none is lent. */
bool leases_await_split(const Leases *leases);

/*
 * Splits the CPUs of @topology, which replaces the former one. A CPU that stayed keeps its facts. False if @topology
 * leaves no CPU: then nothing changes.
 */
bool leases_split(Leases *leases, const Topology *topology);

/* Keeps the present split, because there is no better one. */
void leases_keep_split(Leases *leases);

/* Moves this process, and what it forks, to the core that keeps house. Returns 0 or a negative errno. */
int leases_keep_house(const Leases *leases);

/* True if @n CPUs of @within could be lent once all leases are given back. */
bool leases_could_lend(const Leases *leases, size_t n, const cpu_set_t *within);

/* Upper bound of CPUs that can be lent at a time, as far as it is known. */
size_t leases_most(const Leases *leases);

/*
 * Lends @n (1 or more) free and calibrated CPUs out of @within (NULL: any). Takes a few milliseconds if there is a
 * choice and a probe. Returns 0, CHOICE_E_* or E_UNCALIBRATED; only CHOICE_E_BUSY passes by waiting.
 */
int leases_take(Leases *leases, size_t n, const cpu_set_t *within, LeaseSet *ret_set);

/*
 * Takes, of the CPUs that need calibration, the one that would be lent first; false if there is none that can be taken now.
 */
bool leases_take_uncalibrated(Leases *leases, LeaseSet *ret_set);

/*
 * Notes the end of a calibration of @lease; @done: the CPU is calibrated. A provisional calibration is repeated ever
 * more seldom.
 */
void lease_note_calibration(Lease *lease, bool done);
void leases_give_back(Leases *leases, LeaseSet *set);

/* The levels of the caches that @set shares with other leases, as bits 1 << level. */
uint32_t leases_shared_caches(const Leases *leases, const LeaseSet *set);

/* True if its threads may be run at SCHED_FIFO: on all of its CPUs, or nowhere. */
bool lease_set_fifo(const LeaseSet *set);
