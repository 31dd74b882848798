/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * This daemon's restore journal. Values that a killed daemon left changed are put back before anything else is done, at
 * the start of the next one or by `benchd-launch --restore`; changes of this daemon are noted in it. A value that could
 * not be put back, or that another program has changed, is named on standard error.
 */

#include <stdbool.h>

#include "machine/governor.h"
#include "machine/restore.h"
#include "ops/ops.h"

typedef struct ShieldUnits ShieldUnits;

enum {
        _RESTORER_E_SUCCESS,

        RESTORER_E_HELD, /* a running daemon has the journal */
};

typedef struct Restorer {
        RootDir *disk;
        char *path;        /* below it */
        char *chosen_path; /* below @disk too: the choices of `set-governor`, which stay */
        GovernorChoices chosen;
        RestoreJournal *journal; /* NULL: could not be opened */
        RestoreHands hands;
        ShieldUnits *units; /* NULL where there is no systemd */
        OpsReplay replay;
        unsigned runs_left; /* groups of an earlier daemon's runs that could not be removed */
        bool told_of_runs;
} Restorer;

/*
 * Opens the journal at @path and replays it onto the machine below @root, which outlives the restorer. Entries other
 * than files are restored only if @live: the machine is the running one. A journal that cannot be opened or written any
 * more counts as absent: `replay` says so. Returns 0, E_HELD, or a negative errno.
 */
int restorer_open(const char *path, RootDir *root, bool live, Restorer *ret_restorer);

/* With @remove, also removes a journal that has nothing left to restore. */
void restorer_close(Restorer *restorer, bool remove);
