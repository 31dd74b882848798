/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/tuner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "launch/kernel-threads.h"
#include "launch/shield.h"
#include "machine/applied-plan.h"
#include "machine/restore-journal.h"
#include "machine/restore.h"
#include "machine/sysfs.h"
#include "machine/tunable.h"
#include "util/cleanup.h"
#include "util/error.h"

struct Tuner {
        TunerConfig config;
        AppliedPlan *applied;
        cpu_set_t quiet; /* all that were leased since the machine was last given back */
        size_t n_leases;
        sd_event_source *linger_source;
        uint64_t linger_us;
        KernelThreads threads;
        int error; /* of the last move: negative errno, or 0 */
};

DEFINE_CLEANUP(Tuner *, tuner_free)

/* ---- putting back what is no file */

static bool is_file_or_group(void *context, const RestoreEntry *entry) {
        return entry->kind == RESTORE_FILE || entry->kind == RESTORE_CGROUP;
}

/* What waits for its CPU is tried again when that comes. */
static void tell_left(void *context, RestoreOutcome outcome, const char *key, const char *was, const char *is) {
        if (outcome == RESTORE_FOREIGN)
                fprintf(stderr, SD_NOTICE "%s was changed to '%s' by somebody else: left alone\n", key, is);
        else if (outcome == RESTORE_REFUSED)
                fprintf(stderr, SD_WARNING "%s could not be put back to '%s': it is '%s'\n", key, was, is);
}

/* Nobody tries it again by himself. */
static void tell_last(void *context, RestoreOutcome outcome, const char *key, const char *was, const char *is) {
        if (outcome == RESTORE_OFF)
                fprintf(stderr,
                                SD_WARNING
                                "%s could not be put back to '%s', since its CPU is off: 'benchd-launch --restore' does, "
                                "once that is on\n",
                                key, was);
        else
                tell_left(context, outcome, key, was, is);
}

static int tuner_put_back(Tuner *tuner) {
        const Restoring restoring = {
                .journal = tuner->config.journal,
                .hands = tuner->config.hands,
                .leave = is_file_or_group,
                .tell = tell_left,
                .last = true,
        };

        tuner->threads = (KernelThreads){};
        return error_trace(restore_pass(&restoring));
}

/* ---- moving */

static int tuner_plan(const Tuner *tuner, TunePlan *plan) {
        TuneWish wish = { .leased = tuner->quiet, .others = tuner->config.others };
        int r;

        r = tunables_plan(tuner->config.root, tuner->config.journal, &wish, plan);
        return r ? error_trace(r) : error_trace(sticky_plan(tuner->config.root, &tuner->config.sticky, plan));
}

static bool moves_threads(const Tuner *tuner) {
        return tuner->config.hands->hands[RESTORE_THREAD_MASK].write;
}

static bool has_shield(const Tuner *tuner) {
        return tuner->config.shield && tuner->config.hands->hands[RESTORE_UNIT_PROPERTY].write;
}

/* Nobody is on CPUs that were set apart at boot who does not ask for it: for them, no unit is narrowed. */
static int shielded_of(const Tuner *tuner, const cpu_set_t *cpus, cpu_set_t *ret_cpus) {
        cpu_set_t isolated;
        int r;

        r = sysfs_read_set(tuner->config.root, "sys/devices/system/cpu/isolated", &isolated);
        if (r)
                return error_trace(r);
        CPU_AND(&isolated, cpus, &isolated);
        CPU_XOR(ret_cpus, cpus, &isolated);
        return 0;
}

static int tuner_raise_shield(const Tuner *tuner) {
        const TunerConfig *config = &tuner->config;
        cpu_set_t cpus;
        int r;

        r = shielded_of(tuner, &tuner->quiet, &cpus);
        if (r || CPU_COUNT(&cpus) == 0)
                return error_trace(r);
        return error_trace(shield_raise(config->journal, &config->hands->hands[RESTORE_UNIT_PROPERTY], &cpus,
                        &config->others));
}

static int tuner_keep_off(Tuner *tuner) {
        const TunerConfig *config = &tuner->config;
        int r = 0;

        if (moves_threads(tuner))
                r = kernel_threads_move(config->root, config->journal, &tuner->quiet, &config->others, &tuner->threads);
        if (!r && has_shield(tuner))
                r = tuner_raise_shield(tuner);
        return error_trace(r);
}

static int tuner_try_move(Tuner *tuner, RestoreTell tell, void *context) {
        _cleanup_(tune_plan_clear) TunePlan plan = {};
        bool quiet = CPU_COUNT(&tuner->quiet) > 0, changes = tuner->config.journal;
        int r, first;

        first = changes && !quiet ? tuner_put_back(tuner) : 0;
        r = tuner_plan(tuner, &plan);
        if (!r)
                r = applied_plan_move(tuner->applied, &plan, tell, context);
        if (!r && changes && quiet)
                r = tuner_keep_off(tuner);
        return first ? error_trace(first) : error_trace(r);
}

