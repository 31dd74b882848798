/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/tuning.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/dma-latency.h"
#include "machine/file-value.h"
#include "machine/restore-journal.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/root-dir.h"

struct Tuning {
        RootDir *root;
        RestoreJournal *journal;
        TunePlan plan;
        int latency_fd; /* -1: no request */
};

int tuning_new(RootDir *root, RestoreJournal *journal, Tuning **ret_tuning) {
        Tuning *tuning = malloc(sizeof *tuning);

        if (!tuning)
                return error_origin(-ENOMEM);
        *tuning = (Tuning){ .root = root, .journal = journal, .latency_fd = -1 };
        *ret_tuning = tuning;
        return 0;
}

Tuning *tuning_free(Tuning *tuning) {
        if (!tuning)
                return NULL;
        fd_close(tuning->latency_fd);
        tune_plan_clear(&tuning->plan);
        free(tuning);
        return NULL;
}

/* ---- a step that is a file */

static TuneOutcome outcome_of_file(int r) {
        return r == ROOT_DIR_E_MISSING ? TUNE_UNSUPPORTED : TUNE_DENIED;
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
static int step_entry(Tuning *tuning, const TuneStep *step, const RestoreEntry **ret_entry) {
        const RestoreEntry *entry = restore_journal_find(tuning->journal, RESTORE_FILE, step->path);
        int r;

        if (entry && !entry->unconfirmed && !entry_has(entry, step->is)) {
                r = restore_journal_done(tuning->journal, RESTORE_FILE, step->path);
                if (r)
                        return error_trace(r);
                entry = NULL;
        }
        *ret_entry = entry;
        return 0;
}

/* It could not be written: what was noted for it is taken back. */
static int step_deny(Tuning *tuning, TuneStep *step, bool fresh, int r) {
        step->outcome = outcome_of_file(r);
        return fresh ? error_trace(restore_journal_done(tuning->journal, RESTORE_FILE, step->path))
                     : error_trace(restore_journal_confirm(tuning->journal, RESTORE_FILE, step->path, step->is));
}

/* A file that went away with its CPU between writing and reading stays noted, unconfirmed. */
static int step_write(Tuning *tuning, TuneStep *step, bool fresh) {
        int r;

        r = restore_journal_note(tuning->journal, RESTORE_FILE, step->path, step->was, step->want);
        if (r)
                return error_trace(r);
        r = root_dir_write(tuning->root, step->path, step->want);
        if (r > 0)
                return error_trace(step_deny(tuning, step, fresh, r));
        if (!r)
                r = file_value_read(tuning->root, step->path, step->is, sizeof step->is);
        if (r > 0)
                step->outcome = outcome_of_file(r);
        if (r)
                return r < 0 ? error_trace(r) : 0;
        step->outcome = value_equal(step->kind, step->is, step->want) ? TUNE_APPLIED : TUNE_OVERRIDDEN;
        return error_trace(restore_journal_confirm(tuning->journal, RESTORE_FILE, step->path, step->is));
}

/* Looks what @step holds and held. A file that is not there is not supported. */
static int step_look(Tuning *tuning, TuneStep *step, const RestoreEntry **ret_entry) {
        int r;

        r = file_value_read(tuning->root, step->path, step->is, sizeof step->is);
        if (r > 0)
                step->outcome = outcome_of_file(r);
        if (r)
                return error_trace(r);
        r = step_entry(tuning, step, ret_entry);
        if (r)
                return error_trace(r);
        snprintf(step->was, sizeof step->was, "%s", *ret_entry ? (*ret_entry)->was : step->is);
        return 0;
}

/* What holds what it held at first needs no entry. */
static int step_forget(Tuning *tuning, TuneStep *step) {
        if (strcmp(step->is, step->was) != 0 || !restore_journal_find(tuning->journal, RESTORE_FILE, step->path))
                return 0;
        if (step->outcome == TUNE_APPLIED)
                step->outcome = TUNE_ALREADY;
        return error_trace(restore_journal_done(tuning->journal, RESTORE_FILE, step->path));
}

static int step_apply_file(Tuning *tuning, TuneStep *step) {
        const RestoreEntry *entry = NULL;
        int r;

        r = step_look(tuning, step, &entry);
        if (r)
                return r < 0 ? error_trace(r) : 0;
        if (value_equal(step->kind, step->is, step->want))
                step->outcome = entry ? TUNE_APPLIED : TUNE_ALREADY;
        else
                r = step_write(tuning, step, !entry);
        return r ? error_trace(r) : error_trace(step_forget(tuning, step));
}

/* ---- the step that is an open descriptor */

static int latency_open(Tuning *tuning, TuneStep *step) {
        int r;

        if (tuning->latency_fd >= 0)
                return 0;
        r = dma_latency_open(tuning->root, &tuning->latency_fd);
        if (r > 0)
                step->outcome = r == DMA_LATENCY_E_UNSUPPORTED ? TUNE_UNSUPPORTED : TUNE_DENIED;
        return error_trace(r);
}

static int step_apply_latency(Tuning *tuning, TuneStep *step) {
        int32_t was, is, want = atoi(step->want);
        int r;

        r = latency_open(tuning, step);
        if (r)
                return r < 0 ? error_trace(r) : 0;
        r = dma_latency_read(tuning->latency_fd, &was);
        if (!r)
                r = dma_latency_request(tuning->latency_fd, want);
        if (!r)
                r = dma_latency_read(tuning->latency_fd, &is);
        if (r)
                return error_trace(r);
        snprintf(step->was, sizeof step->was, "%d", was);
        snprintf(step->is, sizeof step->is, "%d", is);
        step->outcome = is == want ? TUNE_APPLIED : is < want ? TUNE_ALREADY : TUNE_OVERRIDDEN;
        return 0;
}

/* ---- moving */

static int step_apply(Tuning *tuning, TuneStep *step) {
        if (step->id == TUNABLE_IDLE_LATENCY)
                return error_trace(step_apply_latency(tuning, step));
        return error_trace(step_apply_file(tuning, step));
}

typedef struct Dropping {
        const Tuning *tuning;
        RestoreTell tell;
        void *context;
} Dropping;

static bool is_planned(void *context, const RestoreEntry *entry) {
        const Dropping *dropping = context;

        return entry->kind != RESTORE_FILE || tune_plan_find(&dropping->tuning->plan, entry->key);
}

static void tell_dropped(void *context, RestoreOutcome outcome, const char *key, const char *was, const char *is) {
        const Dropping *dropping = context;

        if (dropping->tell)
                dropping->tell(dropping->context, outcome, key, was, is);
}

/* Puts back what the new plan does not name, last noted first. */
static int tuning_drop(Tuning *tuning, Dropping *dropping, bool last) {
        RestoreHands hands;
        Restoring restoring = {
                .journal = tuning->journal,
                .hands = &hands,
                .leave = is_planned,
                .tell = tell_dropped,
                .context = dropping,
                .last = last,
        };

        if (!tune_plan_find(&tuning->plan, DMA_LATENCY_PATH))
                tuning->latency_fd = fd_close(tuning->latency_fd);
        restore_hands_init(&hands, tuning->root);
        return error_trace(restore_pass(&restoring));
}

/* What was denied at first may have been in the way of another: a preference waits for its governor. */
static int tuning_apply(Tuning *tuning) {
        static const TuneOutcome passes[] = { TUNE_PENDING, TUNE_DENIED };
        int r = 0;

        for (size_t pass = 0; pass < N_ELEMENTS(passes); pass++)
                for (size_t i = 0; !r && i < tuning->plan.n_steps; i++)
                        if (tuning->plan.steps[i].outcome == passes[pass])
                                r = step_apply(tuning, &tuning->plan.steps[i]);
        return error_trace(r);
}

static bool step_is_checked(const TuneStep *step) {
        return step->id != TUNABLE_IDLE_LATENCY &&
               (step->outcome == TUNE_ALREADY || step->outcome == TUNE_APPLIED || step->outcome == TUNE_OVERRIDDEN);
}

/* Reads the file of @step again. One that is gone reads as empty. */
static int step_reread(Tuning *tuning, TuneStep *step, bool *ret_changed) {
        char is[VALUE_MAX];
        int r;

        r = file_value_read(tuning->root, step->path, is, sizeof is);
        if (r < 0)
                return error_trace(r);
        if (r > 0)
                is[0] = 0;
        *ret_changed = strcmp(is, step->is) != 0;
        if (*ret_changed) {
                strcpy(step->is, is);
                if (!value_equal(step->kind, is, step->want))
                        step->outcome = TUNE_OVERRIDDEN;
        }
        return 0;
}

/* A value that was right by itself has no entry yet. */
static int step_settle(Tuning *tuning, const TuneStep *step) {
        int r = 0;

        if (!restore_journal_find(tuning->journal, RESTORE_FILE, step->path))
                r = restore_journal_note(tuning->journal, RESTORE_FILE, step->path, step->was, step->is);
        return r ? error_trace(r)
                 : error_trace(restore_journal_confirm(tuning->journal, RESTORE_FILE, step->path, step->is));
}

/* What a later step did to an earlier one's value, as no_turbo does to the limits, is our doing. */
static int tuning_settle(Tuning *tuning) {
        int r;

        for (size_t i = 0; i < tuning->plan.n_steps; i++) {
                TuneStep *step = &tuning->plan.steps[i];
                bool changed = false;

                r = step_is_checked(step) ? step_reread(tuning, step, &changed) : 0;
                if (!r && changed)
                        r = step_settle(tuning, step);
                if (r)
                        return error_trace(r);
        }
        return 0;
}

int tuning_move(Tuning *tuning, TunePlan *plan, RestoreTell tell, void *context) {
        Dropping dropping = { .tuning = tuning, .tell = tell, .context = context };
        int r;

        tune_plan_clear(&tuning->plan);
        tuning->plan = *plan;
        *plan = (TunePlan){};
        r = tuning_drop(tuning, &dropping, false);
        if (!r)
                r = tuning_apply(tuning);
        if (!r)
                r = tuning_drop(tuning, &dropping, true);
        if (!r)
                r = tuning_settle(tuning);
        return error_trace(r);
}

/* ---- telling */

int tuning_verify(Tuning *tuning, size_t *ret_n_changed) {
        size_t n = 0;
        int r;

        for (size_t i = 0; i < tuning->plan.n_steps; i++) {
                bool changed = false;

                if (!step_is_checked(&tuning->plan.steps[i]))
                        continue;
                r = step_reread(tuning, &tuning->plan.steps[i], &changed);
                if (r)
                        return error_trace(r);
                n += changed;
        }
        *ret_n_changed = n;
        return 0;
}

const TunePlan *tuning_plan(const Tuning *tuning) {
        return &tuning->plan;
}

void tuning_report(const Tuning *tuning, TunableId id, TuneReport *ret_report) {
        TuneReport report = { .outcome = TUNE_UNSUPPORTED };

        for (size_t i = 0; i < tuning->plan.n_steps; i++) {
                const TuneStep *step = &tuning->plan.steps[i];

                if (step->id != id)
                        continue;
                report.counts[step->outcome]++;
                if (!report.example || step->outcome > report.outcome) {
                        report.outcome = step->outcome;
                        report.example = step;
                }
        }
        *ret_report = report;
}
