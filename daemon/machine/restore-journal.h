/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Restore journal: the original values of everything that benchd changed, kept so that they can be put back whatever
 * happens (machine/restore.h does that).
 *
 * A value is noted, on stable storage, before the first change. After the change the value that was read back is
 * confirmed, since the kernel may have altered it. When nothing is left to restore, the key is done. The first note of
 * a key has the original value; each note and confirmation has a value that benchd itself may have caused. A torn note
 * was not synced, so its change was not made. A damaged line ends the trusted part: records before it hold, records
 * after it may depend on a lost one.
 *
 * Lives on tmpfs, because a power cut resets the settings too, in a directory that only its owner may write: a forged
 * journal could have any setting written.
 */

#include <stdbool.h>
#include <stddef.h>

#include "machine/restore-record.h"
#include "util/cleanup.h"

typedef struct RestoreJournal RestoreJournal;

enum {
        _RESTORE_JOURNAL_E_SUCCESS,

        RESTORE_JOURNAL_E_HELD,    /* another process has it open */
        RESTORE_JOURNAL_E_CORRUPT, /* not a journal, or another user's: set aside as *.corrupt, nothing of it is applied */
};

/* The lines of a journal that are not trusted, from the first damaged one on; they were copied to *.corrupt. */
typedef struct RestoreDamage {
        size_t first_line; /* from 1; 0: there is no damage */
        size_t n_lines;
} RestoreDamage;

/* The value to restore of one key. */
typedef struct RestoreEntry {
        RestoreKind kind;
        char *key, *was;
        char **ours; /* values that it may hold through benchd */
        size_t n_ours;
        bool unconfirmed; /* cut off between a change and its reading back: any value counts as benchd's */
} RestoreEntry;

/* True if benchd may have caused @value of @entry, by a note or a confirmation. */
bool restore_journal_entry_is_ours(const RestoreEntry *entry, const char *value);

/*
 * Opens the journal at @path below @root for this process, not for its forks; makes it if there is none, in an existing
 * directory. Returns 0, E_HELD, E_CORRUPT, or a negative errno.
 */
int restore_journal_open(RootDir *root, const char *path, RestoreJournal **ret_journal);
RestoreJournal *restore_journal_close(RestoreJournal *journal);
DEFINE_CLEANUP(RestoreJournal *, restore_journal_close)

/* The damage that was found when the journal was opened. */
RestoreDamage restore_journal_damage(const RestoreJournal *journal);

/*
 * Notes that @key held @was and is about to hold @is. On return the record is on stable storage, except for a control
 * group, which does not survive a power cut. Returns 0 or a negative errno.
 */
int restore_journal_note(RestoreJournal *journal, RestoreKind kind, const char *key, const char *was, const char *is);

/* Confirms that @key, which is noted, was read back as @is. Returns 0 or a negative errno. */
int restore_journal_confirm(RestoreJournal *journal, RestoreKind kind, const char *key, const char *is);

/* Forgets @key: there is nothing to restore any more. Returns 0 or a negative errno. */
int restore_journal_done(RestoreJournal *journal, RestoreKind kind, const char *key);

/*
 * The entries, in the order of their first notes. The journal owns them; they are valid until the next call that
 * writes.
 */
size_t restore_journal_count(const RestoreJournal *journal);
const RestoreEntry *restore_journal_entry(const RestoreJournal *journal, size_t place);

/* The entry of @key; NULL if there is none. */
const RestoreEntry *restore_journal_find(const RestoreJournal *journal, RestoreKind kind, const char *key);
