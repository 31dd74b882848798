/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A machine of tests/machines that a test tunes for leases and brings back.
 */

#include "machine.h"
#include "machine/applied-plan.h"
#include "machine/governor.h"
#include "machine/restore-journal.h"
#include "machine/tunable.h"

DEFINE_CLEANUP(AppliedPlan *, applied_plan_free)

#define CPU       "sys/devices/system/cpu/"
#define WORKQUEUE "sys/devices/virtual/workqueue/"

typedef struct Fixture {
        Machine *machine;
        RestoreJournal *journal;
        AppliedPlan *applied;
        char told[4096];
} Fixture;

static inline void fixture_open(Fixture *fixture) {
        assert_int_equal(restore_journal_open(fixture->machine->root, "journal", &fixture->journal), 0);
        assert_int_equal(applied_plan_new(fixture->machine->root, fixture->journal, &fixture->applied), 0);
}

static inline void fixture_close(Fixture *fixture) {
        fixture->applied = applied_plan_free(fixture->applied);
        fixture->journal = restore_journal_close(fixture->journal);
}

/* The kernel's two files of one mask are one file here, when nothing is isolated. */
static inline Fixture *fixture_new(const char *name) {
        Fixture *fixture = calloc(1, sizeof *fixture);
        int at;

        assert_non_null(fixture);
        fixture->machine = machine_lay(name);
        at = root_dir_fd(fixture->machine->root);
        if (unlinkat(at, WORKQUEUE "cpumask_requested", 0) == 0)
                assert_int_equal(symlinkat("cpumask", at, WORKQUEUE "cpumask_requested"), 0);
        fixture_open(fixture);
        return fixture;
}

static inline void fixture_freep(Fixture **fixture) {
        fixture_close(*fixture);
        machine_free((*fixture)->machine);
        free(*fixture);
}

static inline void tell_text(void *context, OpsOutcome outcome, const char *key, const char *was, const char *is) {
        static const char *const words[_OPS_OUTCOME_N] = {
                [OPS_OUTCOME_LEFT_ALONE] = "left-alone",
                [OPS_OUTCOME_GONE] = "gone",
                [OPS_OUTCOME_WAITING] = "waiting",
                [OPS_OUTCOME_OFF] = "off",
        };
        char *text = context;

        if (outcome != OPS_OUTCOME_RESTORED && outcome != OPS_OUTCOME_ALREADY)
                sprintf(text + strlen(text), "%s %s\n", words[outcome], key);
}

/* Moves to a lease of the CPUs @leased, "" for none, and to @scheme beneath it, NULL for none. */
static inline void move(Fixture *fixture, const char *leased, const char *scheme) {
        TunableWish wish = { .leased = cpus(leased), .others = cpus("0") };
        cpu_set_t all = cpus("0-1023");
        TunablePlan plan = {};

        assert_int_equal(tunables_plan(fixture->machine->root, fixture->journal, &wish, &plan), 0);
        if (scheme)
                assert_int_equal(governor_plan(fixture->machine->root, scheme, &all, &plan), 0);
        assert_int_equal(applied_plan_move(fixture->applied, &plan, tell_text, fixture->told), 0);
        assert_null(plan.steps);
}

static inline const char *get(const Fixture *fixture, const char *path) {
        return machine_get(fixture->machine, path);
}

static inline OpsOutcome outcome(const Fixture *fixture, TunableId id) {
        AppliedTunable report;

        applied_plan_report(fixture->applied, id, &report);
        return report.outcome;
}

/* All files of the machine and their values, but the journal and the device; the caller frees it. */
static inline char *snapshot(const Fixture *fixture) {
        char command[256];
        char *text = NULL;
        size_t size = 0;
        FILE *pipe;

        snprintf(command, sizeof command, "cd %s && grep -r '' sys proc | LC_ALL=C sort", fixture->machine->directory);
        pipe = popen(command, "r");
        assert_non_null(pipe);
        assert_true(getdelim(&text, &size, 0, pipe) > 0);
        assert_int_equal(pclose(pipe), 0);
        return text;
}

static inline void assert_as_before(const Fixture *fixture, const char *before) {
        _cleanup_(freep) char *now = snapshot(fixture);

        assert_string_equal(now, before);
        assert_int_equal(restore_journal_count(fixture->journal), 0);
        assert_string_equal(fixture->told, "");
}