/* One that fails is no reason not to measure: the report says what is not as it should be. */
static void tuner_move(Tuner *tuner, RestoreTell tell) {
        tuner->error = tuner_try_move(tuner, tell, NULL);
        if (tuner->error)
                fprintf(stderr, SD_ERR "the machine could not be switched as it should: %s\n",
                                strerrordesc_np(-tuner->error));
}

/* ---- leases */

/* Whether systemd has yet to take back what units were allowed: it was busy with something else. */
static bool tuner_waits(const Tuner *tuner) {
        const RestoreJournal *journal = tuner->config.journal;

        for (size_t place = 0; journal && place < restore_journal_count(journal); place++)
                if (restore_journal_entry(journal, place)->kind == RESTORE_UNIT_PROPERTY)
                        return true;
        return false;
}

static int tuner_on_lingered(sd_event_source *source, uint64_t usec, void *userdata);

static void tuner_linger(Tuner *tuner, uint64_t linger_us) {
        tuner->linger_us = linger_us;
        if (sd_event_add_time_relative(tuner->config.event, &tuner->linger_source, CLOCK_MONOTONIC, linger_us, 0,
                            tuner_on_lingered, tuner) < 0)
                tuner_on_lingered(NULL, 0, tuner);
}

/* What is refused then is tried again, each time after twice as long. */
static int tuner_on_lingered(sd_event_source *source, uint64_t usec, void *userdata) {
        Tuner *tuner = userdata;

        tuner->linger_source = sd_event_source_disable_unref(tuner->linger_source);
        CPU_ZERO(&tuner->quiet);
        tuner_move(tuner, tell_left);
        if (source && tuner_waits(tuner))
                tuner_linger(tuner, 2 * tuner->linger_us);
        return 0;
}

void tuner_begin(Tuner *tuner, const cpu_set_t *cpus) {
        cpu_set_t all;

        tuner->n_leases++;
        tuner->linger_source = sd_event_source_disable_unref(tuner->linger_source);
        CPU_OR(&all, &tuner->quiet, cpus);
        if (CPU_EQUAL(&all, &tuner->quiet))
                return;
        tuner->quiet = all;
        tuner_move(tuner, tell_left);
}

void tuner_end(Tuner *tuner) {
        if (--tuner->n_leases > 0)
                return;
        tuner_linger(tuner, TUNER_LINGER_US);
}

void tuner_renew(Tuner *tuner, const cpu_set_t *others) {
        tuner->config.others = *others;
        tuner_move(tuner, tell_left);
}

/* ---- what is chosen */

int tuner_choose(Tuner *tuner, const Sticky *sticky, RestoreTell tell, void *context) {
        int r;

        r = sticky_write(tuner->config.disk, tuner->config.sticky_path, sticky);
        if (r)
                return error_trace(r);
        tuner->config.sticky = *sticky;
        return error_trace(tuner_try_move(tuner, tell, context));
}

const Sticky *tuner_sticky(const Tuner *tuner) {
        return &tuner->config.sticky;
}

AppliedPlan *tuner_applied_plan(const Tuner *tuner) {
        return tuner->config.journal ? tuner->applied : NULL;
}

RootDir *tuner_root(const Tuner *tuner) {
        return tuner->config.root;
}

/* ---- telling */

static OpsControl *controls_new(OpsEnded *ended, const char *name, OpsOutcome outcome) {
        OpsControl *control = &ended->controls[ended->n_controls];

        if (ended->n_controls >= OPS_CONTROLS_MAX)
                return NULL;
        ended->n_controls++;
        control->outcome = outcome;
        snprintf(control->name, sizeof control->name, "%s", name);
        return control;
}

static OpsOutcome outcome_of(TuneOutcome outcome) {
        static const OpsOutcome outcomes[_TUNE_OUTCOME_N] = {
                [TUNE_PENDING] = OPS_OUTCOME_DENIED,
                [TUNE_ALREADY] = OPS_OUTCOME_ALREADY,
                [TUNE_APPLIED] = OPS_OUTCOME_APPLIED,
                [TUNE_OFF] = OPS_OUTCOME_OVERRIDDEN,
                [TUNE_OVERRIDDEN] = OPS_OUTCOME_OVERRIDDEN,
                [TUNE_DENIED] = OPS_OUTCOME_DENIED,
                [TUNE_UNSUPPORTED] = OPS_OUTCOME_UNSUPPORTED,
        };

        return outcomes[outcome];
}

static void describe_values(const TuneReport *report, OpsControl *control) {
        control->cpu_off = report->outcome == TUNE_OFF;
        snprintf(control->was, sizeof control->was, "%.*s", OPS_VALUE_MAX - 1, report->example->was);
        if (control->cpu_off)
                snprintf(control->is, sizeof control->is, "could not be read: its CPU is off");
        else
                snprintf(control->is, sizeof control->is, "%.*s", OPS_VALUE_MAX - 1, report->example->is);
}

