/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/tuning.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "machine/dma-latency.h"
#include "machine/restore-journal.h"
#include "machine/tune-step.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

struct Tuning {
        TuneTarget target;
        TunePlan plan;
        int latency_fd; /* -1: no request */
};

int tuning_new(RootDir *root, RestoreJournal *journal, Tuning **ret_tuning) {
        Tuning *tuning = malloc(sizeof *tuning);

        if (!tuning)
                return error_origin(-ENOMEM);
        *tuning = (Tuning){ .target = { .root = root, .journal = journal }, .latency_fd = -1 };
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

/* ---- the step that is an open descriptor */

static int latency_open(Tuning *tuning, TuneStep *step) {
        int r;

        if (tuning->latency_fd >= 0)
                return 0;
        r = dma_latency_open(tuning->target.root, &tuning->latency_fd);
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
        return error_trace(tune_step_apply(&tuning->target, step));
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
                .journal = tuning->target.journal,
                .hands = &hands,
                .leave = is_planned,
                .tell = tell_dropped,
                .context = dropping,
                .last = last,
        };

        if (!tune_plan_find(&tuning->plan, DMA_LATENCY_PATH))
                tuning->latency_fd = fd_close(tuning->latency_fd);
        restore_hands_init(&hands, tuning->target.root);
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

/* What was not come to. */
static int tuning_look(Tuning *tuning) {
        int r = 0;

        for (size_t i = 0; !r && i < tuning->plan.n_steps; i++) {
                TuneStep *step = &tuning->plan.steps[i];

                if (step->outcome == TUNE_PENDING && step->id != TUNABLE_IDLE_LATENCY)
                        r = tune_step_look(&tuning->target, step);
                else if (step->outcome == TUNE_PENDING)
                        step->outcome = TUNE_DENIED;
        }
        return error_trace(r);
}

/* Not what no value is known of to go back to, as of a CPU that was off when it was looked at. */
static bool step_is_checked(const TuneStep *step) {
        if (step->outcome == TUNE_OFF && !step->was[0])
                return false;
        return step->id != TUNABLE_IDLE_LATENCY && step->outcome >= TUNE_ALREADY && step->outcome <= TUNE_OVERRIDDEN;
}

/* What a later step did to an earlier one's value, as no_turbo does to the limits, is our doing. */
static int tuning_settle(Tuning *tuning) {
        int r;

        for (size_t i = 0; i < tuning->plan.n_steps; i++) {
                TuneStep *step = &tuning->plan.steps[i];
                bool changed = false;

                r = step_is_checked(step) ? tune_step_reread(&tuning->target, step, &changed) : 0;
                if (!r && changed && step->outcome != TUNE_OFF)
                        r = tune_step_settle(&tuning->target, step);
                if (r)
                        return error_trace(r);
        }
        return 0;
}

static int tuning_try(Tuning *tuning, Dropping *dropping) {
        int r;

        r = tuning_drop(tuning, dropping, false);
        if (!r)
                r = tuning_apply(tuning);
        if (!r)
                r = tuning_drop(tuning, dropping, true);
        if (!r)
                r = tuning_settle(tuning);
        return error_trace(r);
}

int tuning_move(Tuning *tuning, TunePlan *plan, RestoreTell tell, void *context) {
        Dropping dropping = { .tuning = tuning, .tell = tell, .context = context };
        int r;

        tune_plan_clear(&tuning->plan);
        tuning->plan = *plan;
        *plan = (TunePlan){};
        if (!tuning->target.journal)
                return error_trace(tuning_look(tuning));
        r = tuning_try(tuning, &dropping);
        if (r)
                (void)tuning_look(tuning);
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
                r = tune_step_reread(&tuning->target, &tuning->plan.steps[i], &changed);
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
