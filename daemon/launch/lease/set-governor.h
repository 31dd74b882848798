/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * `set-governor` on the launcher's side: a name becomes a choice, and the values that are written for it become a list
 * of changes for the client.
 */

#include <stdbool.h>

#include "ops/ops.h"

typedef struct MachineLease MachineLease;

/* Does what @wanted says. Returns 0 or a negative errno; if nothing was done, @ret_done says why. */
int set_governor_do(MachineLease *lease, const OpsGovernor *wanted, OpsGovernorDone *ret_done);

/* Writes the governor in force and the chosen ones into @machine. Returns true if that changed it. */
bool set_governor_describe(const MachineLease *lease, OpsMachine *machine);
