/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Machines are tuned for a lease and brought back bit for bit, whatever came between. */

#include "machine/applied-plan.h"

#include <sys/resource.h>

#include "tuned.h"

static const char *const machines[] = { "intel-pstate.txt", "amd-pstate.txt", "two-sockets.txt", "hybrid.txt",
        "guest-qemu.txt", "guest-firecracker.txt" };

TEST(every_machine_is_brought_back_bit_for_bit) {
        for (size_t i = 0; i < N_ELEMENTS(machines); i++) {
                _cleanup_(fixture_freep) Fixture *fixture = fixture_new(machines[i]);
                _cleanup_(freep) char *before = snapshot(fixture), *tuned = NULL;

                print_message("%s\n", machines[i]);
                move(fixture, "1", NULL);
                tuned = snapshot(fixture);
                assert_string_not_equal(tuned, before);
                move(fixture, "", NULL);
                assert_as_before(fixture, before);
        }
}

TEST(several_leases_come_and_go_in_any_order) {
        srandom(20240621);
        for (size_t i = 0; i < N_ELEMENTS(machines) - 1; i++) {
                static const char *const leases[] = { "", "1", "2", "3", "1-2", "2-3", "1,3", "1-3" };
                _cleanup_(fixture_freep) Fixture *fixture = fixture_new(machines[i]);
                _cleanup_(freep) char *before = snapshot(fixture);

                print_message("%s\n", machines[i]);
                for (unsigned round = 0; round < 12; round++) {
                        const char *scheme = random() % 3 ? NULL : governor_schemes[random() % 3];

                        move(fixture, leases[random() % N_ELEMENTS(leases)], scheme);
                }
                move(fixture, "", NULL);
                assert_as_before(fixture, before);
        }
}

TEST(the_state_depends_on_the_leases_and_not_on_the_way_to_them) {
        _cleanup_(fixture_freep) Fixture *fixture = fixture_new("intel-pstate.txt");
        _cleanup_(freep) char *direct = NULL, *around = NULL;

        move(fixture, "2,6", NULL);
        direct = snapshot(fixture);
        move(fixture, "2-3,6-7", NULL);
        move(fixture, "3,7", "power-saver");
        move(fixture, "2,6", NULL);
        around = snapshot(fixture);
        assert_string_equal(around, direct);
}

TEST(a_launcher_that_was_killed_is_undone_by_the_next) {
        for (size_t i = 0; i < N_ELEMENTS(machines); i++) {
                _cleanup_(fixture_freep) Fixture *fixture = fixture_new(machines[i]);
                _cleanup_(freep) char *before = snapshot(fixture);
                RestoreHands hands;

                move(fixture, "1", i < 5 ? "power-saver" : NULL);
                fixture_close(fixture);
                fixture_open(fixture);
                restore_hands_init(&hands, fixture->machine->root);
                assert_int_equal(restore_all(fixture->journal, &hands, tell_text, fixture->told), 0);
                assert_as_before(fixture, before);
        }
}

TEST(a_scheme_stays_beneath_a_lease) {
        _cleanup_(fixture_freep) Fixture *fixture = fixture_new("intel-pstate.txt");
        _cleanup_(freep) char *before = snapshot(fixture);

        move(fixture, "", "power-saver");
        assert_string_equal(get(fixture, CPU "cpufreq/policy3/energy_performance_preference"), "power");
        move(fixture, "3,7", "power-saver");
        assert_string_equal(get(fixture, CPU "cpufreq/policy3/energy_performance_preference"), "performance");
        assert_string_equal(get(fixture, CPU "cpufreq/policy2/energy_performance_preference"), "power");
        move(fixture, "3,7", "balanced");
        assert_string_equal(get(fixture, CPU "cpufreq/policy3/energy_performance_preference"), "performance");
        move(fixture, "", "balanced");
        assert_string_equal(get(fixture, CPU "cpufreq/policy3/energy_performance_preference"), "balance_performance");
        move(fixture, "", "high-performance");
        assert_string_equal(get(fixture, CPU "cpufreq/policy3/scaling_governor"), "performance");
        move(fixture, "", NULL);
        assert_as_before(fixture, before);
}

