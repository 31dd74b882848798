/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A run on several machines at the same time: each measures the whole plan, with a seed derived from the run's seed, and its daemon queues
 * as usual. A machine that is lost or refuses is named and left out; there are no retries. Each function prints its own errors, and returns
 * an exit code.
 */

#include <stdint.h>

typedef struct Fleet Fleet;
typedef struct Output Output;
typedef struct Settings Settings;
typedef struct benchd_client benchd_client;

/* A verb's work with the machines; @subject is its parsed arguments. */
typedef int (*FleetUse)(const Settings *settings, Fleet *fleet, Output *output, const void *subject);

/* Opens the output, connects to the machines of the settings, calls @use, closes everything. */
int fleet_use(const Settings *settings, FleetUse use, const void *subject);

/* Sends the request @subject to one machine, with the options of @settings. Returns as the library does. */
typedef int (*FleetAsk)(const Settings *settings, benchd_client *client, const void *subject, uint64_t *ret_id);

/* Measures on all machines, and prints the document of their results. @name is the module's, for the live line. */
int fleet_measure(Fleet *fleet, Output *output, const char *name, FleetAsk ask, const void *subject);