/* Which CPUs a mask has differs from lease to lease; what was to be reached does not. Refusing is how the kernel keeps its own. */
static void describe_masks(const TuneReport *report, OpsControl *control) {
        size_t n_off = report->counts[TUNE_APPLIED] + report->counts[TUNE_ALREADY];
        unsigned n_kept = report->counts[TUNE_DENIED];

        snprintf(control->was, sizeof control->was, "any CPU");
        if (n_off == 0 || report->outcome == TUNE_OVERRIDDEN || report->counts[TUNE_OVERRIDDEN] > 0) {
                snprintf(control->is, sizeof control->is, "any CPU");
                return;
        }
        control->outcome = report->counts[TUNE_APPLIED] > 0 ? OPS_OUTCOME_APPLIED : OPS_OUTCOME_ALREADY;
        if (n_kept > 0)
                snprintf(control->is, sizeof control->is, "off what is leased, but %u of the kernel's", n_kept);
        else
                snprintf(control->is, sizeof control->is, "off what is leased");
}

static void describe_tunable(const Tuner *tuner, TunableId id, OpsEnded *ended) {
        TuneReport report;
        OpsControl *control;

        applied_plan_report(tuner->applied, id, &report);
        if (!report.example)
                return;
        control = controls_new(ended, tunable_name(id), outcome_of(report.outcome));
        if (!control)
                return;
        if (report.example->kind == VALUE_MASK || report.example->kind == VALUE_LIST)
                describe_masks(&report, control);
        else
                describe_values(&report, control);
}

static void describe_governor(const Tuner *tuner, OpsEnded *ended) {
        TuneReport report;
        OpsControl *control;

        applied_plan_report(tuner->applied, TUNABLE_GOVERNOR, &report);
        control = report.example ? NULL : controls_new(ended, tunable_name(TUNABLE_GOVERNOR), OPS_OUTCOME_UNSUPPORTED);
        if (control)
                snprintf(control->is, sizeof control->is, "no cpufreq: the frequency is not ours to set");
}

static void describe_threads(const Tuner *tuner, OpsEnded *ended) {
        bool moved = tuner->threads.n_refused == 0;
        OpsControl *control;

        if (!moves_threads(tuner))
                return;
        control = controls_new(ended, "kernel-threads", moved ? OPS_OUTCOME_APPLIED : OPS_OUTCOME_DENIED);
        if (!control)
                return;
        snprintf(control->was, sizeof control->was, "any CPU");
        snprintf(control->is, sizeof control->is, moved ? "off what is leased" : "off what is leased, but some");
}

static bool describe_shield(const Tuner *tuner, const cpu_set_t *cpus, OpsEnded *ended) {
        cpu_set_t shielded;
        bool holds = has_shield(tuner) && shielded_of(tuner, cpus, &shielded) == 0 &&
                     shield_holds(tuner->config.root, &shielded);
        OpsControl *control;

        control = controls_new(ended, "shield",
                        holds               ? OPS_OUTCOME_APPLIED
                        : has_shield(tuner) ? OPS_OUTCOME_OVERRIDDEN
                                            : OPS_OUTCOME_UNSUPPORTED);
        if (!control)
                return holds;
        snprintf(control->was, sizeof control->was, "any unit");
        snprintf(control->is, sizeof control->is, holds ? "our units only" : "any unit");
        return holds;
}

static void describe_error(const Tuner *tuner, OpsEnded *ended) {
        OpsControl *control = controls_new(ended, "tuning", OPS_OUTCOME_DENIED);

        if (control)
                snprintf(control->is, sizeof control->is, "%s",
                                tuner->error ? strerrordesc_np(-tuner->error)
                                             : "no restore journal: nothing is changed");
}

void tuner_describe(Tuner *tuner, const cpu_set_t *cpus, bool isolated, OpsEnded *ended) {
        size_t n_changed;
        bool shielded;

        ended->n_controls = 0;
        if (!tuner->config.journal || tuner->error)
                describe_error(tuner, ended);
        (void)applied_plan_verify(tuner->applied, &n_changed);
        for (TunableId id = 0; id < _TUNABLE_N; id++)
                describe_tunable(tuner, id, ended);
        describe_governor(tuner, ended);
        describe_threads(tuner, ended);
        shielded = !isolated && describe_shield(tuner, cpus, ended);
        ended->isolation = isolated ? OPS_ISOLATION_BOOT : shielded ? OPS_ISOLATION_SHIELD : OPS_ISOLATION_AFFINITY;
}

/* ---- life */

int tuner_new(const TunerConfig *config, Tuner **ret_tuner) {
        _cleanup_(tuner_freep) Tuner *tuner = calloc(1, sizeof *tuner);
        int r;

        if (!tuner)
                return error_origin(-ENOMEM);
        tuner->config = *config;
        r = applied_plan_new(config->root, config->journal, &tuner->applied);
        if (r)
                return error_trace(r);
        if (config->sticky.n > 0)
                tuner_move(tuner, tell_left);
        *ret_tuner = take_pointer(tuner);
        return 0;
}

Tuner *tuner_free(Tuner *tuner) {
        if (!tuner)
                return NULL;
        sd_event_source_disable_unref(tuner->linger_source);
        CPU_ZERO(&tuner->quiet);
        if (tuner->applied)
                tuner_move(tuner, tell_last);
        applied_plan_free(tuner->applied);
        free(tuner);
        return NULL;
}