TEST(a_value_that_somebody_changes_meanwhile_is_seen_and_left_alone) {
        _cleanup_(fixture_freep) Fixture *fixture = fixture_new("intel-pstate.txt");
        size_t n;

        move(fixture, "3,7", NULL);
        assert_int_equal(applied_plan_verify(fixture->applied, &n), 0);
        assert_int_equal(n, 0);
        machine_put(fixture->machine, CPU "cpufreq/policy3/scaling_governor", "userspace");
        assert_int_equal(applied_plan_verify(fixture->applied, &n), 0);
        assert_int_equal(n, 1);
        assert_int_equal(outcome(fixture, TUNABLE_GOVERNOR), OPS_OUTCOME_OVERRIDDEN);
        move(fixture, "", NULL);
        assert_string_equal(get(fixture, CPU "cpufreq/policy3/scaling_governor"), "userspace");
        assert_string_equal(fixture->told, "left-alone " CPU "cpufreq/policy3/scaling_governor\n");
        assert_string_equal(get(fixture, CPU "cpufreq/policy7/scaling_governor"), "powersave");
}

TEST(what_somebody_set_between_two_leases_is_what_the_later_one_puts_back) {
        _cleanup_(fixture_freep) Fixture *fixture = fixture_new("two-sockets.txt");

        move(fixture, "3", NULL);
        machine_put(fixture->machine, CPU "cpufreq/policy3/scaling_governor", "ondemand");
        move(fixture, "2-3", NULL);
        assert_string_equal(get(fixture, CPU "cpufreq/policy3/scaling_governor"), "performance");
        move(fixture, "", NULL);
        assert_string_equal(get(fixture, CPU "cpufreq/policy3/scaling_governor"), "ondemand");
        assert_string_equal(get(fixture, CPU "cpufreq/policy2/scaling_governor"), "schedutil");
}

/* A device that is always full takes no value: so does the kernel with an interrupt that it manages. */
TEST(an_interrupt_that_refuses_is_counted_and_leaves_no_note) {
        _cleanup_(fixture_freep) Fixture *fixture = fixture_new("intel-pstate.txt");
        int at = root_dir_fd(fixture->machine->root);
        TunableStep step = { .id = TUNABLE_IRQ_AFFINITY, .kind = FILE_VALUE_WORD, .path = "sys/full", .want = "77" };
        TunablePlan plan = {};
        AppliedTunable report;

        assert_int_equal(symlinkat("/dev/full", at, "sys/full"), 0);
        assert_int_equal(tunable_plan_add(&plan, &step), 0);
        strcpy(step.path, "proc/irq/9/smp_affinity");
        assert_int_equal(tunable_plan_add(&plan, &step), 0);
        assert_int_equal(applied_plan_move(fixture->applied, &plan, NULL, NULL), 0);
        applied_plan_report(fixture->applied, TUNABLE_IRQ_AFFINITY, &report);
        assert_int_equal(report.outcome, OPS_OUTCOME_DENIED);
        assert_int_equal(report.counts[OPS_OUTCOME_DENIED], 1);
        assert_int_equal(report.counts[OPS_OUTCOME_APPLIED], 1);
        assert_string_equal(report.example->path, "sys/full");
        assert_int_equal(restore_journal_count(fixture->journal), 1);
}

/* Between two looks, or before the machine is moved at all. */
TEST(what_is_a_cpus_that_is_off_is_told_apart_from_what_somebody_changed) {
        _cleanup_(fixture_freep) Fixture *fixture = fixture_new("intel-pstate.txt");
        int at = root_dir_fd(fixture->machine->root);
        size_t n;

        move(fixture, "3,7", NULL);
        assert_int_equal(unlinkat(at, CPU "cpufreq/policy7/scaling_governor", 0), 0);
        machine_put(fixture->machine, CPU "cpu7/online", "0");
        assert_int_equal(applied_plan_verify(fixture->applied, &n), 0);
        assert_int_equal(n, 1);
        assert_int_equal(outcome(fixture, TUNABLE_GOVERNOR), OPS_OUTCOME_OFF);
        move(fixture, "", NULL);
        assert_string_equal(get(fixture, CPU "cpufreq/policy3/scaling_governor"), "powersave");
        assert_string_equal(fixture->told, "off " CPU "cpufreq/policy7/scaling_governor\n");
        assert_int_equal(restore_journal_count(fixture->journal), 1);

        machine_put(fixture->machine, CPU "cpu7/online", "1");
        machine_put(fixture->machine, CPU "cpufreq/policy7/scaling_governor", "performance");
        move(fixture, "", NULL);
        assert_string_equal(get(fixture, CPU "cpufreq/policy7/scaling_governor"), "powersave");
        assert_int_equal(restore_journal_count(fixture->journal), 0);
}

