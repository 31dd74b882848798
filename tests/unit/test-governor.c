/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The meaning of `set-governor` on each driver. */

#include "machine/governor.h"

#include "machine.h"
#include "random.h"

#define POLICY "sys/devices/system/cpu/cpufreq/policy"
#define PATH   "journal.governor"

/* What @name wants of @path on the machine @file, for all its CPUs; "" if nothing. */
static const char *wanted(const char *file, const char *name, const char *path) {
        _cleanup_(machine_freep) Machine *machine = machine_lay(file);
        static char text[FILE_VALUE_MAX];
        cpu_set_t all = cpus("0-1023");
        const TunableStep *step;
        TunablePlan plan = {};

        assert_int_equal(governor_plan(machine->root, name, &all, &plan), 0);
        step = tunable_plan_find(&plan, path);
        strcpy(text, step ? step->want : "");
        tunable_plan_clear(&plan);
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
        TunablePlan plan = {};

        assert_int_equal(governor_plan(machine->root, "ondemand", &set, &plan), 0);
        assert_int_equal(plan.n_steps, 2);
        assert_string_equal(plan.steps[0].path, POLICY "3/scaling_governor");
        assert_string_equal(plan.steps[1].path, POLICY "4/scaling_governor");
        tunable_plan_clear(&plan);
}

TEST(an_unknown_governor_wants_nothing_and_those_that_exist_are_listed) {
        static const char *const unknown[] = { "turbo", "", "power", "performance powersave", "schedutil" };
        _cleanup_(machine_freep) Machine *machine = machine_lay("intel-pstate.txt");
        char names[GOVERNOR_NAMES_MAX];
        cpu_set_t all = cpus("0-7");
        TunablePlan plan = {};

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
        TunablePlan plan = {};

        machine_put(machine, POLICY "3/scaling_available_governors", "powersave performance ");
        assert_int_equal(governor_list(machine->root, &all, names), 0);
        assert_string_equal(names, "powersave performance");
        assert_int_equal(governor_plan(machine->root, "ondemand", &all, &plan), GOVERNOR_E_UNKNOWN);
        assert_int_equal(governor_plan(machine->root, "ondemand", &some, &plan), 0);
        tunable_plan_clear(&plan);
}

TEST(without_cpufreq_there_is_no_governor) {
        _cleanup_(machine_freep) Machine *machine = machine_lay("guest-firecracker.txt");
        char names[GOVERNOR_NAMES_MAX];
        cpu_set_t all = cpus("0-1");
        TunablePlan plan = {};

        assert_int_equal(governor_list(machine->root, &all, names), GOVERNOR_E_UNSUPPORTED);
        assert_int_equal(governor_plan(machine->root, "balanced", &all, &plan), GOVERNOR_E_UNSUPPORTED);
}

/* What was chosen: CPUs have one choice each, the latest, and what is written is read again, or not at all. */

static void choose(GovernorChoices *chosen, const char *name, const char *list) {
        cpu_set_t set = cpus(list);

        assert_int_equal(governor_choices_add(chosen, name, &set), 0);
}

static void assert_choice(const GovernorChoices *chosen, size_t place, const char *name, const char *list) {
        cpu_set_t set = cpus(list);

        assert_true(place < chosen->n);
        assert_string_equal(chosen->choices[place].name, name);
        assert_true(CPU_EQUAL(&chosen->choices[place].cpus, &set));
}

TEST(the_latest_choice_for_a_cpu_is_the_one_that_counts) {
        GovernorChoices chosen = {};

        choose(&chosen, "performance", "0-1023");
        choose(&chosen, "power-saver", "2-3");
        assert_int_equal(chosen.n, 2);
        assert_choice(&chosen, 0, "power-saver", "2-3");
        assert_choice(&chosen, 1, "performance", "0-1,4-1023");
        choose(&chosen, "balanced", "0-1023");
        assert_int_equal(chosen.n, 1);
}

TEST(what_is_dropped_leaves_the_others) {
        cpu_set_t set = cpus("0-4");
        GovernorChoices chosen = {};

        choose(&chosen, "performance", "0-3");
        choose(&chosen, "powersave", "4-7");
        governor_choices_drop(&chosen, &set);
        assert_int_equal(chosen.n, 1);
        assert_choice(&chosen, 0, "powersave", "5-7");
}

TEST(more_choices_than_are_kept_are_refused_and_change_nothing) {
        GovernorChoices chosen = {};
        cpu_set_t set;
        char list[16];

        for (unsigned i = 0; i < GOVERNOR_CHOICES_MAX; i++) {
                snprintf(list, sizeof list, "%u", i);
                choose(&chosen, "performance", list);
        }
        set = cpus("1000");
        assert_int_equal(governor_choices_add(&chosen, "powersave", &set), GOVERNOR_CHOICES_E_FULL);
        assert_int_equal(chosen.n, GOVERNOR_CHOICES_MAX);
        choose(&chosen, "powersave", "3"); /* takes a place that becomes free */
        assert_choice(&chosen, 0, "powersave", "3");
}

