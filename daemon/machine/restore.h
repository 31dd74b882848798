/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Puts back the values of the restore journal: last noted first, compared before they are written. A value that another
 * program changed meanwhile is left alone.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "machine/restore-record.h"
#include "ops/outcome.h"

typedef struct RestoreEntry RestoreEntry;
typedef struct RestoreJournal RestoreJournal;

enum {
        _RESTORE_HAND_E_SUCCESS,

        RESTORE_HAND_E_GONE,    /* the key no longer exists, so there is nothing to restore */
        RESTORE_HAND_E_REFUSED, /* cannot be read or written, at least for now */
        RESTORE_HAND_E_OFF,     /* not now: its CPU is switched off */
};

/* Reads and writes the values of one kind. Returns 0, RESTORE_HAND_E_*, or a negative errno. */
typedef struct RestoreHand {
        int (*read)(void *context, const char *key, char *value, size_t n_value);
        int (*write)(void *context, const char *key, const char *value);
        void *context;
} RestoreHand;

/* The hands of all kinds; entries of a kind whose hand has no functions wait in the journal. */
typedef struct RestoreHands {
        RestoreHand hands[_RESTORE_KIND_N];
} RestoreHands;

/* Called for each entry: @is is its value before the attempt, empty if it could not be read. */
typedef void (*RestoreTell)(void *context, OpsOutcome outcome, const char *key, const char *was, const char *is);

/* Fills in the hand of RESTORE_FILE: files below @root. */
void restore_hands_init(RestoreHands *hands, RootDir *root);

/* Restores the one entry of @key, if there is one. Returns 0 or a negative errno. */
int restore_one(RestoreJournal *journal, const RestoreHands *hands, RestoreKind kind, const char *key,
                OpsOutcome *ret_outcome);

/*
 * Restores all entries; @tell, unless NULL, is called for each. Refused ones are tried once more at the end, since one
 * value may have blocked another. Returns 0 or the first negative errno: a failed entry does not stop the others.
 */
int restore_all(RestoreJournal *journal, const RestoreHands *hands, RestoreTell tell, void *context);

/* One of these two passes, for callers that do something in between. */
typedef struct RestorePass {
        RestoreJournal *journal;
        const RestoreHands *hands;
        bool (*leave)(void *context, const RestoreEntry *entry); /* which entries to leave alone; NULL: none */
        RestoreTell tell;
        void *context;
        bool last; /* entries that stay in the journal are reported */
} RestorePass;

/* True if an entry with this outcome is still in the journal. */
bool restore_outcome_waits(OpsOutcome outcome);

int restore_pass(const RestorePass *restoring);

/*
 * The CPUs that another thread may run on, as a value of the restore journal. Its key is the thread's number and the tick at
 * which it started, so that another thread that got the number later is left alone.
 */

enum {
        _RESTORE_THREAD_MASK_E_SUCCESS,

        RESTORE_THREAD_MASK_E_GONE, /* no such thread */
};

/* Writes the key of thread @tid of the machine below @root. Returns 0, E_GONE, or a negative errno. */
int restore_thread_mask_key(RootDir *root, pid_t tid, char *key, size_t n_key);

/*
 * The hand of RESTORE_THREAD_MASK, with values as lists of CPUs; @root, the running machine's, outlives it. A thread that the
 * kernel binds to its CPU refuses. A mask with a CPU that is off is written without that CPU, and has to be written again
 * later.
 */
void restore_thread_mask_hand(RootDir *root, RestoreHand *ret_hand);
