/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/lease/machine-lease.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/base/say.h"
#include "launch/lease/kernel-threads.h"
#include "launch/lease/machine-claim.h"
#include "launch/lease/shield.h"
#include "machine/applied-plan.h"
#include "machine/file-value.h"
#include "machine/restore-journal.h"
#include "machine/tunable.h"
#include "util/cleanup.h"
#include "util/cpu-list.h"
#include "util/error.h"
#include "util/root-dir.h"
#include "words/control.h"

/* The settings that leases want, with their outcomes. */
typedef struct MachineSettings {
        AppliedPlan *plan;
        KernelThreads threads;
} MachineSettings;

struct MachineLease {
        MachineLeaseConfig config;
        MachineSettings own;
        MachineClaim claim;
        bool claimed_by_other;  /* found by the last lease, so nothing was changed for it */
        MachineHolder holder;   /* that other daemon, as the last lease found it */
        MachineSettings others; /* its settings, read for the leases that found it; never changed */
        cpu_set_t beside;       /* CPUs of these leases */
        cpu_set_t quiet;        /* all CPUs leased since the machine was last put back */
        size_t n_leases;
        sd_event_source *linger_source;
        uint64_t linger_us;
        int error; /* of the last move: negative errno, or 0 */
};

DEFINE_CLEANUP(MachineLease *, machine_lease_free)

/* ---- putting back what is no file */

static bool is_file_or_group(void *context, const RestoreEntry *entry) {
        return entry->kind == RESTORE_FILE || entry->kind == RESTORE_CGROUP;
}

/* A value that waits for its CPU is tried again when the CPU comes. */
static void tell_left(void *context, OpsOutcome outcome, const char *key, const char *was, const char *is) {
        if (outcome == OPS_OUTCOME_LEFT_ALONE)
                say(SD_NOTICE, "%s was changed to '%s' by another program: left alone", key, is);
        else if (outcome == OPS_OUTCOME_WAITING)
                say(SD_WARNING, "%s could not be put back to '%s': it is '%s'", key, was, is);
}

/* Reports the last attempt of this daemon. */
static void tell_last(void *context, OpsOutcome outcome, const char *key, const char *was, const char *is) {
        if (outcome == OPS_OUTCOME_OFF)
                say(SD_WARNING,
                                "%s could not be put back to '%s', since its CPU is off: run 'benchd-launch --restore' "
                                "once that is on",
                                key, was);
        else
                tell_left(context, outcome, key, was, is);
}

static int machine_lease_put_back(MachineLease *lease) {
        const RestorePass restoring = {
                .journal = lease->config.journal,
                .hands = lease->config.hands,
                .leave = is_file_or_group,
                .tell = tell_left,
                .last = true,
        };

        lease->own.threads = (KernelThreads){};
        return error_trace(restore_pass(&restoring));
}

/* ---- moving */

static int machine_lease_plan(const MachineLease *lease, TunablePlan *plan) {
        TunableWish wish = { .leased = lease->quiet, .others = lease->config.others };
        int r;

        r = tunables_plan(lease->config.root, lease->config.journal, &wish, plan);
        return r ? error_trace(r) : error_trace(governor_choices_plan(lease->config.root, &lease->config.chosen, plan));
}

static bool moves_threads(const MachineLease *lease) {
        return lease->config.hands->hands[RESTORE_THREAD_MASK].write;
}

static bool has_shield(const MachineLease *lease) {
        return lease->config.shield && lease->config.hands->hands[RESTORE_UNIT_PROPERTY].write;
}

/* CPUs that were isolated at boot run only tasks that ask for them, so no unit is narrowed for these. */
static int shielded_of(const MachineLease *lease, const cpu_set_t *cpus, cpu_set_t *ret_cpus) {
        cpu_set_t isolated;
        int r;

        r = file_value_read_set(lease->config.root, "sys/devices/system/cpu/isolated", &isolated);
        if (r)
                return error_trace(r);
        CPU_AND(&isolated, cpus, &isolated);
        CPU_XOR(ret_cpus, cpus, &isolated);
        return 0;
}

