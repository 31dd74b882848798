/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The shield: no other unit of this machine runs on the leased CPUs while they are leased, whatever its affinity says.
 * The launcher and its runs are in benchd.slice, which is not narrowed; benchd, which talks to clients, is narrowed
 * like other units.
 */

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct RestoreHand RestoreHand;
typedef struct RestoreJournal RestoreJournal;
typedef struct RootDir RootDir;
typedef struct ShieldUnits ShieldUnits;

/*
 * Takes @leased from each unit, which keeps at least @others; @hand is for RESTORE_UNIT_PROPERTY. The CPUs that a unit
 * was allowed are noted in @journal first. shield_holds() tells whether the shield is in force. Returns 0 or a negative
 * errno.
 */
int shield_raise(RestoreJournal *journal, const RestoreHand *hand, const cpu_set_t *leased, const cpu_set_t *others);

/* True if no control group of these units has any of @leased, by the values in force below @root. */
bool shield_holds(RootDir *root, const cpu_set_t *leased);

/*
 * The CPUs that systemd allows a unit (AllowedCPUs= of systemd.resource-control(5)), set through systemd's private
 * socket, which works without a message bus and accepts root. Set for this boot only.
 */

#define SHIELD_UNITS_SYSTEMD_ADDRESS "unix:path=/run/systemd/private"

enum {
        _SHIELD_UNITS_E_SUCCESS,

        SHIELD_UNITS_E_UNAVAILABLE, /* systemd does not run this machine, or does not answer */
};

/* Connects to systemd at @address, as D-Bus writes it. Returns 0, E_UNAVAILABLE, or a negative errno. */
int shield_units_new(const char *address, ShieldUnits **ret_units);

/* Returns NULL. */
ShieldUnits *shield_units_free(ShieldUnits *units);

/*
 * The hand of RESTORE_UNIT_PROPERTY, with values as lists of CPUs, empty for any; @units outlives it. A unit that systemd does
 * not know is gone; an inactive one is not, since it keeps the property for its next start. If systemd does not answer, the
 * hand is refused; if it hung up, the hand connects again.
 */
void shield_units_hand(ShieldUnits *units, RestoreHand *ret_hand);
