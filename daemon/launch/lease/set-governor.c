/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/lease/set-governor.h"

#include <stdio.h>
#include <string.h>

#include "launch/lease/machine-lease.h"
#include "machine/applied-plan.h"
#include "machine/file-value.h"
#include "machine/governor.h"
#include "machine/tunable.h"
#include "util/cleanup.h"
#include "util/cpu-list.h"
#include "util/error.h"

#define PRESENT  "sys/devices/system/cpu/present"
#define ONLINE   "sys/devices/system/cpu/online"
#define POLICIES "sys/devices/system/cpu/cpufreq/policy"

_Static_assert(OPS_GOVERNOR_NAME_MAX == GOVERNOR_CHOICES_NAME_MAX && OPS_STICKY_MAX == GOVERNOR_CHOICES_MAX,
                "what is kept can be told");
_Static_assert(OPS_GOVERNOR_NAMES_MAX == GOVERNOR_NAMES_MAX, "all governors can be told");

/* ---- telling what was changed */

static void copy(char *to, size_t n_to, const char *text) {
        snprintf(to, n_to, "%.*s", (int)n_to - 1, text);
}

/* Writes @path as a reader knows it: the name below a policy, whose number goes into @change, or the whole path. */
static void change_name(OpsChange *change, const char *path) {
        unsigned number;
        int n = 0;

        if (sscanf(path, POLICIES "%u/%n", &number, &n) == 1 && n > 0 && number < CPU_SETSIZE) {
                CPU_SET(number, &change->policies);
                copy(change->file, sizeof change->file, path + n);
        } else {
                copy(change->file, sizeof change->file, path);
        }
}

/* True if only the policies differ. */
static bool change_is_like(const OpsChange *a, const OpsChange *b) {
        return a->outcome == b->outcome && strcmp(a->file, b->file) == 0 && strcmp(a->was, b->was) == 0 &&
               strcmp(a->is, b->is) == 0 && CPU_COUNT(&a->policies) > 0 && CPU_COUNT(&b->policies) > 0;
}

static void done_add(OpsGovernorDone *done, OpsOutcome outcome, const char *path, const char *was, const char *is) {
        OpsChange change = { .outcome = outcome };

        change_name(&change, path);
        copy(change.was, sizeof change.was, was);
        copy(change.is, sizeof change.is, is);
        for (uint32_t i = 0; i < done->n_changes; i++)
                if (change_is_like(&done->changes[i], &change)) {
                        CPU_OR(&done->changes[i].policies, &done->changes[i].policies, &change.policies);
                        return;
                }
        if (done->n_changes == OPS_CHANGES_MAX)
                done->n_more++;
        else
                done->changes[done->n_changes++] = change;
}

/* Adds a value that was put back. @was is the value before benchd changed it, @is the value that it held now. */
static void done_add_restored(void *context, OpsOutcome outcome, const char *key, const char *was, const char *is) {
        done_add(context, outcome == OPS_OUTCOME_ALREADY ? OPS_OUTCOME_RESTORED : outcome, key, is,
                        outcome == OPS_OUTCOME_RESTORED ? was : is);
}

/*
 * Adds the outcome of @wanted, whose `was` is what its file held before this request. A step that a lease wants too
 * belongs to the lease. A step that is in no plan any more was put back, and done_add_restored() has reported it. A
 * value that the journal need not restore any more is ALREADY to the plan, but was written all the same.
 */
static void done_add_step(OpsGovernorDone *done, const TunableStep *wanted, bool chosen, const TunablePlan *plan) {
        const TunableStep *step = tunable_plan_find(plan, wanted->path);
        OpsOutcome outcome = step ? step->outcome : OPS_OUTCOME_PENDING;

        if (!step)
                return;
        if (!chosen || strcmp(step->want, wanted->want) != 0)
                outcome = OPS_OUTCOME_LEASED;
        else if (outcome == OPS_OUTCOME_APPLIED || outcome == OPS_OUTCOME_ALREADY)
                outcome = strcmp(wanted->was, step->is) == 0 ? OPS_OUTCOME_ALREADY : OPS_OUTCOME_APPLIED;
        done_add(done, outcome, wanted->path, wanted->was, step->is);
}

