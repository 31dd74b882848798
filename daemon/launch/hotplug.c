/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/hotplug.h"

#include <linux/filter.h>
#include <linux/netlink.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

#define KERNEL_GROUP 1u    /* of NETLINK_KOBJECT_UEVENT: the other is udev's */
#define MESSAGE_MAX  8192u /* bytes: the kernel's own bound is 2048 and a path */

struct Hotplug {
        HotplugTell tell;
        void *userdata;
        int fd;
        sd_event_source *source;
};

DEFINE_CLEANUP(Hotplug *, hotplug_free)

bool hotplug_parse(const char *message, size_t n_message, int *ret_cpu, bool *ret_on) {
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
        Hotplug *hotplug = userdata;
        struct sockaddr_nl sender = {};
        socklen_t n_sender = sizeof sender;
        char message[MESSAGE_MAX];
        ssize_t n;
        bool on;
        int cpu;

        n = recvfrom(fd, message, sizeof message, 0, (struct sockaddr *)&sender, &n_sender);
        if (n < 0 && errno == ENOBUFS)
                hotplug->tell(hotplug->userdata, -1, true);
        else if (n > 0 && sender.nl_pid == 0 && hotplug_parse(message, n, &cpu, &on))
                hotplug->tell(hotplug->userdata, cpu, on);
        return 0;
}

/* Has the kernel leave out whatever begins with no 'o', as online@ and offline@ do: a burst of it would push those out. */
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
        (void)hotplug_filter(fd); /* without it there is more to pass over */
        *ret_fd = fd_take(&fd);
        return 0;
}

int hotplug_new(sd_event *event, HotplugTell tell, void *userdata, Hotplug **ret_hotplug) {
        _cleanup_(hotplug_freep) Hotplug *hotplug = malloc(sizeof *hotplug);
        int r;

        if (!hotplug)
                return error_origin(-ENOMEM);
        *hotplug = (Hotplug){ .tell = tell, .userdata = userdata, .fd = -1 };
        r = hotplug_listen(&hotplug->fd);
        if (r)
                return error_trace(r);
        r = sd_event_add_io(event, &hotplug->source, hotplug->fd, EPOLLIN, hotplug_on_message, hotplug);
        if (r < 0)
                return error_origin(r);
        *ret_hotplug = take_pointer(hotplug);
        return 0;
}

Hotplug *hotplug_free(Hotplug *hotplug) {
        if (!hotplug)
                return NULL;
        sd_event_source_disable_unref(hotplug->source);
        fd_close(hotplug->fd);
        free(hotplug);
        return NULL;
}
