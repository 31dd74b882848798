/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Everything that the launcher changes the machine with: the restore journal, which is replayed before anything else,
 * the machine's lease, and the control groups of runners. Made in two steps: the first needs rights that the launcher
 * then gives up, the second needs the zygote, which is forked in between.
 */

#include <stdbool.h>

#include "launch/lease/restorer.h"

typedef struct Leases Leases;
typedef struct MachineLease MachineLease;
typedef struct Options Options;
typedef struct RunGroups RunGroups;
typedef struct Zygote Zygote;
typedef struct sd_event sd_event;

typedef struct Equipment {
        const Options *options;
        RootDir *root;    /* of the running machine */
        RootDir *machine; /* of the machine that is changed: mostly the same */
        Restorer restorer;
        RunGroups *groups;
        MachineLease *machine_lease;
} Equipment;

/*
 * Opens the journal that @options name, which outlive the equipment, and restores from it. Returns 0, RESTORER_E_HELD
 * (reported), or a negative errno.
 */
int equipment_open(const Options *options, Equipment *ret_equipment);

/* Makes the lease and the groups that runners need. Returns 0 or a negative errno. */
int equipment_complete(Equipment *equipment, sd_event *event, const Leases *leases, const Zygote *zygote);

/* Puts the machine's settings back, before the event loop is freed. */
void equipment_rest(Equipment *equipment);

/*
 * Puts everything back and closes the journal. A journal beside a socket, or of --restore, is removed if nothing is
 * left to restore.
 */
void equipment_close(Equipment *equipment);
