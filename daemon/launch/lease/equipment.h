/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * All that the launcher switches the machine with: the restore journal, replayed before anything else, the machine's
 * lease, and the control groups of runners. Made in two steps: the first needs rights that the launcher then gives up, the
 * second needs the zygote, which is forked in between.
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
        RootDir *machine; /* of the one that is switched: mostly the same */
        Restorer restorer;
        RunGroups *groups;
        MachineLease *machine_lease;
} Equipment;

/*
 * Opens the journal that @options say, which outlive the equipment, and restores from it. Returns 0, RESTORER_E_HELD, which
 * is said, or a negative errno.
 */
int equipment_open(const Options *options, Equipment *ret_equipment);

/* Makes what runners need. Returns 0 or a negative errno. */
int equipment_complete(Equipment *equipment, sd_event *event, const Leases *leases, const Zygote *zygote);

/* Gives the machine back, before the event loop goes. */
void equipment_rest(Equipment *equipment);

/* Leaves a journal with nothing to restore; one beside a socket goes, too. */
void equipment_close(Equipment *equipment);
