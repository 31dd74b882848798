/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * What the launcher says of a runner holds whatever the plan said before: its CPUs, its clock, its user, its limits.
 */

#include "launch/run/runner-setup.h"

#include "launch/base/identity.h"
#include "launch/birth/zygote.h"
#include "launch/lease/lease.h"
#include "ops/ops.h"
#include "test.h"

#define HOUSEKEEPING 3

static OpsMachine machine = {
        .memory_bytes = 1 << 30,
        .n_cpus = 2,
        .cpus = { { .cpu = 5, .clock = { .hz = 5e9 } }, { .cpu = 7, .clock = { .hz = 7e9 } } },
};
static const Identities identities = { .privileged = true, .run = { .uid = 70, .gid = 71 } };
static const Identity user = { .uid = 1000, .gid = 1001, .n_groups = 1, .groups = { 1002 } };
static Leases leases = { .housekeeping = HOUSEKEEPING };
static const RunnerSetup setup = { &identities, &leases, &machine };
static Lease first = { .cpu = 7 }, second = { .cpu = 5 };
static const LeaseSet nothing, two = { .leases = { &first, &second }, .n = 2 };

static int set_up(void **state) {
        CPU_ZERO(&leases.allowed);
        for (int cpu = 0; cpu < 8; cpu++)
                CPU_SET(cpu, &leases.allowed);
        return 0;
}

TEST(a_runner_has_the_cpus_that_it_was_lent_in_their_order) {
        RunnerPlan plan = { .n_threads = 64, .cpus = { 1, 2 }, .options = RUNNER_OPTION_UNPREPARED };

        runner_setup_complete(&setup, &user, &two, &plan);
        assert_int_equal(plan.n_threads, 2);
        assert_int_equal(plan.cpus[0], 7);
        assert_int_equal(plan.cpus[1], 5);
        assert_true(plan.clock.hz == 7e9);
        assert_true(plan.options & RUNNER_OPTION_UNPREPARED);
}

TEST(what_was_lent_nothing_keeps_to_the_cpu_that_keeps_house) {
        RunnerPlan plan = { .n_threads = 64, .cpus = { 1, 2 }, .clock = { .hz = 1 } };

        plan.options = RUNNER_OPTION_UNPREPARED | RUNNER_OPTION_NO_ASLR;
        runner_setup_complete(&setup, &user, &nothing, &plan);
        assert_int_equal(plan.n_threads, 1);
        assert_int_equal(plan.cpus[0], HOUSEKEEPING);
        assert_true(plan.clock.hz == 0);
        assert_int_equal(plan.options, RUNNER_OPTION_NO_ASLR);
}

TEST(it_runs_as_the_launcher_says) {
        RunnerPlan plan = { .uid = 0, .gid = 0, .n_groups = 2, .groups = { 0, 27 } };

        runner_setup_complete(&setup, &user, &two, &plan);
        assert_int_equal(plan.change_identity, 1);
        assert_int_equal(plan.uid, 1000);
        assert_int_equal(plan.gid, 1001);
        assert_int_equal(plan.n_groups, 1);
        assert_int_equal(plan.groups[0], 1002);
        assert_int_equal(plan.launcher_pid, getpid());
}

TEST(it_is_born_on_its_first_cpu_unless_it_is_unprepared) {
        RunnerPlan plan = { .n_sides = 1 };
        ZygoteBirth birth;

        runner_setup_complete(&setup, &user, &two, &plan);
        runner_setup_birth(&setup, &plan, &birth);
        assert_int_equal(birth.cpu, 7);
        assert_int_equal(CPU_COUNT(&birth.cpus), 1);
        assert_true(CPU_ISSET(7, &birth.cpus));
        assert_int_equal(birth.address_space_bytes, 1 << 30);
        assert_int_equal(birth.stack_bytes, RUNNER_STACK_BYTES);
        assert_false(birth.stack_asked);
        assert_string_equal(birth.groups[0], "");

        plan.options = RUNNER_OPTION_UNPREPARED;
        plan.asked.stack_bytes = UINT64_C(64) << 20;
        runner_setup_birth(&setup, &plan, &birth);
        assert_int_equal(birth.cpu, -1);
        assert_int_equal(birth.stack_bytes, UINT64_C(64) << 20);
        assert_true(birth.stack_asked);
        assert_true(CPU_EQUAL(&birth.cpus, &leases.allowed));
}

TEST(its_own_threads_may_run_on_all_that_it_was_lent) {
        RunnerPlan plan = { .n_sides = 1, .n_threads = 1, .own_cpus = 1 };
        OpsSpawn spawn = { .plan = plan };
        ZygoteBirth birth;

        runner_setup_complete(&setup, &user, &two, &plan);
        assert_int_equal(plan.n_threads, 1);
        assert_int_equal(runner_plan_n_cpus(&plan), 2);
        runner_setup_birth(&setup, &plan, &birth);
        assert_int_equal(birth.cpu, 7);
        assert_int_equal(CPU_COUNT(&birth.cpus), 2);
        assert_true(CPU_ISSET(7, &birth.cpus) && CPU_ISSET(5, &birth.cpus));
        assert_int_equal(runner_setup_bounds(&setup, &spawn).tasks, 64 + 2);

        runner_setup_complete(&setup, &user, &nothing, &plan);
        assert_int_equal(runner_plan_n_cpus(&plan), 1);
}

TEST(what_runs_a_module_works_in_a_directory_of_its_user) {
        RunnerPlan plan = { .n_sides = 1, .mode = RUNNER_MODE_LIST };
        ZygoteBirth birth;

        runner_setup_complete(&setup, &user, &two, &plan);
        runner_setup_birth(&setup, &plan, &birth);
        assert_true(birth.works);
        assert_true(birth.owner.other);
        assert_int_equal(birth.owner.uid, 1000);
        assert_int_equal(birth.owner.gid, 1001);
        plan.mode = RUNNER_MODE_CALIBRATE;
        runner_setup_birth(&setup, &plan, &birth);
        assert_false(birth.works);
}

TEST(another_program_inspects_and_needs_no_directory) {
        RunnerPlan plan = { .n_sides = 1, .mode = RUNNER_MODE_LIST };
        ZygoteBirth birth;

        runner_setup_complete(&setup, &user, &two, &plan);
        runner_setup_birth(&setup, &plan, &birth);
        assert_false(birth.inspects);
        plan.mode = RUNNER_MODE_INSPECT;
        runner_setup_birth(&setup, &plan, &birth);
        assert_true(birth.inspects);
        assert_false(birth.works);
}

TEST(only_the_user_that_owns_nothing_has_a_limit_of_tasks) {
        RunnerPlan plan = { .n_sides = 1 };
        ZygoteBirth birth;

        runner_setup_complete(&setup, &user, &two, &plan);
        runner_setup_birth(&setup, &plan, &birth);
        assert_int_equal(birth.tasks, 0);
        runner_setup_complete(&setup, &identities.run, &two, &plan);
        runner_setup_birth(&setup, &plan, &birth);
        assert_true(birth.tasks > plan.n_threads);
}

TEST_FILE(set_up, NULL)
