/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * CPUs that are switched on and off under a running daemon. One that is off is not lent. When nothing is lent, the CPUs
 * that are on are split anew; so they are when two turn out to share a core (machine/topology.h). A value that waited in
 * the restore journal for its CPU is put back as soon as that is on, and the control groups of runs may have it again.
 */

#include <stdbool.h>
#include <systemd/sd-event.h>

typedef struct CpuWatch CpuWatch;
typedef struct Equipment Equipment;
typedef struct Leases Leases;

/* @cpu was switched on or off, or -1, some were; the leases know it already. */
typedef void (*CpuWatchTell)(void *userdata, int cpu, bool on);

typedef struct CpuWatchConfig {
        sd_event *event;
        Leases *leases;
        const Equipment *equipment; /* complete */
        CpuWatchTell tell;
        void *userdata;
} CpuWatchConfig;

/*
 * Begins to watch; all that @config points to outlives it. A warning says so if the kernel reports no changes of its
 * CPUs. Returns 0 or a negative errno.
 */
int cpu_watch_new(const CpuWatchConfig *config, CpuWatch **ret_watch);

/* The leases are of no use any more. */
CpuWatch *cpu_watch_free(CpuWatch *watch);

/* Splits the CPUs anew, if they changed, or some were found to share a core, and none is lent. True if they are others now. */
bool cpu_watch_settle(CpuWatch *watch);
