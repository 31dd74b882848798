/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What of each kind of machine is switched for a lease, and what is told where it has none of it. */

#include "machine/tunable.h"
#include "util/cpu-list.h"

#include "machine.h"
#include "tuned.h"

TEST(an_intel_machine_is_made_steady) {
        _cleanup_(fixture_freep) Fixture *fixture = fixture_new("intel-pstate.txt");

        move(fixture, "3,7", NULL);
        assert_string_equal(get(fixture, CPU "cpufreq/policy3/scaling_governor"), "performance");
        assert_string_equal(get(fixture, CPU "cpufreq/policy7/energy_performance_preference"), "performance");
        assert_string_equal(get(fixture, CPU "cpufreq/policy3/scaling_min_freq"), "3600000");
        assert_string_equal(get(fixture, CPU "cpufreq/policy3/scaling_max_freq"), "3600000");
        assert_string_equal(get(fixture, CPU "cpufreq/policy2/scaling_governor"), "powersave");
        assert_string_equal(get(fixture, CPU "intel_pstate/no_turbo"), "1");
        assert_string_equal(get(fixture, "proc/irq/120/smp_affinity"), "77");
        assert_string_equal(get(fixture, "proc/irq/9/smp_affinity"), "1");
        assert_string_equal(get(fixture, WORKQUEUE "cpumask"), "77");
        assert_string_equal(get(fixture, "proc/sys/kernel/watchdog_cpumask"), "0-2,4-6");
        assert_string_equal(get(fixture, "proc/sys/kernel/nmi_watchdog"), "1");
        assert_string_equal(get(fixture, "proc/sys/kernel/timer_migration"), "0");
        assert_string_equal(get(fixture, "sys/kernel/mm/ksm/run"), "0");
        assert_int_equal(outcome(fixture, TUNABLE_GOVERNOR), OPS_OUTCOME_APPLIED);
        assert_int_equal(outcome(fixture, TUNABLE_IRQ_AFFINITY), OPS_OUTCOME_APPLIED);
        assert_int_equal(outcome(fixture, TUNABLE_PLATFORM_PROFILE), OPS_OUTCOME_UNSUPPORTED);
}

TEST(boost_is_switched_where_the_driver_has_it) {
        _cleanup_(fixture_freep) Fixture *amd = fixture_new("amd-pstate.txt");
        _cleanup_(fixture_freep) Fixture *two = fixture_new("two-sockets.txt");

        move(amd, "3,11", NULL);
        assert_string_equal(get(amd, CPU "cpufreq/policy3/boost"), "0");
        assert_string_equal(get(amd, CPU "cpufreq/policy2/boost"), "1");
        assert_string_equal(get(amd, CPU "cpufreq/policy3/scaling_min_freq"), "4400000");
        move(two, "7,15", NULL);
        assert_string_equal(get(two, CPU "cpufreq/boost"), "0");
        assert_string_equal(get(two, CPU "cpufreq/policy7/scaling_governor"), "performance");
        assert_int_equal(outcome(two, TUNABLE_EPP), OPS_OUTCOME_UNSUPPORTED);
}

TEST(a_guest_without_cpufreq_says_so_and_tunes_the_rest) {
        _cleanup_(fixture_freep) Fixture *fixture = fixture_new("guest-firecracker.txt");

        move(fixture, "1", NULL);
        assert_int_equal(outcome(fixture, TUNABLE_GOVERNOR), OPS_OUTCOME_UNSUPPORTED);
        assert_int_equal(outcome(fixture, TUNABLE_BOOST), OPS_OUTCOME_UNSUPPORTED);
        assert_int_equal(outcome(fixture, TUNABLE_IDLE_LATENCY), OPS_OUTCOME_UNSUPPORTED);
        assert_int_equal(outcome(fixture, TUNABLE_KSM), OPS_OUTCOME_ALREADY);
        assert_int_equal(outcome(fixture, TUNABLE_IRQ_AFFINITY), OPS_OUTCOME_APPLIED);
        assert_string_equal(get(fixture, "proc/irq/24/smp_affinity"), "1");
}

