/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Notes of a search in a file of the user's, which the same command reads when it is called again: a line of JSON a step,
 * written as soon as it is known, so that a search may be killed at any time. The last line may be torn, and is then left out.
 *
 * The name of the file is a hash of all that the measurements depend on: the ends, the build, the module or the command, the options.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/cleanup.h"

typedef enum BisectNoteKind {
        BISECT_NOTE_LOOK,   /* a measurement */
        BISECT_NOTE_BROKEN, /* the commit does not build or does not run */
        BISECT_NOTE_TWIN,   /* its build has the bytes of another's */
} BisectNoteKind;

typedef struct BisectNote {
        BisectNoteKind kind;
        char id[65];    /* of the commit */
        char other[65]; /* of a twin */
        size_t n;       /* processes; likewise for looks: */
        double mean;    /* of the log ratios against the good end */
        double error;
        double freedom;
        double build_s; /* 0: it was built */
        double look_s;
} BisectNote;

typedef struct BisectState BisectState;

/*
 * Opens the notes of the search with @key, or with @afresh begins new ones. A search without a directory to write to works, and cannot be
 * continued, which is said. Returns 0 or an exit code.
 */
int bisect_state_open(const char *key, bool afresh, BisectState **ret_state);
BisectState *bisect_state_close(BisectState *state);

DEFINE_CLEANUP(BisectState *, bisect_state_close)

/* The notes of earlier calls, in their order; NULL past the last. */
const BisectNote *bisect_state_at(const BisectState *state, size_t index);

/* Adds a note to the file. A disk that is full ends no search: that it cannot be continued is said once. */
void bisect_state_add(BisectState *state, const BisectNote *note);

/* Removes the file: the search has ended. */
void bisect_state_remove(BisectState *state);