static int machine_lease_raise_shield(const MachineLease *lease) {
        const MachineLeaseConfig *config = &lease->config;
        cpu_set_t cpus;
        int r;

        r = shielded_of(lease, &lease->quiet, &cpus);
        if (r || CPU_COUNT(&cpus) == 0)
                return error_trace(r);
        return error_trace(shield_raise(config->journal, &config->hands->hands[RESTORE_UNIT_PROPERTY], &cpus,
                        &config->others));
}

static int machine_lease_keep_off(MachineLease *lease) {
        const MachineLeaseConfig *config = &lease->config;
        int r = 0;

        if (moves_threads(lease))
                r = kernel_threads_move(config->root, config->journal, &lease->quiet, &config->others,
                                &lease->own.threads);
        if (!r && has_shield(lease))
                r = machine_lease_raise_shield(lease);
        return error_trace(r);
}

static int machine_lease_try_move(MachineLease *lease, RestoreTell tell, void *context) {
        _cleanup_(tunable_plan_clear) TunablePlan plan = {};
        bool quiet = CPU_COUNT(&lease->quiet) > 0, changes = lease->config.journal;
        int r, first;

        first = changes && !quiet ? machine_lease_put_back(lease) : 0;
        r = machine_lease_plan(lease, &plan);
        if (!r)
                r = applied_plan_move(lease->own.plan, &plan, tell, context);
        if (!r && changes && quiet)
                r = machine_lease_keep_off(lease);
        return first ? error_trace(first) : error_trace(r);
}

/* A failure is no reason not to measure: the report says which settings could not be had. */
static void machine_lease_move(MachineLease *lease, RestoreTell tell) {
        lease->error = machine_lease_try_move(lease, tell, NULL);
        if (!lease->error)
                return;
        machine_claim_withdraw(&lease->claim);
        say(SD_ERR, "not all settings of the machine could be switched: %s", strerrordesc_np(-lease->error));
}

/* ---- leases */

/* Only a daemon that may change the machine keeps others from it. */
static bool machine_lease_claim(MachineLease *lease) {
        const bool before = lease->claimed_by_other;

        lease->claimed_by_other = lease->config.journal &&
                                  machine_claim_take(&lease->claim, lease->config.root, &lease->holder) != 0;
        if (lease->claimed_by_other && !before)
                say(SD_NOTICE, "another benchd, process %d, has set the machine for its own run: it is left unchanged",
                                lease->holder.pid);
        return !lease->claimed_by_other;
}

/* ---- beside another daemon */

static int machine_lease_try_look(MachineLease *lease) {
        _cleanup_(tunable_plan_clear) TunablePlan plan = {};
        const TunableWish wish = { .leased = lease->beside, .others = lease->config.others };
        int r;

        r = tunables_plan(lease->config.root, NULL, &wish, &plan);
        if (!r)
                r = applied_plan_move(lease->others.plan, &plan, NULL, NULL);
        if (!r && moves_threads(lease))
                r = kernel_threads_move(lease->config.root, NULL, &lease->beside, &lease->config.others,
                                &lease->others.threads);
        return error_trace(r);
}

/* Reads the other daemon's settings, which count for this lease if they are the wanted ones until its end. */
static void machine_lease_look(MachineLease *lease, const cpu_set_t *cpus) {
        if (lease->n_leases == 1)
                CPU_ZERO(&lease->beside);
        CPU_OR(&lease->beside, &lease->beside, cpus);
        if (machine_lease_try_look(lease))
                lease->holder = (MachineHolder){};
}

/* Masks that do not change for the other daemon either are the kernel's own: the holder tried it on all of its CPUs. */
static bool tunable_holds(const MachineLease *lease, TunableId id) {
        AppliedTunable report;
        bool is_mask;

        applied_plan_report(lease->others.plan, id, &report);
        if (!report.example)
                return true;
        is_mask = report.example->kind == FILE_VALUE_MASK || report.example->kind == FILE_VALUE_LIST;
        return report.counts[OPS_OUTCOME_OVERRIDDEN] + report.counts[OPS_OUTCOME_OFF] == 0 &&
               (is_mask || report.counts[OPS_OUTCOME_DENIED] == 0);
}