TEST(what_is_left_out_is_not_touched) {
        _cleanup_(fixture_freep) Fixture *fixture = fixture_new("intel-pstate.txt");
        TunableWish wish = { .leased = cpus("3,7"), .others = cpus("0"), .without = 1u << TUNABLE_BOOST };
        TunablePlan plan = {};

        assert_int_equal(tunables_plan(fixture->machine->root, fixture->journal, &wish, &plan), 0);
        assert_int_equal(applied_plan_move(fixture->applied, &plan, NULL, NULL), 0);
        assert_string_equal(get(fixture, CPU "intel_pstate/no_turbo"), "0");
        assert_string_equal(get(fixture, CPU "cpufreq/policy3/scaling_governor"), "performance");
}

/* Without a mask the watchdog has no other switch. */
TEST(a_watchdog_that_cannot_keep_off_a_cpu_is_switched_off) {
        _cleanup_(fixture_freep) Fixture *fixture = fixture_new("intel-pstate.txt");
        _cleanup_(freep) char *before = NULL;

        assert_int_equal(unlinkat(root_dir_fd(fixture->machine->root), "proc/sys/kernel/watchdog_cpumask", 0), 0);
        before = snapshot(fixture);
        move(fixture, "3,7", NULL);
        assert_string_equal(get(fixture, "proc/sys/kernel/nmi_watchdog"), "0");
        assert_int_equal(outcome(fixture, TUNABLE_WATCHDOG), OPS_OUTCOME_APPLIED);
        move(fixture, "", NULL);
        assert_as_before(fixture, before);
}

/* Of a laid-out machine the device is a file, which at least keeps what was requested. */
TEST(the_idle_latency_is_that_of_c1_and_held_by_a_descriptor) {
        _cleanup_(fixture_freep) Fixture *fixture = fixture_new("intel-pstate.txt");
        _cleanup_(fd_closep) int fd = -1;
        AppliedTunable report;
        int32_t us;

        move(fixture, "3,7", NULL);
        applied_plan_report(fixture->applied, TUNABLE_IDLE_LATENCY, &report);
        assert_int_equal(report.outcome, OPS_OUTCOME_APPLIED);
        assert_string_equal(report.example->is, "2");
        assert_int_equal(tunable_latency_open(fixture->machine->root, &fd), 0);
        assert_int_equal(tunable_latency_read(fd, &us), 0);
        assert_int_equal(us, 2);
        assert_null(restore_journal_find(fixture->journal, RESTORE_FILE, TUNABLE_LATENCY_PATH));
}

/* The kernel's own device, where this machine has it and lets us; without it, what that is called. */

/* Makes a request and ends it, and looks whether what is in force fell and rose with it. */
static bool request_shows(RootDir *root, int watch) {
        _cleanup_(fd_closep) int fd = -1;
        int32_t before, during, after;

        assert_int_equal(tunable_latency_read(watch, &before), 0);
        assert_int_equal(tunable_latency_open(root, &fd), 0);
        assert_int_equal(tunable_latency_request(fd, before - 1), 0);
        assert_int_equal(tunable_latency_read(watch, &during), 0);
        fd = fd_close(fd);
        assert_int_equal(tunable_latency_read(watch, &after), 0);
        return during < before && after > during;
}

/* Others may make requests at the same time, but not at every one of so many. */
TEST(a_request_lasts_as_long_as_its_descriptor) {
        _cleanup_(root_dir_freep) RootDir *root = NULL;
        _cleanup_(fd_closep) int watch = -1;
        bool shown = false;

        assert_int_equal(root_dir_new("/", &root), 0);
        if (tunable_latency_open(root, &watch) > 0) {
                root_dir_free(root); /* cmocka jumps past what _cleanup_ would do */
                skip();
        }
        for (unsigned i = 0; i < 1000 && !shown; i++)
                shown = request_shows(root, watch);
        assert_true(shown);
}

