/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/lease/cpu-watch.h"

#include <linux/filter.h>
#include <linux/netlink.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "launch/base/say.h"
#include "launch/birth/run-group.h"
#include "launch/lease/equipment.h"
#include "launch/lease/lease.h"
#include "launch/lease/machine-lease.h"
#include "machine/topology.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

#define KERNEL_GROUP 1u    /* of NETLINK_KOBJECT_UEVENT: the other one is for udev */
#define MESSAGE_MAX  8192u /* bytes: the kernel's own bound is 2048 and a path */

struct CpuHotplug {
        CpuHotplugTell tell;
        void *userdata;
        int fd;
        sd_event_source *source;
};

DEFINE_CLEANUP(CpuHotplug *, cpu_hotplug_free)

bool cpu_hotplug_parse(const char *message, size_t n_message, int *ret_cpu, bool *ret_on) {
        static const struct {
                const char *form;
                bool on;
        } forms[] = {
                { "online@/devices/system/cpu/cpu%u%n", true },
                { "offline@/devices/system/cpu/cpu%u%n", false },
        };

        if (!memchr(message, 0, n_message))
                return false;
        for (size_t i = 0; i < N_ELEMENTS(forms); i++) {
                unsigned cpu;
                int n = 0;

                if (sscanf(message, forms[i].form, &cpu, &n) != 1 || message[n] || cpu >= CPU_SETSIZE)
                        continue;
                *ret_cpu = cpu;
                *ret_on = forms[i].on;
                return true;
        }
        return false;
}

/* Only the kernel is believed: its messages come from port 0. */
static int hotplug_on_message(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        CpuHotplug *hotplug = userdata;
        struct sockaddr_nl sender = {};
        socklen_t n_sender = sizeof sender;
        char message[MESSAGE_MAX];
        ssize_t n;
        bool on;
        int cpu;

        n = recvfrom(fd, message, sizeof message, 0, (struct sockaddr *)&sender, &n_sender);
        if (n < 0 && errno == ENOBUFS)
                hotplug->tell(hotplug->userdata, -1, true);
        else if (n > 0 && sender.nl_pid == 0 && cpu_hotplug_parse(message, n, &cpu, &on))
                hotplug->tell(hotplug->userdata, cpu, on);
        return 0;
}

/*
 * Has the kernel drop messages that do not begin with 'o', as online@ and offline@ do: a burst of others would push
 * these out.
 */
static int hotplug_filter(int fd) {
        struct sock_filter steps[] = {
                BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 0),
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 'o', 0, 1),
                BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
                BPF_STMT(BPF_RET | BPF_K, 0),
        };
        const struct sock_fprog program = { .len = N_ELEMENTS(steps), .filter = steps };

        return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) < 0 ? error_origin(-errno) : 0;
}

static int hotplug_listen(int *ret_fd) {
        const struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP };
        _cleanup_(fd_closep) int fd = -1;

        fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
        if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof address) < 0)
                return error_origin(-errno);
        (void)hotplug_filter(fd); /* without it more messages have to be skipped */
        *ret_fd = fd_take(&fd);
        return 0;
}

int cpu_hotplug_new(sd_event *event, CpuHotplugTell tell, void *userdata, CpuHotplug **ret_hotplug) {
        _cleanup_(cpu_hotplug_freep) CpuHotplug *hotplug = malloc(sizeof *hotplug);
        int r;

        if (!hotplug)
                return error_origin(-ENOMEM);
        *hotplug = (CpuHotplug){ .tell = tell, .userdata = userdata, .fd = -1 };
        r = hotplug_listen(&hotplug->fd);
        if (r)
                return error_trace(r);
        r = sd_event_add_io(event, &hotplug->source, hotplug->fd, EPOLLIN, hotplug_on_message, hotplug);
        if (r < 0)
                return error_origin(r);
        *ret_hotplug = take_pointer(hotplug);
        return 0;
}

CpuHotplug *cpu_hotplug_free(CpuHotplug *hotplug) {
        if (!hotplug)
                return NULL;
        sd_event_source_disable_unref(hotplug->source);
        fd_close(hotplug->fd);
        free(hotplug);
        return NULL;
}

struct CpuWatch {
        CpuWatchConfig config;
        Topology *topology; /* of the last split; NULL: still the leases' first one, which belongs to the caller */
        CpuHotplug *hotplug;
};

DEFINE_CLEANUP(CpuWatch *, cpu_watch_free)

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
        topology_hidden_tell(&leases->hidden, topology);
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
        if (cpu_hotplug_new(config->event, watch_on_hotplug, watch, &watch->hotplug))
                say(SD_WARNING, "CPUs that are switched on or off from now on will not be noticed");
        *ret_watch = take_pointer(watch);
        return 0;
}

CpuWatch *cpu_watch_free(CpuWatch *watch) {
        if (!watch)
                return NULL;
        cpu_hotplug_free(watch->hotplug);
        topology_free(watch->topology);
        free(watch);
        return NULL;
}
