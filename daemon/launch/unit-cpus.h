/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The CPUs that systemd allows a unit (AllowedCPUs= of systemd.resource-control(5)), over systemd's own socket: it is there
 * with or without a message bus, and takes root's word. Set for this boot only.
 */

#include <stddef.h>

#define UNIT_CPUS_SYSTEMD_ADDRESS "unix:path=/run/systemd/private"

typedef struct RestoreHand RestoreHand;
typedef struct UnitCpus UnitCpus;

enum {
        _UNIT_CPUS_E_SUCCESS,

        UNIT_CPUS_E_UNAVAILABLE, /* systemd does not run this machine, or does not talk to us */
};

/* Connects to systemd at @address, as D-Bus writes it. Returns 0, E_UNAVAILABLE, or a negative errno. */
int unit_cpus_new(const char *address, UnitCpus **ret_units);

/* Returns NULL. */
UnitCpus *unit_cpus_free(UnitCpus *units);

/* Writes the key of @unit, such as "user.slice", for the restore journal. */
void unit_cpus_key(const char *unit, char *key, size_t n_key);

/*
 * The hand of RESTORE_UNIT_PROPERTY, with values as lists of CPUs, empty for any; @units outlives it. A unit that systemd says
 * it does not know is gone; one that is not active just now is not, since it keeps the property for the next time. If
 * systemd does not answer, the hand is refused; if it hung up, the hand connects again.
 */
void unit_cpus_hand(UnitCpus *units, RestoreHand *ret_hand);