/* ---- doing it */

/*
 * The plan of the earlier choices, the plan of the new ones, and the requested part of it, with the values of the
 * files.
 */
typedef struct GovernorPlans {
        TunablePlan before, after, asked;
} GovernorPlans;

static void plans_clear(GovernorPlans *plans) {
        tunable_plan_clear(&plans->before);
        tunable_plan_clear(&plans->after);
        tunable_plan_clear(&plans->asked);
}

static int plan_read(RootDir *root, TunablePlan *plan) {
        int r = 0;

        for (size_t i = 0; r >= 0 && i < plan->n_steps; i++) {
                r = file_value_read(root, plan->steps[i].path, plan->steps[i].was, FILE_VALUE_MAX);
                if (r > 0)
                        plan->steps[i].was[0] = 0;
        }
        return r < 0 ? error_trace(r) : 0;
}

static int plans_look(GovernorPlans *plans, RootDir *root, const GovernorChoices *before,
                const GovernorChoices *after) {
        int r;

        r = governor_choices_plan(root, before, &plans->before);
        if (!r)
                r = governor_choices_plan(root, after, &plans->after);
        if (!r)
                r = plan_read(root, &plans->before);
        if (!r)
                r = plan_read(root, &plans->after);
        return error_trace(r);
}

/* Reports what was requested and what changed with it. Values that were put back are reported already. */
static void plans_tell(const GovernorPlans *plans, const TunablePlan *plan, OpsGovernorDone *done) {
        for (size_t i = 0; i < plans->after.n_steps; i++) {
                const TunableStep *wanted = &plans->after.steps[i], *step = tunable_plan_find(plan, wanted->path);

                if (tunable_plan_find(&plans->asked, wanted->path) || (step && strcmp(step->is, wanted->was) != 0))
                        done_add_step(done, wanted, true, plan);
        }
        for (size_t i = 0; i < plans->before.n_steps; i++)
                if (!tunable_plan_find(&plans->after, plans->before.steps[i].path))
                        done_add_step(done, &plans->before.steps[i], false, plan);
}

static int choose(MachineLease *lease, GovernorPlans *plans, const GovernorChoices *after, OpsGovernorDone *done) {
        int r;

        r = plans_look(plans, machine_lease_root(lease), machine_lease_governors(lease), after);
        if (!r)
                r = machine_lease_choose(lease, after, done_add_restored, done);
        if (r)
                return error_trace(r);
        plans_tell(plans, applied_plan_current(machine_lease_applied_plan(lease)), done);
        return 0;
}

/* A CPU has no cpufreq while it is off. */
static OpsGovernorEnd why_unsupported(RootDir *root, const cpu_set_t *cpus) {
        cpu_set_t online;

        if (file_value_read_set(root, ONLINE, &online) || CPU_COUNT(&online) == 0)
                return OPS_GOVERNOR_UNSUPPORTED;
        return cpu_sets_meet(cpus, &online) ? OPS_GOVERNOR_UNSUPPORTED : OPS_GOVERNOR_OFF;
}

/* Looks up @name and its values. Returns 0, a positive OpsGovernorEnd, or a negative errno. */
static int look_up(RootDir *root, const char *name, const cpu_set_t *cpus, TunablePlan *asked, char *names) {
        int r;

        r = governor_list(root, cpus, names);
        if (!r)
                r = governor_plan(root, name, cpus, asked);
        if (r == GOVERNOR_E_UNSUPPORTED)
                return why_unsupported(root, cpus);
        return r > 0 ? OPS_GOVERNOR_UNKNOWN : error_trace(r);
}

/*
 * Returns 0 if all of @cpus exist; else writes the existing CPUs into @list. Without a list of CPUs, all count as
 * existing.
 */
