/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The records of a restore journal folded into what is to be restored, one entry a key. Pure.
 */

#include <stddef.h>

#include "machine/restore-journal.h"

typedef struct RestoreEntries {
        RestoreEntry *entries;
        size_t n_entries;
} RestoreEntries;

void restore_entries_clear(RestoreEntries *entries);

/* The entry of @key; NULL if there is none. */
RestoreEntry *restore_entries_find(const RestoreEntries *entries, RestoreKind kind, const char *key);

/* Takes @record in; one that confirms or forgets a key that was not noted changes nothing. Returns 0 or a negative errno. */
int restore_entries_fold(RestoreEntries *entries, const RestoreRecord *record);
