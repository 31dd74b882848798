/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/applied-plan.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/file-value.h"
#include "machine/restore-journal.h"
#include "machine/tunable.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/root-dir.h"

struct AppliedPlan {
        RootDir *root;
        RestoreJournal *journal; /* NULL: nothing can be noted, so nothing is changed */
        TunablePlan plan;
        int latency_fd; /* -1: no request */
};

int applied_plan_new(RootDir *root, RestoreJournal *journal, AppliedPlan **ret_applied) {
        AppliedPlan *applied = malloc(sizeof *applied);

        if (!applied)
                return error_origin(-ENOMEM);
        *applied = (AppliedPlan){ .root = root, .journal = journal, .latency_fd = -1 };
        *ret_applied = applied;
        return 0;
}

AppliedPlan *applied_plan_free(AppliedPlan *applied) {
        if (!applied)
                return NULL;
        fd_close(applied->latency_fd);
        tunable_plan_clear(&applied->plan);
        free(applied);
        return NULL;
}

/* ---- a step that is a file: noted in the restore journal, written, read back */

/* Sets the outcome of @step, whose file could not be read or written. */
static void step_blame(const AppliedPlan *applied, TunableStep *step, int r) {
        if (file_value_cpu_is_off(applied->root, step->path))
                step->outcome = OPS_OUTCOME_OFF;
        else
                step->outcome = r == ROOT_DIR_E_MISSING ? OPS_OUTCOME_UNSUPPORTED : OPS_OUTCOME_DENIED;
}

/*
 * Finds the entry of @step. If another program has changed the file, the entry is dropped, and that program's value is
 * restored later. An unconfirmed entry stays: benchd was cut off between writing and reading back, so the value is its
 * own doing.
 */
static int step_entry(const AppliedPlan *applied, const TunableStep *step, const RestoreEntry **ret_entry) {
        const RestoreEntry *entry = NULL;
        int r;

        if (applied->journal)
                entry = restore_journal_find(applied->journal, RESTORE_FILE, step->path);
        if (entry && !entry->unconfirmed && strcmp(entry->was, step->is) != 0 &&
                        !restore_journal_entry_is_ours(entry, step->is)) {
                r = restore_journal_done(applied->journal, RESTORE_FILE, step->path);
                if (r)
                        return error_trace(r);
                entry = NULL;
        }
        *ret_entry = entry;
        return 0;
}

/* The file could not be written: takes back what was noted for it. */
static int step_deny(const AppliedPlan *applied, TunableStep *step, bool fresh, int r) {
        step_blame(applied, step, r);
        return fresh ? error_trace(restore_journal_done(applied->journal, RESTORE_FILE, step->path))
                     : error_trace(restore_journal_confirm(applied->journal, RESTORE_FILE, step->path, step->is));
}

/* A file that vanished with its CPU between writing and reading back stays in the journal, unconfirmed. */
static int step_write(const AppliedPlan *applied, TunableStep *step, bool fresh) {
        int r;

        r = restore_journal_note(applied->journal, RESTORE_FILE, step->path, step->was, step->want);
        if (r)
                return error_trace(r);
        r = file_value_write(applied->root, step->path, step->want);
        if (r > 0)
                return error_trace(step_deny(applied, step, fresh, r));
        if (!r)
                r = file_value_read(applied->root, step->path, step->is, sizeof step->is);
        if (r > 0) {
                step->is[0] = 0;
                step_blame(applied, step, r);
        }
        if (r)
                return r < 0 ? error_trace(r) : 0;
        step->outcome = file_value_equal(step->kind, step->is, step->want) ? OPS_OUTCOME_APPLIED
                                                                           : OPS_OUTCOME_OVERRIDDEN;
        return error_trace(restore_journal_confirm(applied->journal, RESTORE_FILE, step->path, step->is));
}

