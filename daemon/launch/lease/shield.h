/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The shield: no other unit of this machine runs on the leased CPUs while they are leased, whatever its affinity says. Ours
 * are in benchd.slice, beside what is narrowed, but for the half that talks to clients, which is narrowed too.
 */

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct RestoreHand RestoreHand;
typedef struct RestoreJournal RestoreJournal;
typedef struct RootDir RootDir;
typedef struct ShieldUnits ShieldUnits;

/*
 * Takes @leased from each unit, to which @others at least are left; @hand is that of RESTORE_UNIT_PROPERTY. The CPUs
 * that a unit was allowed are noted in @journal first. shield_holds() tells if the shield could not be had. Returns 0
 * or a negative errno.
 */
int shield_raise(RestoreJournal *journal, const RestoreHand *hand, const cpu_set_t *leased, const cpu_set_t *others);

/* True if no control group of those units has any of @leased, by the values in force below @root. */
bool shield_holds(RootDir *root, const cpu_set_t *leased);

/*
 * The CPUs that systemd allows a unit (AllowedCPUs= of systemd.resource-control(5)), over systemd's own socket: it is there
 * with or without a message bus, and takes root's word. Set for this boot only.
 */

#define SHIELD_UNITS_SYSTEMD_ADDRESS "unix:path=/run/systemd/private"

enum {
        _SHIELD_UNITS_E_SUCCESS,

        SHIELD_UNITS_E_UNAVAILABLE, /* systemd does not run this machine, or does not talk to us */
};

/* Connects to systemd at @address, as D-Bus writes it. Returns 0, E_UNAVAILABLE, or a negative errno. */
int shield_units_new(const char *address, ShieldUnits **ret_units);

/* Returns NULL. */
ShieldUnits *shield_units_free(ShieldUnits *units);

/*
 * The hand of RESTORE_UNIT_PROPERTY, with values as lists of CPUs, empty for any; @units outlives it. A unit that systemd says
 * it does not know is gone; one that is not active just now is not, since it keeps the property for the next time. If
 * systemd does not answer, the hand is refused; if it hung up, the hand connects again.
 */
void shield_units_hand(ShieldUnits *units, RestoreHand *ret_hand);
