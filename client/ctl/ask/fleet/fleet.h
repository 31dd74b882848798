/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * One run on several machines at the same time: each measures the whole plan, with a seed of its own that follows from that of the run, and
 * its daemon queues as always. A machine that is lost or refuses is named and left out; nothing is tried again. Each function says what
 * went wrong, and returns an exit code.
 */

#include <stdint.h>

typedef struct Fleet Fleet;
typedef struct Output Output;
typedef struct Settings Settings;
typedef struct benchd_client benchd_client;

/* A verb's work with the machines, on what it made of its arguments before. */
typedef int (*FleetUse)(const Settings *settings, Fleet *fleet, Output *output, const void *subject);

/* Opens the output, reaches out to the machines of the settings, calls @use, closes all. */
int fleet_use(const Settings *settings, FleetUse use, const void *subject);

/* Sends the request @subject to one machine, with the options of @settings, and returns as the library does. */
typedef int (*FleetAsk)(const Settings *settings, benchd_client *client, const void *subject, uint64_t *ret_id);

/* Measures on all machines, and prints the document of their results. @name is the module's, for the live line. */
int fleet_measure(Fleet *fleet, Output *output, const char *name, FleetAsk ask, const void *subject);