/* Reads what the file of @step holds and held. A missing file counts as not supported. */
static int step_read(const AppliedPlan *applied, TunableStep *step, const RestoreEntry **ret_entry) {
        int r;

        r = file_value_read(applied->root, step->path, step->is, sizeof step->is);
        if (r > 0)
                step_blame(applied, step, r);
        if (r)
                return error_trace(r);
        r = step_entry(applied, step, ret_entry);
        if (r)
                return error_trace(r);
        snprintf(step->was, sizeof step->was, "%s", *ret_entry ? (*ret_entry)->was : step->is);
        return 0;
}

/*
 * A file that holds its first value needs no entry, unless benchd wanted another value: the kernel may yet take over
 * what was written.
 */
static int step_forget(const AppliedPlan *applied, TunableStep *step) {
        if (step->outcome == OPS_OUTCOME_OVERRIDDEN || strcmp(step->is, step->was) != 0 ||
                        !restore_journal_find(applied->journal, RESTORE_FILE, step->path))
                return 0;
        if (step->outcome == OPS_OUTCOME_APPLIED)
                step->outcome = OPS_OUTCOME_ALREADY;
        return error_trace(restore_journal_done(applied->journal, RESTORE_FILE, step->path));
}

/* Reads and changes nothing. The step counts as denied unless its file already has the wanted value. */
static int step_look(const AppliedPlan *applied, TunableStep *step) {
        const RestoreEntry *entry;
        int r;

        r = step_read(applied, step, &entry);
        if (r)
                return r < 0 ? error_trace(r) : 0;
        if (file_value_equal(step->kind, step->is, step->want))
                step->outcome = entry ? OPS_OUTCOME_APPLIED : OPS_OUTCOME_ALREADY;
        return 0;
}

static int step_apply_file(const AppliedPlan *applied, TunableStep *step) {
        const RestoreEntry *entry = NULL;
        int r;

        r = step_read(applied, step, &entry);
        if (r)
                return r < 0 ? error_trace(r) : 0;
        if (file_value_equal(step->kind, step->is, step->want))
                step->outcome = entry ? OPS_OUTCOME_APPLIED : OPS_OUTCOME_ALREADY;
        else
                r = step_write(applied, step, !entry);
        return r ? error_trace(r) : error_trace(step_forget(applied, step));
}

/* A file that is gone reads as empty. */
static int step_reread(const AppliedPlan *applied, TunableStep *step, bool *ret_changed) {
        char is[FILE_VALUE_MAX];
        int r;

        r = file_value_read(applied->root, step->path, is, sizeof is);
        if (r < 0)
                return error_trace(r);
        if (r > 0)
                is[0] = 0;
        *ret_changed = strcmp(is, step->is) != 0;
        if (!*ret_changed)
                return 0;
        strcpy(step->is, is);
        if (r > 0 && file_value_cpu_is_off(applied->root, step->path))
                step->outcome = OPS_OUTCOME_OFF;
        else if (!file_value_equal(step->kind, is, step->want))
                step->outcome = OPS_OUTCOME_OVERRIDDEN;
        else if (step->outcome == OPS_OUTCOME_OFF || step->outcome == OPS_OUTCOME_OVERRIDDEN)
                step->outcome = OPS_OUTCOME_APPLIED;
        return 0;
}

/* Notes the present value as benchd's doing. A value that was right from the beginning has no entry yet. */
static int step_settle(const AppliedPlan *applied, const TunableStep *step) {
        int r = 0;

        if (!restore_journal_find(applied->journal, RESTORE_FILE, step->path))
                r = restore_journal_note(applied->journal, RESTORE_FILE, step->path, step->was, step->is);
        return r ? error_trace(r)
                 : error_trace(restore_journal_confirm(applied->journal, RESTORE_FILE, step->path, step->is));
}

/* ---- the step that is an open descriptor */

static int latency_open(AppliedPlan *applied, TunableStep *step) {
        int r;

        if (applied->latency_fd >= 0)
                return 0;
        r = tunable_latency_open(applied->root, &applied->latency_fd);
        if (r > 0)
                step->outcome = r == TUNABLE_LATENCY_E_UNSUPPORTED ? OPS_OUTCOME_UNSUPPORTED : OPS_OUTCOME_DENIED;
        return error_trace(r);
}