TEST(without_a_journal_the_machine_is_looked_at_and_not_changed) {
        _cleanup_(machine_freep) Machine *machine = machine_lay("intel-pstate.txt");
        _cleanup_(applied_plan_freep) AppliedPlan *applied = NULL;
        TunableWish wish = { .leased = cpus("3,7"), .others = cpus("0") };
        TunablePlan plan = {};
        AppliedTunable report;

        machine_put(machine, CPU "cpufreq/policy3/scaling_governor", "performance");
        assert_int_equal(applied_plan_new(machine->root, NULL, &applied), 0);
        assert_int_equal(tunables_plan(machine->root, NULL, &wish, &plan), 0);
        assert_int_equal(applied_plan_move(applied, &plan, NULL, NULL), 0);
        applied_plan_report(applied, TUNABLE_GOVERNOR, &report);
        assert_int_equal(report.outcome, OPS_OUTCOME_DENIED);
        assert_int_equal(report.counts[OPS_OUTCOME_ALREADY], 1);
        assert_string_equal(report.example->was, "powersave");
        assert_string_equal(report.example->is, "powersave");
        assert_string_equal(machine_get(machine, CPU "cpufreq/policy7/scaling_governor"), "powersave");
        applied_plan_report(applied, TUNABLE_IDLE_LATENCY, &report);
        assert_int_equal(report.outcome, OPS_OUTCOME_DENIED);
}

/* As on a file system without room. */
TEST(a_journal_that_takes_no_note_leaves_the_machine_alone_and_that_is_told) {
        _cleanup_(fixture_freep) Fixture *fixture = fixture_new("intel-pstate.txt");
        _cleanup_(freep) char *before = snapshot(fixture);
        TunableWish wish = { .leased = cpus("3,7"), .others = cpus("0") };
        struct rlimit limit, none;
        TunablePlan plan = {};
        AppliedTunable report;
        int r;

        assert_int_equal(tunables_plan(fixture->machine->root, fixture->journal, &wish, &plan), 0);
        signal(SIGXFSZ, SIG_IGN);
        assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
        none = (struct rlimit){ .rlim_cur = 64, .rlim_max = limit.rlim_max };
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
        r = applied_plan_move(fixture->applied, &plan, NULL, NULL);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        assert_true(r < 0);
        for (TunableId id = TUNABLE_EPP; id <= TUNABLE_BOOST; id++) {
                applied_plan_report(fixture->applied, id, &report);
                assert_int_equal(report.outcome, OPS_OUTCOME_DENIED);
                assert_string_not_equal(report.example->is, "");
        }
        assert_as_before(fixture, before);
}

/* As with a driver that is unloaded. */
TEST(a_policy_that_goes_away_under_a_lease_is_no_fault) {
        _cleanup_(fixture_freep) Fixture *fixture = fixture_new("intel-pstate.txt");
        int at = root_dir_fd(fixture->machine->root);
        size_t n;

        move(fixture, "3,7", NULL);
        assert_int_equal(unlinkat(at, CPU "cpufreq/policy7/scaling_governor", 0), 0);
        assert_int_equal(applied_plan_verify(fixture->applied, &n), 0);
        assert_int_equal(n, 1);
        assert_int_equal(outcome(fixture, TUNABLE_GOVERNOR), OPS_OUTCOME_OVERRIDDEN);
        move(fixture, "", NULL);
        assert_string_equal(get(fixture, CPU "cpufreq/policy3/scaling_governor"), "powersave");
        assert_string_equal(fixture->told, "gone " CPU "cpufreq/policy7/scaling_governor\n");
        assert_int_equal(restore_journal_count(fixture->journal), 0);
}

/* Two paths of one file stand for a value that another one drags along, as no_turbo does the limits. */
TEST(what_a_later_step_drags_along_is_our_doing_and_comes_back) {
        _cleanup_(fixture_freep) Fixture *fixture = fixture_new("intel-pstate.txt");
        TunableStep limit = { .id = TUNABLE_MAX_FREQUENCY,
                .kind = FILE_VALUE_NUMBER,
                .path = "sys/limit",
                .want = "49" };
        TunableStep boost = { .id = TUNABLE_BOOST, .kind = FILE_VALUE_NUMBER, .path = "sys/boost", .want = "36" };
        int at = root_dir_fd(fixture->machine->root);
        TunablePlan plan = {};

        machine_put(fixture->machine, "sys/limit", "49");
        assert_int_equal(symlinkat("limit", at, "sys/boost"), 0);
        assert_int_equal(tunable_plan_add(&plan, &boost), 0);
        assert_int_equal(tunable_plan_add(&plan, &limit), 0);
        assert_string_equal(plan.steps[0].path, "sys/limit");
        assert_int_equal(applied_plan_move(fixture->applied, &plan, tell_text, fixture->told), 0);
        assert_int_equal(outcome(fixture, TUNABLE_MAX_FREQUENCY), OPS_OUTCOME_OVERRIDDEN);
        assert_non_null(restore_journal_find(fixture->journal, RESTORE_FILE, "sys/limit"));
        assert_int_equal(applied_plan_move(fixture->applied, &plan, tell_text, fixture->told), 0);
        assert_string_equal(get(fixture, "sys/limit"), "49");
        assert_string_equal(fixture->told, "");
}

