/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/tune-step.h"

#include <stdio.h>
#include <string.h>

#include "machine/file-cpu.h"
#include "machine/file-value.h"
#include "machine/restore-journal.h"
#include "util/error.h"
#include "util/root-dir.h"

/* Why the file of @step could be neither read nor written. */
static void step_blame(const TuneTarget *target, TuneStep *step, int r) {
        if (file_cpu_is_off(target->root, step->path))
                step->outcome = TUNE_OFF;
        else
                step->outcome = r == ROOT_DIR_E_MISSING ? TUNE_UNSUPPORTED : TUNE_DENIED;
}

static bool entry_has(const RestoreEntry *entry, const char *value) {
        for (size_t i = 0; i < entry->n_ours; i++)
                if (strcmp(entry->ours[i], value) == 0)
                        return true;
        return strcmp(entry->was, value) == 0;
}

/*
 * The entry of @step. One whose file somebody else has changed is dropped: his value is what is restored then. One that
 * was cut off before it was read back holds what we made of it.
 */
static int step_entry(const TuneTarget *target, const TuneStep *step, const RestoreEntry **ret_entry) {
        const RestoreEntry *entry = NULL;
        int r;

        if (target->journal)
                entry = restore_journal_find(target->journal, RESTORE_FILE, step->path);
        if (entry && !entry->unconfirmed && !entry_has(entry, step->is)) {
                r = restore_journal_done(target->journal, RESTORE_FILE, step->path);
                if (r)
                        return error_trace(r);
                entry = NULL;
        }
        *ret_entry = entry;
        return 0;
}

/* It could not be written: what was noted for it is taken back. */
static int step_deny(const TuneTarget *target, TuneStep *step, bool fresh, int r) {
        step_blame(target, step, r);
        return fresh ? error_trace(restore_journal_done(target->journal, RESTORE_FILE, step->path))
                     : error_trace(restore_journal_confirm(target->journal, RESTORE_FILE, step->path, step->is));
}

/* A file that went away with its CPU between writing and reading stays noted, unconfirmed. */
static int step_write(const TuneTarget *target, TuneStep *step, bool fresh) {
        int r;

        r = restore_journal_note(target->journal, RESTORE_FILE, step->path, step->was, step->want);
        if (r)
                return error_trace(r);
        r = root_dir_write(target->root, step->path, step->want);
        if (r > 0)
                return error_trace(step_deny(target, step, fresh, r));
        if (!r)
                r = file_value_read(target->root, step->path, step->is, sizeof step->is);
        if (r > 0) {
                step->is[0] = 0;
                step_blame(target, step, r);
        }
        if (r)
                return r < 0 ? error_trace(r) : 0;
        step->outcome = value_equal(step->kind, step->is, step->want) ? TUNE_APPLIED : TUNE_OVERRIDDEN;
        return error_trace(restore_journal_confirm(target->journal, RESTORE_FILE, step->path, step->is));
}

/* Looks what @step holds and held. A file that is not there is not supported. */
static int step_look(const TuneTarget *target, TuneStep *step, const RestoreEntry **ret_entry) {
        int r;

        r = file_value_read(target->root, step->path, step->is, sizeof step->is);
        if (r > 0)
                step_blame(target, step, r);
        if (r)
                return error_trace(r);
        r = step_entry(target, step, ret_entry);
        if (r)
                return error_trace(r);
        snprintf(step->was, sizeof step->was, "%s", *ret_entry ? (*ret_entry)->was : step->is);
        return 0;
}

/* What holds what it held at first needs no entry. */
static int step_forget(const TuneTarget *target, TuneStep *step) {
        if (strcmp(step->is, step->was) != 0 || !restore_journal_find(target->journal, RESTORE_FILE, step->path))
                return 0;
        if (step->outcome == TUNE_APPLIED)
                step->outcome = TUNE_ALREADY;
        return error_trace(restore_journal_done(target->journal, RESTORE_FILE, step->path));
}

int tune_step_look(const TuneTarget *target, TuneStep *step) {
        const RestoreEntry *entry;
        int r;

        step->outcome = TUNE_DENIED;
        r = step_look(target, step, &entry);
        if (r)
                return r < 0 ? error_trace(r) : 0;
        if (value_equal(step->kind, step->is, step->want))
                step->outcome = entry ? TUNE_APPLIED : TUNE_ALREADY;
        return 0;
}

int tune_step_apply(const TuneTarget *target, TuneStep *step) {
        const RestoreEntry *entry = NULL;
        int r;

        r = step_look(target, step, &entry);
        if (r)
                return r < 0 ? error_trace(r) : 0;
        if (value_equal(step->kind, step->is, step->want))
                step->outcome = entry ? TUNE_APPLIED : TUNE_ALREADY;
        else
                r = step_write(target, step, !entry);
        return r ? error_trace(r) : error_trace(step_forget(target, step));
}

int tune_step_reread(const TuneTarget *target, TuneStep *step, bool *ret_changed) {
        char is[VALUE_MAX];
        int r;

        r = file_value_read(target->root, step->path, is, sizeof is);
        if (r < 0)
                return error_trace(r);
        if (r > 0)
                is[0] = 0;
        *ret_changed = strcmp(is, step->is) != 0;
        if (!*ret_changed)
                return 0;
        strcpy(step->is, is);
        if (r > 0 && file_cpu_is_off(target->root, step->path))
                step->outcome = TUNE_OFF;
        else if (!value_equal(step->kind, is, step->want))
                step->outcome = TUNE_OVERRIDDEN;
        else if (step->outcome == TUNE_OFF)
                step->outcome = TUNE_APPLIED;
        return 0;
}

/* A value that was right by itself has no entry yet. */
int tune_step_settle(const TuneTarget *target, const TuneStep *step) {
        int r = 0;

        if (!restore_journal_find(target->journal, RESTORE_FILE, step->path))
                r = restore_journal_note(target->journal, RESTORE_FILE, step->path, step->was, step->is);
        return r ? error_trace(r)
                 : error_trace(restore_journal_confirm(target->journal, RESTORE_FILE, step->path, step->is));
}
