/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/cpu-watch.h"

#include <stdlib.h>

#include "launch/equipment.h"
#include "launch/hotplug.h"
#include "launch/lease.h"
#include "launch/machine-lease.h"
#include "launch/run-group.h"
#include "launch/say.h"
#include "machine/topology.h"
#include "util/cleanup.h"
#include "util/error.h"

struct CpuWatch {
        CpuWatchConfig config;
        Topology *topology; /* of the last split here; NULL: the leases have the one that they began with, which is not freed here */
        Hotplug *hotplug;
};

DEFINE_CLEANUP(CpuWatch *, cpu_watch_free)
DEFINE_CLEANUP(Topology *, topology_free)

static void watch_renew_machine(const CpuWatch *watch) {
        const Leases *leases = watch->config.leases;
        cpu_set_t others;

        CPU_AND(&others, &leases->pool.housekeeping, &leases->allowed);
        machine_lease_renew(watch->config.equipment->machine_lease, &others);
}

static bool watch_split(CpuWatch *watch) {
        _cleanup_(topology_freep) Topology *topology = NULL;
        Leases *leases = watch->config.leases;

        if (leases_read_topology(watch->config.equipment->machine, &leases->given, &topology) < 0)
                return false;
        hidden_tell(&leases->hidden, topology);
        if (!leases_split(leases, topology))
                return false;
        topology_free(watch->topology);
        watch->topology = take_pointer(topology);
        return true;
}

bool cpu_watch_settle(CpuWatch *watch) {
        if (!leases_await_split(watch->config.leases))
                return false;
        if (!watch_split(watch)) {
                say(SD_WARNING, "CPUs came or went, and could not be split anew: only the CPUs that stayed are lent");
                leases_keep_split(watch->config.leases);
                return false;
        }
        (void)leases_keep_house(watch->config.leases);
        watch_renew_machine(watch);
        return true;
}

static void watch_on_hotplug(void *userdata, int cpu, bool on) {
        CpuWatch *watch = userdata;

        if (cpu >= 0)
                say(SD_NOTICE, "CPU %d was switched %s", cpu, on ? "on" : "off");
        leases_note_hotplug(watch->config.leases, cpu, on);
        if (on) {
                run_groups_follow_cpus(watch->config.equipment->groups);
                watch_renew_machine(watch);
        }
        watch->config.tell(watch->config.userdata, cpu, on);
}

int cpu_watch_new(const CpuWatchConfig *config, CpuWatch **ret_watch) {
        _cleanup_(cpu_watch_freep) CpuWatch *watch = calloc(1, sizeof *watch);

        if (!watch)
                return error_origin(-ENOMEM);
        watch->config = *config;
        if (hotplug_new(config->event, watch_on_hotplug, watch, &watch->hotplug))
                say(SD_WARNING, "CPUs that are switched on or off from now on will not be noticed");
        *ret_watch = take_pointer(watch);
        return 0;
}

CpuWatch *cpu_watch_free(CpuWatch *watch) {
        if (!watch)
                return NULL;
        hotplug_free(watch->hotplug);
        topology_free(watch->topology);
        free(watch);
        return NULL;
}