/*
 * True if the other daemon's settings are those that a lease of its own would have made, from the begin of the lease until now. The holder
 * withdraws its settings before it puts any back, so a value that came back in the meantime does not pass.
 */
static bool machine_lease_others_hold(const MachineLease *lease) {
        size_t n_changed;

        if (!cpu_set_within(&lease->beside, &lease->holder.cpus) ||
                        !machine_holder_stands(&lease->holder, lease->config.root) ||
                        applied_plan_verify(lease->others.plan, &n_changed) != 0 || n_changed > 0)
                return false;
        for (TunableId id = 0; id < _TUNABLE_N; id++)
                if (!tunable_holds(lease, id))
                        return false;
        return true;
}

/* True if units still lack their CPUs because systemd was busy. */
static bool machine_lease_waits(const MachineLease *lease) {
        const RestoreJournal *journal = lease->config.journal;

        for (size_t place = 0; journal && place < restore_journal_count(journal); place++)
                if (restore_journal_entry(journal, place)->kind == RESTORE_UNIT_PROPERTY)
                        return true;
        return false;
}

static int machine_lease_on_lingered(sd_event_source *source, uint64_t usec, void *userdata);

static void machine_lease_linger(MachineLease *lease, uint64_t linger_us) {
        lease->linger_us = linger_us;
        if (sd_event_add_time_relative(lease->config.event, &lease->linger_source, CLOCK_MONOTONIC, linger_us, 0,
                            machine_lease_on_lingered, lease) < 0)
                machine_lease_on_lingered(NULL, 0, lease);
}

/* A refused property is tried again, each time after twice as long; the claim is kept until then. */
static int machine_lease_on_lingered(sd_event_source *source, uint64_t usec, void *userdata) {
        MachineLease *lease = userdata;

        lease->linger_source = sd_event_source_disable_unref(lease->linger_source);
        CPU_ZERO(&lease->quiet);
        machine_claim_withdraw(&lease->claim);
        machine_lease_move(lease, tell_left);
        if (source && machine_lease_waits(lease))
                machine_lease_linger(lease, 2 * lease->linger_us);
        else
                machine_claim_release(&lease->claim);
        return 0;
}

void machine_lease_begin(MachineLease *lease, const cpu_set_t *cpus) {
        cpu_set_t all;

        lease->n_leases++;
        lease->linger_source = sd_event_source_disable_unref(lease->linger_source);
        CPU_OR(&all, &lease->quiet, cpus);
        if (CPU_EQUAL(&all, &lease->quiet))
                return;
        if (!machine_lease_claim(lease)) {
                machine_lease_look(lease, cpus);
                return;
        }
        lease->quiet = all;
        machine_lease_move(lease, tell_left);
        if (!lease->error)
                machine_claim_publish(&lease->claim, &lease->quiet);
}

void machine_lease_end(MachineLease *lease) {
        if (--lease->n_leases > 0)
                return;
        machine_lease_linger(lease, MACHINE_LEASE_LINGER_US);
}

void machine_lease_renew(MachineLease *lease, const cpu_set_t *others) {
        lease->config.others = *others;
        machine_lease_move(lease, tell_left);
}

/* ---- what is chosen */

int machine_lease_choose(MachineLease *lease, const GovernorChoices *chosen, RestoreTell tell, void *context) {
        int r;

        r = governor_choices_write(lease->config.disk, lease->config.chosen_path, chosen);
        if (r)
                return error_trace(r);
        lease->config.chosen = *chosen;
        return error_trace(machine_lease_try_move(lease, tell, context));
}

const GovernorChoices *machine_lease_governors(const MachineLease *lease) {
        return &lease->config.chosen;
}

AppliedPlan *machine_lease_applied_plan(const MachineLease *lease) {
        return lease->config.journal ? lease->own.plan : NULL;
}

