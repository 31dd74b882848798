/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The CPUs that systemd allows a unit (AllowedCPUs= of systemd.resource-control(5)), over systemd's own socket: it is there
 * with or without a message bus, and takes root's word. Set for this boot only.
 */

#include <systemd/sd-bus.h>

typedef struct RestoreHand RestoreHand;

enum {
        _UNIT_CPUS_E_SUCCESS,

        UNIT_CPUS_E_UNAVAILABLE, /* systemd does not run this machine, or does not talk to us */
};

/* Connects to it. Returns 0, E_UNAVAILABLE, or a negative errno. */
int unit_cpus_connect(sd_bus **ret_bus);

/* Writes the key of @unit, such as "user.slice", for the restore journal. */
void unit_cpus_key(const char *unit, char *key, size_t n_key);

/*
 * The hand of RESTORE_UNIT_PROPERTY, with values as lists of CPUs, empty for any; @bus outlives it. A unit that is neither active nor
 * narrowed is gone.
 */
void unit_cpus_hand(sd_bus *bus, RestoreHand *ret_hand);
