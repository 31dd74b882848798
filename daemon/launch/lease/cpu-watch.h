/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * CPUs that are switched on and off under a running daemon. A CPU that is off is not lent. Once nothing is lent, the
 * CPUs that are on are split anew; this also happens when two turn out to share a core (machine/topology.h). A value
 * that waited in the restore journal for its CPU is put back as soon as that is on, and the control groups of runs get
 * the CPU again.
 */

#include <stdbool.h>
#include <stddef.h>
#include <systemd/sd-event.h>

typedef struct CpuWatch CpuWatch;
typedef struct Equipment Equipment;
typedef struct CpuHotplug CpuHotplug;
typedef struct Leases Leases;

/* Called when @cpu was switched on or off (-1: some were); the leases know it already. */
typedef void (*CpuWatchTell)(void *userdata, int cpu, bool on);

typedef struct CpuWatchConfig {
        sd_event *event;
        Leases *leases;
        const Equipment *equipment; /* complete */
        CpuWatchTell tell;
        void *userdata;
} CpuWatchConfig;

/*
 * Begins to watch; everything that @config points to must outlive it. Warns if the kernel reports no changes of its
 * CPUs. Returns 0 or a negative errno.
 */
int cpu_watch_new(const CpuWatchConfig *config, CpuWatch **ret_watch);

/* The leases must not be used afterwards. */
CpuWatch *cpu_watch_free(CpuWatch *watch);

/*
 * Splits the CPUs anew if they changed or some were found to share a core, and none is lent. True if the split is a new
 * one.
 */
bool cpu_watch_settle(CpuWatch *watch);

/*
 * Listens to the kernel's device events of CPUs that are switched on or off (a netlink socket, which needs no right). When
 * an event comes, everything that belongs to the CPU is there, or gone.
 */

/* Called when @cpu is on or off; -1: events were lost, so any CPU may have changed. */
typedef void (*CpuHotplugTell)(void *userdata, int cpu, bool on);

/* Begins to listen. Returns 0 or a negative errno. */
int cpu_hotplug_new(sd_event *event, CpuHotplugTell tell, void *userdata, CpuHotplug **ret_hotplug);
CpuHotplug *cpu_hotplug_free(CpuHotplug *hotplug);

/* True if @message of @n_message bytes reports a CPU that was switched on or off. */
bool cpu_hotplug_parse(const char *message, size_t n_message, int *ret_cpu, bool *ret_on);