static int look_up_cpus(RootDir *root, const cpu_set_t *cpus, char *list) {
        cpu_set_t present;
        int r;

        r = file_value_read_set(root, PRESENT, &present);
        if (r)
                return error_trace(r);
        if (CPU_COUNT(&present) == 0 || cpu_set_within(cpus, &present))
                return 0;
        cpu_list_format(&present, list, OPS_GOVERNOR_NAMES_MAX);
        return OPS_GOVERNOR_NO_CPU;
}

/* Fills in @chosen with the new choices. Returns 0, a positive OpsGovernorEnd, or a negative errno. */
static int decide(RootDir *root, const OpsGovernor *wanted, GovernorChoices *chosen, TunablePlan *asked, char *names) {
        cpu_set_t cpus = wanted->cpus;
        int r;

        r = look_up_cpus(root, &cpus, names);
        if (r)
                return error_trace(r);
        if (CPU_COUNT(&cpus) == 0)
                memset(&cpus, 0xff, sizeof cpus);
        if (wanted->restore) {
                governor_choices_drop(chosen, &cpus);
                return 0;
        }
        r = look_up(root, wanted->name, &cpus, asked, names);
        if (r)
                return error_trace(r);
        r = governor_choices_add(chosen, wanted->name, &cpus);
        if (r == GOVERNOR_CHOICES_E_FULL)
                return OPS_GOVERNOR_FULL;
        return r > 0 ? OPS_GOVERNOR_UNKNOWN : error_trace(r);
}

int set_governor_do(MachineLease *lease, const OpsGovernor *wanted, OpsGovernorDone *ret_done) {
        _cleanup_(plans_clear) GovernorPlans plans = {};
        OpsGovernorDone done = { .end = OPS_GOVERNOR_SET };
        GovernorChoices chosen = *machine_lease_governors(lease);
        int r;

        r = decide(machine_lease_root(lease), wanted, &chosen, &plans.asked, done.names);
        if (r > 0)
                done.end = r;
        else if (!r)
                r = choose(lease, &plans, &chosen, &done);
        if (r < 0)
                return error_trace(r);
        *ret_done = done;
        return 0;
}

/* ---- the machine as it is */

static void read_governor(RootDir *root, unsigned cpu, char *governor) {
        unsigned numbers[TUNABLE_CPUFREQ_POLICIES_MAX];
        char text[TUNABLE_CPUFREQ_TEXT_MAX];
        cpu_set_t set;
        size_t n;

        CPU_ZERO(&set);
        CPU_SET(cpu, &set);
        if (tunable_cpufreq_policies(root, &set, numbers, &n) == 0 && n > 0 &&
                        tunable_cpufreq_read(root, numbers[0], "scaling_governor", text) == 0)
                copy(governor, OPS_TEXT_MAX, text);
}

bool set_governor_describe(const MachineLease *lease, OpsMachine *machine) {
        const GovernorChoices *chosen = machine_lease_governors(lease);
        OpsMachine before = *machine;
        cpu_set_t present;

        if (machine->n_cpus > 0)
                read_governor(machine_lease_root(lease), machine->cpus[0].cpu, machine->governor);
        if (file_value_read_set(machine_lease_root(lease), PRESENT, &present) || CPU_COUNT(&present) == 0)
                memset(&present, 0xff, sizeof present);
        memset(machine->sticky, 0, sizeof machine->sticky);
        machine->n_sticky = chosen->n;
        for (size_t i = 0; i < chosen->n; i++) {
                strcpy(machine->sticky[i].name, chosen->choices[i].name);
                machine->sticky[i].cpus = chosen->choices[i].cpus;
                if (CPU_COUNT(&chosen->choices[i].cpus) < CPU_SETSIZE)
                        CPU_AND(&machine->sticky[i].cpus, &machine->sticky[i].cpus, &present);
        }
        return strcmp(before.governor, machine->governor) != 0 || before.n_sticky != machine->n_sticky ||
               memcmp(before.sticky, machine->sticky, sizeof machine->sticky) != 0;
}