static int step_apply_latency(AppliedPlan *applied, TunableStep *step) {
        int32_t was, is, want = atoi(step->want);
        int r;

        r = latency_open(applied, step);
        if (r)
                return r < 0 ? error_trace(r) : 0;
        r = tunable_latency_read(applied->latency_fd, &was);
        if (!r)
                r = tunable_latency_request(applied->latency_fd, want);
        if (!r)
                r = tunable_latency_read(applied->latency_fd, &is);
        if (r)
                return error_trace(r);
        snprintf(step->was, sizeof step->was, "%d", was);
        snprintf(step->is, sizeof step->is, "%d", is);
        step->outcome = is == want ? OPS_OUTCOME_APPLIED : is < want ? OPS_OUTCOME_ALREADY : OPS_OUTCOME_OVERRIDDEN;
        return 0;
}

/* Reads and requests nothing. */
static int step_look_latency(AppliedPlan *applied, TunableStep *step) {
        int32_t is;
        int r;

        r = latency_open(applied, step);
        if (!r)
                r = tunable_latency_read(applied->latency_fd, &is);
        if (r)
                return r < 0 ? error_trace(r) : 0;
        snprintf(step->is, sizeof step->is, "%d", is);
        snprintf(step->was, sizeof step->was, "%d", is);
        if (is <= atoi(step->want))
                step->outcome = OPS_OUTCOME_ALREADY;
        return 0;
}

/* ---- moving */

typedef struct Dropping {
        const AppliedPlan *applied;
        RestoreTell tell;
        void *context;
} Dropping;

static bool is_planned(void *context, const RestoreEntry *entry) {
        const Dropping *dropping = context;

        return entry->kind != RESTORE_FILE || tunable_plan_find(&dropping->applied->plan, entry->key);
}

static void tell_dropped(void *context, OpsOutcome outcome, const char *key, const char *was, const char *is) {
        const Dropping *dropping = context;

        if (dropping->tell)
                dropping->tell(dropping->context, outcome, key, was, is);
}

/* Puts back values that the new plan does not name, last noted first. */
static int plan_drop(AppliedPlan *applied, Dropping *dropping, bool last) {
        RestoreHands hands;
        RestorePass restoring = {
                .journal = applied->journal,
                .hands = &hands,
                .leave = is_planned,
                .tell = tell_dropped,
                .context = dropping,
                .last = last,
        };

        if (!tunable_plan_find(&applied->plan, TUNABLE_LATENCY_PATH))
                applied->latency_fd = fd_close(applied->latency_fd);
        restore_hands_init(&hands, applied->root);
        return error_trace(restore_pass(&restoring));
}

/*
 * A denied step is tried again after the others, since one may depend on another: a preference depends on its governor.
 */
static int plan_apply(AppliedPlan *applied) {
        static const OpsOutcome passes[] = { OPS_OUTCOME_PENDING, OPS_OUTCOME_DENIED };
        int r = 0;

        for (size_t pass = 0; pass < N_ELEMENTS(passes); pass++)
                for (size_t i = 0; !r && i < applied->plan.n_steps; i++) {
                        TunableStep *step = &applied->plan.steps[i];

                        if (step->outcome != passes[pass])
                                continue;
                        r = step->id == TUNABLE_IDLE_LATENCY ? step_apply_latency(applied, step)
                                                             : step_apply_file(applied, step);
                }
        return error_trace(r);
}

/* Reads the steps that were not reached. */
static int plan_look(AppliedPlan *applied) {
        int r = 0;

        for (size_t i = 0; i < applied->plan.n_steps; i++) {
                TunableStep *step = &applied->plan.steps[i];

                if (step->outcome != OPS_OUTCOME_PENDING)
                        continue;
                step->outcome = OPS_OUTCOME_DENIED;
                if (!r)
                        r = step->id == TUNABLE_IDLE_LATENCY ? step_look_latency(applied, step)
                                                             : step_look(applied, step);
        }
        return error_trace(r);
}

