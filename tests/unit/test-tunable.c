/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * What of each kind of machine is switched for a lease, and what is told where it has none of it.
 */

#include "machine/tunable.h"

#include "machine/dma-latency.h"
#include "test.h"
#include "tuned.h"
#include "util/fd.h"

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
        TuneWish wish = { .leased = cpus("3,7"), .others = cpus("0"), .without = 1u << TUNABLE_BOOST };
        TunePlan plan = {};

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
        TuneReport report;
        int32_t us;

        move(fixture, "3,7", NULL);
        applied_plan_report(fixture->applied, TUNABLE_IDLE_LATENCY, &report);
        assert_int_equal(report.outcome, OPS_OUTCOME_APPLIED);
        assert_string_equal(report.example->is, "2");
        assert_int_equal(dma_latency_open(fixture->machine->root, &fd), 0);
        assert_int_equal(dma_latency_read(fd, &us), 0);
        assert_int_equal(us, 2);
        assert_null(restore_journal_find(fixture->journal, RESTORE_FILE, DMA_LATENCY_PATH));
}
