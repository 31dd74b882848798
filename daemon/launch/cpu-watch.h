/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * CPUs that are switched on and off under a running daemon: one that is off is not lent, and when nothing is lent, those
 * that there are then are split anew. So are they when two turn out to share a core (machine/hidden.h). What waited in the restore journal for a CPU is put back as soon as that is on.
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
 * Begins to watch; what @config points to outlives it. Where the kernel tells nothing of its CPUs it watches in vain, and
 * says so. Returns 0 or a negative errno.
 */
int cpu_watch_new(const CpuWatchConfig *config, CpuWatch **ret_watch);

/* The leases are of no use any more. */
CpuWatch *cpu_watch_free(CpuWatch *watch);

/* Splits the CPUs anew, if they changed, or some were found to share a core, and none is lent. True if they are others now. */
bool cpu_watch_settle(CpuWatch *watch);
