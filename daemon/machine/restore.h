/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Puts back what the restore journal notes: last noted first, compared before it is written. A value that somebody else
 * changed meanwhile is left alone.
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

        RESTORE_HAND_E_GONE,    /* there is no such thing any more, so nothing to restore */
        RESTORE_HAND_E_REFUSED, /* it cannot be read or written, at least not now */
        RESTORE_HAND_E_OFF,     /* not now, since its CPU is switched off */
};

/* How the values of one kind are read and written. Returns 0, RESTORE_HAND_E_*, or a negative errno. */
typedef struct RestoreHand {
        int (*read)(void *context, const char *key, char *value, size_t n_value);
        int (*write)(void *context, const char *key, const char *value);
        void *context;
} RestoreHand;

/* The hands of all kinds; one without functions has what is of its kind wait in the journal. */
typedef struct RestoreHands {
        RestoreHand hands[_RESTORE_KIND_N];
} RestoreHands;

/* Told of each entry: @is what it held when it was looked at, empty if that could not be read. */
typedef void (*RestoreTell)(void *context, OpsOutcome outcome, const char *key, const char *was, const char *is);

/* Fills in the hand of RESTORE_FILE: files below @root. */
void restore_hands_init(RestoreHands *hands, RootDir *root);

/* Restores the one entry of @key, if there is one. Returns 0 or a negative errno. */
int restore_one(RestoreJournal *journal, const RestoreHands *hands, RestoreKind kind, const char *key,
                OpsOutcome *ret_outcome);

/*
 * Restores all entries; @tell, unless it is NULL, hears of each. Refused ones are tried once more at the end, since one
 * value may have stood in the way of another. Returns 0 or the first negative errno: one that fails keeps no other from
 * going back.
 */
int restore_all(RestoreJournal *journal, const RestoreHands *hands, RestoreTell tell, void *context);

/* One pass of that, for who has something to do between the two. */
typedef struct RestorePass {
        RestoreJournal *journal;
        const RestoreHands *hands;
        bool (*leave)(void *context, const RestoreEntry *entry); /* which entries to leave alone; NULL: none */
        RestoreTell tell;
        void *context;
        bool last; /* what stays in the journal now is told */
} RestorePass;

/* True if an entry with this outcome is still in the journal. */
bool restore_outcome_waits(OpsOutcome outcome);

int restore_pass(const RestorePass *restoring);

/*
 * The CPUs that another thread may run on, as a value that the restore journal keeps. Its key is the thread's number and the
 * tick at which it started, so that nobody is restored who merely got the number later.
 */

enum {
        _RESTORE_THREAD_MASK_E_SUCCESS,

        RESTORE_THREAD_MASK_E_GONE, /* there is no such thread */
};

/* Writes the key of thread @tid of the machine below @root. Returns 0, E_GONE, or a negative errno. */
int restore_thread_mask_key(RootDir *root, pid_t tid, char *key, size_t n_key);

/*
 * The hand of RESTORE_THREAD_MASK, with values as lists of CPUs; @root, the running machine's, outlives it. A thread that the
 * kernel ties to its CPU refuses. A mask with a CPU that is off is written without it: it is to be written again.
 */
void restore_thread_mask_hand(RootDir *root, RestoreHand *ret_hand);