RootDir *machine_lease_root(const MachineLease *lease) {
        return lease->config.root;
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

static void describe_values(const AppliedTunable *report, OpsControl *control) {
        control->cpu_off = report->outcome == OPS_OUTCOME_OFF;
        snprintf(control->was, sizeof control->was, "%.*s", OPS_VALUE_MAX - 1, report->example->was);
        if (control->cpu_off)
                snprintf(control->is, sizeof control->is, "could not be read: its CPU is off");
        else
                snprintf(control->is, sizeof control->is, "%.*s", OPS_VALUE_MAX - 1, report->example->is);
}

/*
 * The text names the goal, not the masks: their CPUs differ from lease to lease, and so does the number that the kernel refuses to change.
 * It is part of the comparability key, which must be equal on equal machines.
 */
static void describe_masks(const AppliedTunable *report, OpsControl *control) {
        size_t n_off = report->counts[OPS_OUTCOME_APPLIED] + report->counts[OPS_OUTCOME_ALREADY];
        const bool kept = report->counts[OPS_OUTCOME_DENIED] > 0;

        snprintf(control->was, sizeof control->was, "any CPU");
        if (n_off == 0 || report->outcome == OPS_OUTCOME_OVERRIDDEN || report->counts[OPS_OUTCOME_OVERRIDDEN] > 0) {
                snprintf(control->is, sizeof control->is, "any CPU");
                return;
        }
        control->outcome = report->counts[OPS_OUTCOME_APPLIED] > 0 ? OPS_OUTCOME_APPLIED : OPS_OUTCOME_ALREADY;
        snprintf(control->is, sizeof control->is, "off the leased CPUs%s", kept ? " but for some of the kernel's" : "");
}

static void describe_tunable(const MachineSettings *settings, TunableId id, OpsEnded *ended) {
        AppliedTunable report;
        OpsControl *control;

        applied_plan_report(settings->plan, id, &report);
        if (!report.example)
                return;
        control = controls_new(ended, tunable_name(id),
                        report.outcome == OPS_OUTCOME_OFF ? OPS_OUTCOME_OVERRIDDEN : report.outcome);
        if (!control)
                return;
        if (report.example->kind == FILE_VALUE_MASK || report.example->kind == FILE_VALUE_LIST)
                describe_masks(&report, control);
        else
                describe_values(&report, control);
}

static void describe_governor(const MachineSettings *settings, OpsEnded *ended) {
        AppliedTunable report;
        OpsControl *control;

        applied_plan_report(settings->plan, TUNABLE_GOVERNOR, &report);
        control = report.example ? NULL : controls_new(ended, tunable_name(TUNABLE_GOVERNOR), OPS_OUTCOME_UNSUPPORTED);
        if (control)
                snprintf(control->is, sizeof control->is, "no cpufreq: the frequency cannot be set");
}

static void describe_threads(const KernelThreads *threads, OpsEnded *ended) {
        const bool known = threads->known, are_off = threads->n_refused == 0;
        OpsControl *control;

        control = controls_new(ended, control_name(CONTROL_KERNEL_THREADS),
                        !known                  ? OPS_OUTCOME_UNSUPPORTED
                        : !are_off              ? OPS_OUTCOME_DENIED
                        : threads->n_moved == 0 ? OPS_OUTCOME_ALREADY
                                                : OPS_OUTCOME_APPLIED);
        if (!control)
                return;
        snprintf(control->was, sizeof control->was, "any CPU");
        snprintf(control->is, sizeof control->is,
                        !known    ? "any CPU: the kernel does not list them here"
                        : are_off ? "off the leased CPUs"
                                  : "off the leased CPUs but for some");
}

static bool describe_shield(const MachineLease *lease, const cpu_set_t *cpus, OpsEnded *ended) {
        cpu_set_t shielded;
        bool holds = has_shield(lease) && shielded_of(lease, cpus, &shielded) == 0 &&
                     shield_holds(lease->config.root, &shielded);
        OpsControl *control;

        control = controls_new(ended, control_name(CONTROL_SHIELD),
                        holds               ? OPS_OUTCOME_APPLIED
                        : has_shield(lease) ? OPS_OUTCOME_OVERRIDDEN
                                            : OPS_OUTCOME_UNSUPPORTED);
        if (!control)
                return holds;
        snprintf(control->was, sizeof control->was, "any unit");
        snprintf(control->is, sizeof control->is, holds ? "our units only" : "any unit");
        return holds;
}

static void describe_settings(const MachineLease *lease, const MachineSettings *settings, const cpu_set_t *cpus,
                bool isolated, OpsEnded *ended) {
        for (TunableId id = 0; id < _TUNABLE_N; id++)
                describe_tunable(settings, id, ended);
        describe_governor(settings, ended);
        if (moves_threads(lease))
                describe_threads(&settings->threads, ended);
        if (!isolated && describe_shield(lease, cpus, ended))
                ended->isolation = OPS_ISOLATION_SHIELD;
}

/* The settings are another daemon's: they count if they hold, and otherwise may have been any. */
static void describe_beside(const MachineLease *lease, const cpu_set_t *cpus, bool isolated, OpsEnded *ended) {
        const bool holds = machine_lease_others_hold(lease);
        OpsControl *control = controls_new(ended, control_name(CONTROL_TUNING),
                        holds ? OPS_OUTCOME_ALREADY : OPS_OUTCOME_DENIED);

        if (!control)
                return;
        if (holds) {
                snprintf(control->is, sizeof control->is, "set by another benchd, process %d", lease->holder.pid);
                describe_settings(lease, &lease->others, cpus, isolated, ended);
                return;
        }
        /* The process is not in the text: runs beside different daemons have the same conditions. */
        snprintf(control->is, sizeof control->is, CONTROL_TUNING_HELD);
        snprintf(control->was, sizeof control->was, "held by process %d", lease->holder.pid);
}

static void describe_error(const MachineLease *lease, OpsEnded *ended) {
        OpsControl *control = controls_new(ended, control_name(CONTROL_TUNING), OPS_OUTCOME_DENIED);

        if (control)
                snprintf(control->is, sizeof control->is, "%s",
                                lease->error ? strerrordesc_np(-lease->error)
                                             : "no restore journal: nothing is changed");
}

void machine_lease_describe(MachineLease *lease, const cpu_set_t *cpus, bool isolated, OpsEnded *ended) {
        size_t n_changed;

        ended->n_controls = 0;
        ended->isolation = isolated ? OPS_ISOLATION_BOOT : OPS_ISOLATION_AFFINITY;
        if (lease->claimed_by_other) {
                describe_beside(lease, cpus, isolated, ended);
                return;
        }
        if (!lease->config.journal || lease->error)
                describe_error(lease, ended);
        (void)applied_plan_verify(lease->own.plan, &n_changed);
        describe_settings(lease, &lease->own, cpus, isolated, ended);
}

/* ---- life */

int machine_lease_new(const MachineLeaseConfig *config, MachineLease **ret_lease) {
        _cleanup_(machine_lease_freep) MachineLease *lease = calloc(1, sizeof *lease);
        int r;

        if (!lease)
                return error_origin(-ENOMEM);
        lease->config = *config;
        lease->claim = MACHINE_CLAIM_NULL;
        r = applied_plan_new(config->root, config->journal, &lease->own.plan);
        if (!r)
                r = applied_plan_new(config->root, NULL, &lease->others.plan);
        if (r)
                return error_trace(r);
        if (config->chosen.n > 0)
                machine_lease_move(lease, tell_left);
        *ret_lease = take_pointer(lease);
        return 0;
}

MachineLease *machine_lease_free(MachineLease *lease) {
        if (!lease)
                return NULL;
        sd_event_source_disable_unref(lease->linger_source);
        CPU_ZERO(&lease->quiet);
        machine_claim_withdraw(&lease->claim);
        if (lease->own.plan)
                machine_lease_move(lease, tell_last);
        machine_claim_release(&lease->claim);
        applied_plan_free(lease->own.plan);
        applied_plan_free(lease->others.plan);
        free(lease);
        return NULL;
}