TEST(a_value_that_a_plan_wants_as_it_was_has_no_entry) {
        _cleanup_(fixture_freep) Fixture *fixture = fixture_new("two-sockets.txt");

        move(fixture, "1", NULL);
        assert_non_null(restore_journal_find(fixture->journal, RESTORE_FILE, CPU "cpufreq/policy1/scaling_governor"));
        move(fixture, "", "balanced");
        assert_int_equal(outcome(fixture, TUNABLE_GOVERNOR), OPS_OUTCOME_ALREADY);
        assert_int_equal(outcome(fixture, TUNABLE_BOOST), OPS_OUTCOME_ALREADY);
        assert_int_equal(restore_journal_count(fixture->journal), 0);
}

/* The kernel itself: the filter of core dumps keeps only the bits that it knows, and its old value comes back. */
TEST(what_the_kernel_clamps_is_overridden_and_still_put_back) {
        _cleanup_(fixture_freep) Fixture *fixture = fixture_new("intel-pstate.txt");
        TunableStep step = { .id = TUNABLE_KSM, .kind = FILE_VALUE_NUMBER, .path = "sys/filter", .want = "0xfffff" };
        int at = root_dir_fd(fixture->machine->root);
        TunablePlan plan = {};
        char before[64];

        assert_int_equal(symlinkat("/proc/self/coredump_filter", at, "sys/filter"), 0);
        assert_int_equal(root_dir_write(fixture->machine->root, "sys/filter", "0"), 0);
        strcpy(before, get(fixture, "sys/filter"));
        assert_int_equal(tunable_plan_add(&plan, &step), 0);
        assert_int_equal(applied_plan_move(fixture->applied, &plan, tell_text, fixture->told), 0);
        assert_int_equal(outcome(fixture, TUNABLE_KSM), OPS_OUTCOME_OVERRIDDEN);
        assert_string_not_equal(get(fixture, "sys/filter"), before);
        assert_int_equal(applied_plan_move(fixture->applied, &plan, tell_text, fixture->told), 0);
        assert_string_equal(get(fixture, "sys/filter"), before);
        assert_string_equal(fixture->told, "");
}

/*
 * As cpufreq takes a limit over in a work of its own. The kernel's filter of core dumps stands for it, which knows none of
 * the bits that are written and so reads as before, until a file that holds them takes its place.
 */
TEST(what_the_kernel_takes_over_late_is_noted_and_put_back) {
        _cleanup_(fixture_freep) Fixture *fixture = fixture_new("intel-pstate.txt");
        TunableStep step = { .id = TUNABLE_MIN_FREQUENCY,
                .kind = FILE_VALUE_NUMBER,
                .path = "sys/scaling_min_freq",
                .want = "0x10000000" };
        int at = root_dir_fd(fixture->machine->root);
        TunablePlan plan = {};
        char before[64];
        size_t n;

        assert_int_equal(symlinkat("/proc/self/coredump_filter", at, "sys/scaling_min_freq"), 0);
        strcpy(before, get(fixture, "sys/scaling_min_freq"));
        assert_int_equal(root_dir_write(fixture->machine->root, "sys/scaling_min_freq", "0"), 0);
        assert_int_equal(tunable_plan_add(&plan, &step), 0);
        assert_int_equal(applied_plan_move(fixture->applied, &plan, tell_text, fixture->told), 0);
        assert_int_equal(outcome(fixture, TUNABLE_MIN_FREQUENCY), OPS_OUTCOME_OVERRIDDEN);
        assert_non_null(restore_journal_find(fixture->journal, RESTORE_FILE, "sys/scaling_min_freq"));
        assert_int_equal(root_dir_write(fixture->machine->root, "sys/scaling_min_freq", before), 0);

        assert_int_equal(unlinkat(at, "sys/scaling_min_freq", 0), 0);
        machine_put(fixture->machine, "sys/scaling_min_freq", "0x10000000");
        assert_int_equal(applied_plan_verify(fixture->applied, &n), 0);
        assert_int_equal(outcome(fixture, TUNABLE_MIN_FREQUENCY), OPS_OUTCOME_APPLIED);
        assert_int_equal(applied_plan_move(fixture->applied, &plan, tell_text, fixture->told), 0);
        assert_string_equal(get(fixture, "sys/scaling_min_freq"), "00000000");
        assert_string_equal(fixture->told, "");
        assert_int_equal(restore_journal_count(fixture->journal), 0);
}
