/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/report/machine-controls.h"

#include "arena.h"
#include "ops/block.h"

static const SampleBlock block;

static OpsEnded ended_with(uint32_t outcome, const char *is, uint32_t isolation) {
        OpsEnded ended = { .n_controls = 1, .isolation = isolation };

        ended.controls[0] = (OpsControl){ .name = "governor", .was = "powersave", .outcome = outcome };
        strcpy(ended.controls[0].is, is);
        return ended;
}

TEST(of_all_processes_the_worst_is_told) {
        MachineControls of = {};
        OpsEnded ended[] = {
                ended_with(OPS_OUTCOME_APPLIED, "performance", OPS_ISOLATION_BOOT),
                ended_with(OPS_OUTCOME_OVERRIDDEN, "schedutil", OPS_ISOLATION_AFFINITY),
                ended_with(OPS_OUTCOME_ALREADY, "performance", OPS_ISOLATION_SHIELD),
        };

        for (size_t i = 0; i < N_ELEMENTS(ended); i++)
                machine_controls_add(&of, &ended[i], &block);
        assert_int_equal(of.n_controls, 1);
        assert_int_equal(of.controls[0].outcome, OPS_OUTCOME_OVERRIDDEN);
        assert_string_equal(machine_controls_find(&of, "governor")->is, "schedutil");
        assert_int_equal(of.isolation, OPS_ISOLATION_AFFINITY);
        assert_null(machine_controls_find(&of, "boost"));
}

static bool warned_of(const ArenaList *warnings, const char *words) {
        for (size_t i = 0; i < warnings->n; i++)
                if (strstr(warnings->texts[i], words))
                        return true;
        return false;
}

TEST(what_did_not_stay_and_what_was_denied_is_said_and_what_held_is_not) {
        MachineControls of = { .n_controls = 4, .shared_caches = 1 << 3 };
        ArenaList warnings = {};

        of.controls[0] = (OpsControl){ .name = "governor", .is = "schedutil", .outcome = OPS_OUTCOME_OVERRIDDEN };
        of.controls[1] = (OpsControl){ .name = "boost", .outcome = OPS_OUTCOME_DENIED };
        of.controls[2] = (OpsControl){ .name = "watchdog", .outcome = OPS_OUTCOME_DENIED };
        of.controls[3] = (OpsControl){ .name = "workqueues", .outcome = OPS_OUTCOME_APPLIED };
        machine_controls_warn(&of, arena, &warnings);
        assert_int_equal(warnings.n, 3);
        assert_true(warned_of(&warnings, "governor was set and reads 'schedutil'"));
        assert_true(warned_of(&warnings, "boost, watchdog"));
        assert_true(warned_of(&warnings, "L3"));
        assert_false(warned_of(&warnings, "workqueues"));
}

TEST(whoever_kept_the_machine_from_being_set_is_named) {
        MachineControls of = { .n_controls = 2 };
        ArenaList warnings = {};

        of.controls[0] = (OpsControl){ .name = "tuning",
                .was = "held by process 7",
                .is = "another benchd has set them",
                .outcome = OPS_OUTCOME_DENIED };
        of.controls[1] = (OpsControl){ .name = "boost", .outcome = OPS_OUTCOME_DENIED };
        machine_controls_warn(&of, arena, &warnings);
        assert_int_equal(warnings.n, 2);
        assert_true(warned_of(&warnings, "left as they are (another benchd has set them, held by process 7)"));
        assert_true(warned_of(&warnings, "as found: boost"));
}

TEST(settings_that_another_daemon_made_as_wanted_are_nothing_to_warn_of) {
        MachineControls of = { .n_controls = 2 };
        ArenaList warnings = {};

        of.controls[0] = (OpsControl){ .name = "tuning",
                .is = "set by another benchd, process 7",
                .outcome = OPS_OUTCOME_ALREADY };
        of.controls[1] = (OpsControl){ .name = "boost", .outcome = OPS_OUTCOME_ALREADY };
        machine_controls_warn(&of, arena, &warnings);
        assert_int_equal(warnings.n, 0);
}

TEST(a_cpu_that_was_switched_off_is_named_once_and_what_was_set_of_it_is_not) {
        MachineControls of = {};
        ArenaList warnings = {};
        OpsEnded ended = ended_with(OPS_OUTCOME_OVERRIDDEN, "could not be read: its CPU is off", OPS_ISOLATION_SHIELD);

        ended.controls[0].cpu_off = 1;
        ended.affinity = OPS_OUTCOME_OVERRIDDEN;
        CPU_SET(2, &ended.cpus);
        CPU_SET(3, &ended.cpus);
        CPU_SET(3, &ended.lost);
        machine_controls_add(&of, &ended, &block);
        assert_true(machine_controls_lost_a_cpu(&of));
        machine_controls_warn(&of, arena, &warnings);
        assert_int_equal(warnings.n, 1);
        assert_true(warned_of(&warnings, "CPU 3 was switched off"));
}

TEST(a_cpu_that_a_module_left_is_named) {
        MachineControls of = {};
        ArenaList warnings = {};
        OpsEnded ended = { .affinity = OPS_OUTCOME_OVERRIDDEN };

        CPU_SET(5, &ended.cpus);
        machine_controls_add(&of, &ended, &block);
        machine_controls_warn(&of, arena, &warnings);
        assert_int_equal(warnings.n, 1);
        assert_true(warned_of(&warnings, "a runner did not stay on its CPU 5"));
}

TEST(what_a_killed_daemon_left_is_said_only_if_there_is_any) {
        ArenaList warnings = {};

        machine_controls_warn_replay(&(OpsReplay){}, arena, &warnings);
        assert_int_equal(warnings.n, 0);
        machine_controls_warn_replay(&(OpsReplay){ .corrupt = 1, .absent = 1, .foreign = 2, .refused = 3 }, arena,
                        &warnings);
        assert_int_equal(warnings.n, 4);
}

TEST(a_stack_that_the_daemon_could_not_give_is_told_with_what_holds_it_back) {
        const MachineControls given = { .stack = OPS_OUTCOME_APPLIED, .stack_bytes = UINT64_C(64) << 20 };
        const MachineControls denied = { .stack = OPS_OUTCOME_DENIED, .stack_bytes = UINT64_C(8) << 20 };
        ArenaList warnings = {};

        machine_controls_warn(&given, arena, &warnings);
        assert_int_equal(warnings.n, 0);
        machine_controls_warn(&denied, arena, &warnings);
        assert_int_equal(warnings.n, 1);
        assert_non_null(strstr(warnings.texts[0], "8 MiB is the daemon's own hard limit"));
}