/* A value is not checked if the original is unknown, as for a CPU that was off when it was read. */
static bool step_is_checked(const TunableStep *step) {
        switch (step->outcome) {
        case OPS_OUTCOME_APPLIED:
        case OPS_OUTCOME_ALREADY:
        case OPS_OUTCOME_OVERRIDDEN:
                return step->id != TUNABLE_IDLE_LATENCY;
        case OPS_OUTCOME_OFF:
                return step->id != TUNABLE_IDLE_LATENCY && step->was[0];
        default:
                return false;
        }
}

static bool plan_wrote(const AppliedPlan *applied) {
        for (size_t i = 0; i < applied->plan.n_steps; i++)
                if (applied->plan.steps[i].outcome == OPS_OUTCOME_APPLIED ||
                                applied->plan.steps[i].outcome == OPS_OUTCOME_OVERRIDDEN)
                        return true;
        return false;
}

/*
 * If a later step changes the value of an earlier one, as no_turbo does with the limits, that is benchd's doing. If no
 * step was written, the change is not: this daemon may have no right to write, and another made it.
 */
static int plan_settle(AppliedPlan *applied) {
        int r;

        if (!plan_wrote(applied))
                return 0;
        for (size_t i = 0; i < applied->plan.n_steps; i++) {
                TunableStep *step = &applied->plan.steps[i];
                bool changed = false;

                r = step_is_checked(step) ? step_reread(applied, step, &changed) : 0;
                if (!r && changed && step->outcome != OPS_OUTCOME_OFF)
                        r = step_settle(applied, step);
                if (r)
                        return error_trace(r);
        }
        return 0;
}

static int plan_try(AppliedPlan *applied, Dropping *dropping) {
        int r;

        r = plan_drop(applied, dropping, false);
        if (!r)
                r = plan_apply(applied);
        if (!r)
                r = plan_drop(applied, dropping, true);
        if (!r)
                r = plan_settle(applied);
        return error_trace(r);
}

int applied_plan_move(AppliedPlan *applied, TunablePlan *plan, RestoreTell tell, void *context) {
        Dropping dropping = { .applied = applied, .tell = tell, .context = context };
        int r;

        tunable_plan_clear(&applied->plan);
        applied->plan = *plan;
        *plan = (TunablePlan){};
        if (!applied->journal)
                return error_trace(plan_look(applied));
        r = plan_try(applied, &dropping);
        if (r)
                (void)plan_look(applied);
        return error_trace(r);
}

/* ---- telling */

int applied_plan_verify(AppliedPlan *applied, size_t *ret_n_changed) {
        size_t n = 0;
        int r;

        for (size_t i = 0; i < applied->plan.n_steps; i++) {
                bool changed = false;

                if (!step_is_checked(&applied->plan.steps[i]))
                        continue;
                r = step_reread(applied, &applied->plan.steps[i], &changed);
                if (r)
                        return error_trace(r);
                n += changed;
        }
        *ret_n_changed = n;
        return 0;
}

const TunablePlan *applied_plan_current(const AppliedPlan *applied) {
        return &applied->plan;
}

void applied_plan_report(const AppliedPlan *applied, TunableId id, AppliedTunable *ret_report) {
        static const uint8_t badness[_OPS_OUTCOME_N] = {
                [OPS_OUTCOME_ALREADY] = 1,
                [OPS_OUTCOME_APPLIED] = 2,
                [OPS_OUTCOME_OFF] = 3,
                [OPS_OUTCOME_OVERRIDDEN] = 4,
                [OPS_OUTCOME_DENIED] = 5,
                [OPS_OUTCOME_UNSUPPORTED] = 6,
        };
        AppliedTunable report = { .outcome = OPS_OUTCOME_UNSUPPORTED };

        for (size_t i = 0; i < applied->plan.n_steps; i++) {
                const TunableStep *step = &applied->plan.steps[i];

                if (step->id != id)
                        continue;
                report.counts[step->outcome]++;
                if (!report.example || badness[step->outcome] > badness[report.outcome]) {
                        report.outcome = step->outcome;
                        report.example = step;
                }
        }
        *ret_report = report;
}