TEST(a_name_with_a_blank_or_too_long_is_none) {
        cpu_set_t set = cpus("0");
        GovernorChoices chosen = {};

        assert_int_equal(governor_choices_add(&chosen, "", &set), GOVERNOR_CHOICES_E_NAME);
        assert_int_equal(governor_choices_add(&chosen, "a b", &set), GOVERNOR_CHOICES_E_NAME);
        assert_int_equal(governor_choices_add(&chosen, "a\nb", &set), GOVERNOR_CHOICES_E_NAME);
        assert_int_equal(governor_choices_add(&chosen, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", &set),
                        GOVERNOR_CHOICES_E_NAME);
        assert_int_equal(chosen.n, 0);
}

TEST(what_is_written_is_read_again) {
        _cleanup_(machine_freep) Machine *machine = machine_lay("intel-pstate.txt");
        GovernorChoices chosen = {}, read;

        assert_int_equal(governor_choices_read(machine->root, PATH, &read), 0);
        assert_int_equal(read.n, 0);
        choose(&chosen, "performance", "0-1023");
        choose(&chosen, "power-saver", "1,3,5,7,9-11,1000");
        assert_int_equal(governor_choices_write(machine->root, PATH, &chosen), 0);
        assert_int_equal(governor_choices_read(machine->root, PATH, &read), 0);
        assert_int_equal(read.n, 2);
        assert_choice(&read, 0, "power-saver", "1,3,5,7,9-11,1000");
        assert_true(CPU_EQUAL(&read.choices[1].cpus, &chosen.choices[1].cpus));
}

TEST(nothing_chosen_leaves_no_file) {
        _cleanup_(machine_freep) Machine *machine = machine_lay("intel-pstate.txt");
        GovernorChoices chosen = {};
        char path[128];

        choose(&chosen, "performance", "0");
        assert_int_equal(governor_choices_write(machine->root, PATH, &chosen), 0);
        snprintf(path, sizeof path, "%s/" PATH, machine->directory);
        assert_int_equal(access(path, F_OK), 0);
        chosen = (GovernorChoices){};
        assert_int_equal(governor_choices_write(machine->root, PATH, &chosen), 0);
        assert_int_equal(governor_choices_write(machine->root, PATH, &chosen), 0);
        assert_int_equal(access(path, F_OK), -1);
}

TEST(what_is_damaged_is_not_taken) {
        static const char *const texts[] = { "performance", "performance x", "performance 3-1", " 0-3", "performance ",
                "performance 0-3\npower", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx 0", "performance 9999" };
        _cleanup_(machine_freep) Machine *machine = machine_lay("intel-pstate.txt");
        GovernorChoices chosen;

        for (size_t i = 0; i < N_ELEMENTS(texts); i++) {
                machine_put(machine, PATH, texts[i]);
                assert_int_equal(governor_choices_read(machine->root, PATH, &chosen), GOVERNOR_CHOICES_E_CORRUPT);
        }
        machine_put(machine, PATH, "performance 0-3");
        assert_int_equal(governor_choices_read(machine->root, PATH, &chosen), 0);
}

TEST(a_file_that_others_may_write_is_not_taken) {
        _cleanup_(machine_freep) Machine *machine = machine_lay("intel-pstate.txt");
        char path[128];
        GovernorChoices chosen;

        machine_put(machine, PATH, "performance 0-3");
        snprintf(path, sizeof path, "%s/" PATH, machine->directory);
        assert_int_equal(chmod(path, 0666), 0);
        assert_int_equal(governor_choices_read(machine->root, PATH, &chosen), GOVERNOR_CHOICES_E_CORRUPT);
        assert_int_equal(unlink(path), 0);
        assert_int_equal(symlink("/etc/hostname", path), 0);
        assert_int_equal(governor_choices_read(machine->root, PATH, &chosen), GOVERNOR_CHOICES_E_CORRUPT);
}

TEST(each_cpu_has_one_choice_whatever_was_chosen_before) {
        _cleanup_(random_freep) gsl_rng *random = new_random();
        GovernorChoices chosen = {};

        for (unsigned round = 0; round < 200; round++) {
                cpu_set_t set, all, both;

                CPU_ZERO(&set);
                for (unsigned i = 0; i < 8; i++)
                        CPU_SET(gsl_rng_uniform_int(random, 24), &set);
                if (gsl_rng_uniform_int(random, 3) == 0)
                        governor_choices_drop(&chosen, &set);
                else
                        (void)governor_choices_add(&chosen, "performance", &set);
                CPU_ZERO(&all);
                for (size_t i = 0; i < chosen.n; i++) {
                        CPU_AND(&both, &all, &chosen.choices[i].cpus);
                        assert_int_equal(CPU_COUNT(&both), 0);
                        assert_true(CPU_COUNT(&chosen.choices[i].cpus) > 0);
                        CPU_OR(&all, &all, &chosen.choices[i].cpus);
                }
        }
}

TEST(a_choice_that_the_machine_does_not_know_is_left_out_of_the_plan) {
        _cleanup_(machine_freep) Machine *machine = machine_lay("intel-pstate.txt");
        GovernorChoices chosen = {};
        TunablePlan plan = {};

        choose(&chosen, "performance", "0");
        choose(&chosen, "schedutil", "1");
        assert_int_equal(governor_choices_plan(machine->root, &chosen, &plan), 0);
        assert_int_equal(plan.n_steps, 1);
        assert_string_equal(plan.steps[0].want, "performance");
        tunable_plan_clear(&plan);
}
