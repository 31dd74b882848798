/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The shield: no other unit of this machine runs on the leased CPUs while they are leased, whatever its affinity says. Ours
 * are in benchd.slice, beside what is narrowed, but for the half that talks to clients, which is narrowed too.
 */

#include <sched.h>
#include <stdbool.h>

typedef struct RestoreHand RestoreHand;
typedef struct RestoreJournal RestoreJournal;
typedef struct RootDir RootDir;

/*
 * Takes @leased from each unit, to which @others at least are left; @hand is that of RESTORE_UNIT_PROPERTY. The CPUs
 * that a unit was allowed are noted in @journal first. shield_holds() tells if the shield could not be had. Returns 0
 * or a negative errno.
 */
int shield_raise(RestoreJournal *journal, const RestoreHand *hand, const cpu_set_t *leased, const cpu_set_t *others);

/* True if no control group of those units has any of @leased, by the values in force below @root. */
bool shield_holds(RootDir *root, const cpu_set_t *leased);
