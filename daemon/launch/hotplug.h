/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Hears from the kernel when a CPU is switched on or off, by the events of its devices (a netlink socket, for which no right
 * is needed): by then all that belongs to the CPU is there, or gone.
 */

#include <stdbool.h>
#include <stddef.h>
#include <systemd/sd-event.h>

typedef struct Hotplug Hotplug;

/* @cpu is on or off now; -1: more happened than could be heard, so that nothing is sure. */
typedef void (*HotplugTell)(void *userdata, int cpu, bool on);

/* Begins to listen. Returns 0 or a negative errno. */
int hotplug_new(sd_event *event, HotplugTell tell, void *userdata, Hotplug **ret_hotplug);
Hotplug *hotplug_free(Hotplug *hotplug);

/* True if @message of @n_message bytes tells of a CPU that was switched on or off. */
bool hotplug_parse(const char *message, size_t n_message, int *ret_cpu, bool *ret_on);
