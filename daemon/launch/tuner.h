/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * What this daemon has made of the machine: one tuning for what the leases take and for what `set-governor` chose, with
 * its journal. The leases come first, so that what is chosen while one is held is what the machine goes back to after it.
 *
 * At the start the machine is moved to what was chosen alone. That puts back what an earlier daemon left tuned, and
 * keeps of what was chosen the value that it will be restored to.
 */

#include "machine/restore.h"
#include "machine/sticky.h"

typedef struct RestoreJournal RestoreJournal;
typedef struct RootDir RootDir;
typedef struct TuneWish TuneWish;
typedef struct Tuner Tuner;
typedef struct Tuning Tuning;

enum {
        _TUNER_E_SUCCESS,

        TUNER_E_HELD, /* another daemon has the machine */
};

/*
 * Makes a tuner of the machine below @root. Its journal is @path below @disk, with .governor behind it what is chosen, where
 * only their owner writes. Both roots outlive it. What is damaged is set aside, and told on stderr. Returns 0, E_HELD, or a
 * negative errno.
 */
int tuner_new(RootDir *root, RootDir *disk, const char *path, Tuner **ret_tuner);

/* Leaves the machine as it is. */
Tuner *tuner_free(Tuner *tuner);

/* Moves the machine to what @wish takes, which is copied, and what was chosen. Returns 0 or a negative errno. */
int tuner_lease(Tuner *tuner, const TuneWish *wish);

/*
 * Keeps @sticky as what is chosen, then moves the machine; @tell, unless it is NULL, hears of what is put back. Returns 0
 * or a negative errno.
 */
int tuner_choose(Tuner *tuner, const Sticky *sticky, RestoreTell tell, void *context);

/* They stay the tuner's. */
const Sticky *tuner_sticky(const Tuner *tuner);
Tuning *tuner_tuning(const Tuner *tuner);
RestoreJournal *tuner_journal(const Tuner *tuner);
RootDir *tuner_root(const Tuner *tuner);
