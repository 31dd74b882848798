/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/restore-entries.h"

#include <stdlib.h>
#include <string.h>

#include "util/error.h"

static void entry_clear(RestoreEntry *entry) {
        for (size_t i = 0; i < entry->n_ours; i++)
                free(entry->ours[i]);
        free(entry->ours);
        free(entry->key);
        free(entry->was);
}

void restore_entries_clear(RestoreEntries *entries) {
        for (size_t i = 0; i < entries->n_entries; i++)
                entry_clear(&entries->entries[i]);
        free(entries->entries);
        *entries = (RestoreEntries){};
}

RestoreEntry *restore_entries_find(const RestoreEntries *entries, RestoreKind kind, const char *key) {
        for (size_t i = 0; i < entries->n_entries; i++)
                if (entries->entries[i].kind == kind && strcmp(entries->entries[i].key, key) == 0)
                        return &entries->entries[i];
        return NULL;
}

static int entry_add_ours(RestoreEntry *entry, const char *value) {
        char **ours;

        for (size_t i = 0; i < entry->n_ours; i++)
                if (strcmp(entry->ours[i], value) == 0)
                        return 0;
        ours = reallocarray(entry->ours, entry->n_ours + 1, sizeof *ours);
        if (!ours)
                return error_origin(-ENOMEM);
        entry->ours = ours;
        ours[entry->n_ours] = strdup(value);
        if (!ours[entry->n_ours])
                return error_origin(-ENOMEM);
        entry->n_ours++;
        return 0;
}

static int entries_add(RestoreEntries *entries, const RestoreRecord *record) {
        RestoreEntry *grown, entry = { .kind = record->kind };

        grown = reallocarray(entries->entries, entries->n_entries + 1, sizeof *grown);
        if (!grown)
                return error_origin(-ENOMEM);
        entries->entries = grown;
        entry.key = strdup(record->key);
        entry.was = strdup(record->was);
        if (!entry.key || !entry.was) {
                entry_clear(&entry);
                return error_origin(-ENOMEM);
        }
        grown[entries->n_entries++] = entry;
        return 0;
}

static int fold_noted(RestoreEntries *entries, const RestoreRecord *record) {
        RestoreEntry *entry = restore_entries_find(entries, record->kind, record->key);
        int r;

        if (!entry) {
                r = entries_add(entries, record);
                if (r)
                        return error_trace(r);
                entry = &entries->entries[entries->n_entries - 1];
        }
        entry->unconfirmed = true;
        return error_trace(entry_add_ours(entry, record->is));
}

static int fold_confirmed(RestoreEntries *entries, const RestoreRecord *record) {
        RestoreEntry *entry = restore_entries_find(entries, record->kind, record->key);

        if (!entry)
                return 0;
        entry->unconfirmed = false;
        return error_trace(entry_add_ours(entry, record->is));
}

static int fold_done(RestoreEntries *entries, const RestoreRecord *record) {
        RestoreEntry *entry = restore_entries_find(entries, record->kind, record->key);
        size_t after;

        if (!entry)
                return 0;
        after = entries->entries + entries->n_entries - (entry + 1);
        entry_clear(entry);
        memmove(entry, entry + 1, after * sizeof *entry);
        entries->n_entries--;
        return 0;
}

int restore_entries_fold(RestoreEntries *entries, const RestoreRecord *record) {
        static int (*const folds[_RESTORE_PHASE_N])(RestoreEntries * entries, const RestoreRecord *record) = {
                [RESTORE_NOTED] = fold_noted,
                [RESTORE_CONFIRMED] = fold_confirmed,
                [RESTORE_DONE] = fold_done,
        };

        return error_trace(folds[record->phase](entries, record));
}
