/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Restore journal: the values that benchd changed as they were before, kept so that they can be put back whatever
 * happens (machine/restore.h does that).
 *
 * A value is noted, on stable storage, before the first change; what was read back is confirmed after it, since the
 * kernel may have made something else of it; and when nothing is left to restore, done. The first note of a key says
 * what it was, each note and confirmation what it may hold by our own doing. A note that was torn was not synced, so
 * its change was not made. A line that is damaged ends what is believed: the records before it stand, those after it
 * may have lost one on which they depend.
 *
 * Lives on tmpfs, because what it restores too is gone after a power cut, in a directory where only its owner writes:
 * who could write a journal could have anything written.
 */

#include <stdbool.h>
#include <stddef.h>

#include "machine/restore-record.h"
#include "util/cleanup.h"

typedef struct RestoreJournal RestoreJournal;

enum {
        _RESTORE_JOURNAL_E_SUCCESS,

        RESTORE_JOURNAL_E_HELD,    /* another process has it open */
        RESTORE_JOURNAL_E_CORRUPT, /* no journal, or somebody else's: set aside as *.corrupt, nothing of it is applied */
};

/* The lines of a journal that are not believed, from the first damaged one on; they were copied to *.corrupt. */
typedef struct RestoreDamage {
        size_t first_line; /* from 1; 0: there is no damage */
        size_t n_lines;
} RestoreDamage;

/* The value to restore of one key. */
typedef struct RestoreEntry {
        RestoreKind kind;
        char *key, *was;
        char **ours; /* what it may hold by our own doing */
        size_t n_ours;
        bool unconfirmed; /* cut off between a change and its reading back: whatever it holds is our doing */
} RestoreEntry;

/* True if the thing of @entry may hold @value by our own doing, as a note or a confirmation said. */
bool restore_journal_entry_is_ours(const RestoreEntry *entry, const char *value);

/*
 * Opens the journal at @path below @root for this process alone, not for those it forks; made if there is none, in a
 * directory that exists. Returns 0, E_HELD, E_CORRUPT, or a negative errno.
 */
int restore_journal_open(RootDir *root, const char *path, RestoreJournal **ret_journal);
RestoreJournal *restore_journal_close(RestoreJournal *journal);
DEFINE_CLEANUP(RestoreJournal *, restore_journal_close)

/* The damage that was found when it was opened. */
RestoreDamage restore_journal_damage(const RestoreJournal *journal);

/*
 * Notes that @key held @was and is about to hold @is. On return the record is on stable storage, but for one of a control
 * group, which no power cut leaves. Returns 0 or a negative errno.
 */
int restore_journal_note(RestoreJournal *journal, RestoreKind kind, const char *key, const char *was, const char *is);

/* Confirms that @key, which was noted, was read back as @is. Returns 0 or a negative errno. */
int restore_journal_confirm(RestoreJournal *journal, RestoreKind kind, const char *key, const char *is);

/* Forgets @key: there is nothing to restore any more. Returns 0 or a negative errno. */
int restore_journal_done(RestoreJournal *journal, RestoreKind kind, const char *key);

/* The entries, in the order of their first notes; they stay the journal's, and valid until the next call that writes. */
size_t restore_journal_count(const RestoreJournal *journal);
const RestoreEntry *restore_journal_entry(const RestoreJournal *journal, size_t place);

/* The entry of @key; NULL if there is none. */
const RestoreEntry *restore_journal_find(const RestoreJournal *journal, RestoreKind kind, const char *key);