TEST(a_machine_without_the_device_is_unsupported) {
        _cleanup_(machine_freep) Machine *machine = machine_lay("guest-firecracker.txt");
        int fd = -1;

        assert_int_equal(tunable_latency_open(machine->root, &fd), TUNABLE_LATENCY_E_UNSUPPORTED);
        assert_int_equal(fd, -1);
}

static void add(TunablePlan *plan, TunableId id, const char *path, const char *want) {
        TunableStep step = { .id = id, .kind = FILE_VALUE_WORD };

        strcpy(step.path, path);
        strcpy(step.want, want);
        assert_int_equal(tunable_plan_add(plan, &step), 0);
}

TEST(steps_stand_in_the_order_of_writing_and_else_as_they_came) {
        static const char *const paths[] = { "epp", "governor1", "governor2", "boost", "ksm" };
        TunablePlan plan = {};

        add(&plan, TUNABLE_KSM, "ksm", "0");
        add(&plan, TUNABLE_GOVERNOR, "governor1", "performance");
        add(&plan, TUNABLE_BOOST, "boost", "0");
        add(&plan, TUNABLE_GOVERNOR, "governor2", "performance");
        add(&plan, TUNABLE_EPP, "epp", "performance");
        assert_int_equal(plan.n_steps, 5);
        for (size_t i = 0; i < plan.n_steps; i++)
                assert_string_equal(plan.steps[i].path, paths[i]);
        tunable_plan_clear(&plan);
        assert_int_equal(plan.n_steps, 0);
}

TEST(the_first_step_of_a_path_decides) {
        TunablePlan plan = {};

        add(&plan, TUNABLE_GOVERNOR, "governor", "performance");
        add(&plan, TUNABLE_GOVERNOR, "governor", "powersave");
        assert_int_equal(plan.n_steps, 1);
        assert_string_equal(tunable_plan_find(&plan, "governor")->want, "performance");
        assert_null(tunable_plan_find(&plan, "boost"));
        tunable_plan_clear(&plan);
}

TEST(the_policies_of_some_cpus_are_found_once_each) {
        _cleanup_(machine_freep) Machine *machine = machine_lay("two-sockets.txt");
        unsigned numbers[TUNABLE_CPUFREQ_POLICIES_MAX];
        cpu_set_t cpus;
        size_t n;

        assert_int_equal(cpu_list_parse("2,10-11", &cpus), 0);
        assert_int_equal(tunable_cpufreq_policies(machine->root, &cpus, numbers, &n), 0);
        assert_int_equal(n, 2);
        assert_int_equal(numbers[0], 2);
        assert_int_equal(numbers[1], 3);
}

TEST(a_guest_without_cpufreq_has_no_policies) {
        _cleanup_(machine_freep) Machine *machine = machine_lay("guest-firecracker.txt");
        unsigned numbers[TUNABLE_CPUFREQ_POLICIES_MAX];
        char text[TUNABLE_CPUFREQ_TEXT_MAX];
        cpu_set_t cpus;
        size_t n;

        assert_int_equal(cpu_list_parse("0-1", &cpus), 0);
        assert_int_equal(tunable_cpufreq_policies(machine->root, &cpus, numbers, &n), 0);
        assert_int_equal(n, 0);
        assert_int_equal(tunable_cpufreq_read(machine->root, 0, "scaling_governor", text), 0);
        assert_string_equal(text, "");
}

TEST(a_word_is_found_whole) {
        assert_true(tunable_cpufreq_list_has("performance powersave ", "powersave"));
        assert_true(tunable_cpufreq_list_has("performance", "performance"));
        assert_false(tunable_cpufreq_list_has("performance powersave", "power"));
        assert_false(tunable_cpufreq_list_has("performance powersave", "save"));
        assert_false(tunable_cpufreq_list_has("", "performance"));
}
