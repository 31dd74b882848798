/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * What `set-governor` means on each driver.
 */

#include "machine/governor.h"

#include "machine.h"
#include "test.h"
#include "util/cleanup.h"
#include "util/cpu-list.h"

#define POLICY "sys/devices/system/cpu/cpufreq/policy"

static cpu_set_t cpus(const char *list) {
        cpu_set_t set;

        assert_int_equal(cpu_list_parse(list, &set), 0);
        return set;
}

/* What @name wants of @path on the machine @file, for all its CPUs; "" if nothing. */
static const char *wanted(const char *file, const char *name, const char *path) {
        _cleanup_(machine_freep) Machine *machine = machine_lay(file);
        static char text[VALUE_MAX];
        cpu_set_t all = cpus("0-1023");
        const TuneStep *step;
        TunePlan plan = {};

        assert_int_equal(governor_plan(machine->root, name, &all, &plan), 0);
        step = tune_plan_find(&plan, path);
        strcpy(text, step ? step->want : "");
        tune_plan_clear(&plan);
        return text;
}

TEST(a_scheme_is_what_the_driver_makes_of_it) {
        static const struct {
                const char *file, *scheme, *path, *want;
        } cases[] = {
                { "intel-pstate.txt", "high-performance", POLICY "3/scaling_governor", "performance" },
                { "intel-pstate.txt", "balanced", POLICY "3/scaling_governor", "powersave" },
                { "intel-pstate.txt", "balanced", POLICY "3/energy_performance_preference", "balance_performance" },
                { "intel-pstate.txt", "power-saver", POLICY "3/scaling_governor", "powersave" },
                { "intel-pstate.txt", "power-saver", POLICY "3/energy_performance_preference", "power" },
                { "intel-pstate.txt", "power-saver", "sys/devices/system/cpu/intel_pstate/no_turbo", "1" },
                { "intel-pstate.txt", "power-saver", "sys/firmware/acpi/platform_profile", "low-power" },
                { "hybrid.txt", "power-saver", "sys/firmware/acpi/platform_profile", "quiet" },
                { "hybrid.txt", "power-saver", POLICY "3/scaling_governor", "schedutil" },
                { "hybrid.txt", "balanced", "sys/devices/system/cpu/intel_pstate/no_turbo", "0" },
                { "amd-pstate.txt", "power-saver", POLICY "3/scaling_governor", "powersave" },
                { "amd-pstate.txt", "power-saver", POLICY "3/boost", "0" },
                { "amd-pstate.txt", "high-performance", POLICY "3/boost", "1" },
                { "amd-pstate.txt", "balanced", "sys/firmware/acpi/platform_profile", "" },
                { "two-sockets.txt", "power-saver", POLICY "3/scaling_governor", "schedutil" },
                { "two-sockets.txt", "power-saver", "sys/devices/system/cpu/cpufreq/boost", "0" },
                { "two-sockets.txt", "high-performance", POLICY "3/energy_performance_preference", "" },
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                print_message("%s %s %s\n", cases[i].file, cases[i].scheme, cases[i].path);
                assert_string_equal(wanted(cases[i].file, cases[i].scheme, cases[i].path), cases[i].want);
        }
}

TEST(the_governor_powersave_is_not_the_scheme_power_saver) {
        assert_string_equal(wanted("two-sockets.txt", "powersave", POLICY "3/scaling_governor"), "powersave");
        assert_string_equal(wanted("two-sockets.txt", "powersave", "sys/devices/system/cpu/cpufreq/boost"), "");
        assert_string_equal(wanted("intel-pstate.txt", "powersave", POLICY "3/energy_performance_preference"), "");
}

TEST(a_governor_is_set_for_the_cpus_that_were_named) {
        _cleanup_(machine_freep) Machine *machine = machine_lay("two-sockets.txt");
        cpu_set_t set = cpus("3,12");
        TunePlan plan = {};

        assert_int_equal(governor_plan(machine->root, "ondemand", &set, &plan), 0);
        assert_int_equal(plan.n_steps, 2);
        assert_string_equal(plan.steps[0].path, POLICY "3/scaling_governor");
        assert_string_equal(plan.steps[1].path, POLICY "4/scaling_governor");
        tune_plan_clear(&plan);
}

TEST(an_unknown_governor_wants_nothing_and_those_that_exist_are_listed) {
        static const char *const unknown[] = { "turbo", "", "power", "performance powersave", "schedutil" };
        _cleanup_(machine_freep) Machine *machine = machine_lay("intel-pstate.txt");
        char names[GOVERNOR_NAMES_MAX];
        cpu_set_t all = cpus("0-7");
        TunePlan plan = {};

        for (size_t i = 0; i < N_ELEMENTS(unknown); i++)
                assert_int_equal(governor_plan(machine->root, unknown[i], &all, &plan), GOVERNOR_E_UNKNOWN);
        assert_int_equal(plan.n_steps, 0);
        assert_int_equal(governor_list(machine->root, &all, names), 0);
        assert_string_equal(names, "performance powersave");
}

TEST(only_what_every_policy_has_is_listed) {
        _cleanup_(machine_freep) Machine *machine = machine_lay("two-sockets.txt");
        char names[GOVERNOR_NAMES_MAX];
        cpu_set_t all = cpus("0-15"), some = cpus("0-2");
        TunePlan plan = {};

        machine_put(machine, POLICY "3/scaling_available_governors", "powersave performance ");
        assert_int_equal(governor_list(machine->root, &all, names), 0);
        assert_string_equal(names, "powersave performance");
        assert_int_equal(governor_plan(machine->root, "ondemand", &all, &plan), GOVERNOR_E_UNKNOWN);
        assert_int_equal(governor_plan(machine->root, "ondemand", &some, &plan), 0);
        tune_plan_clear(&plan);
}

TEST(without_cpufreq_there_is_no_governor) {
        _cleanup_(machine_freep) Machine *machine = machine_lay("guest-firecracker.txt");
        char names[GOVERNOR_NAMES_MAX];
        cpu_set_t all = cpus("0-1");
        TunePlan plan = {};

        assert_int_equal(governor_list(machine->root, &all, names), GOVERNOR_E_UNSUPPORTED);
        assert_int_equal(governor_plan(machine->root, "balanced", &all, &plan), GOVERNOR_E_UNSUPPORTED);
}
