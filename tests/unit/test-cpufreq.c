/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "machine.h"
#include "machine/cpufreq.h"
#include "util/cleanup.h"
#include "util/cpu-list.h"

#include "test.h"

TEST(the_policies_of_some_cpus_are_found_once_each) {
        _cleanup_(machine_freep) Machine *machine = machine_lay("two-sockets.txt");
        unsigned numbers[CPUFREQ_POLICIES_MAX];
        cpu_set_t cpus;
        size_t n;

        assert_int_equal(cpu_list_parse("2,10-11", &cpus), 0);
        assert_int_equal(cpufreq_policies(machine->root, &cpus, numbers, &n), 0);
        assert_int_equal(n, 2);
        assert_int_equal(numbers[0], 2);
        assert_int_equal(numbers[1], 3);
}

TEST(a_guest_without_cpufreq_has_no_policies) {
        _cleanup_(machine_freep) Machine *machine = machine_lay("guest-firecracker.txt");
        unsigned numbers[CPUFREQ_POLICIES_MAX];
        char text[CPUFREQ_TEXT_MAX];
        cpu_set_t cpus;
        size_t n;

        assert_int_equal(cpu_list_parse("0-1", &cpus), 0);
        assert_int_equal(cpufreq_policies(machine->root, &cpus, numbers, &n), 0);
        assert_int_equal(n, 0);
        assert_int_equal(cpufreq_read(machine->root, 0, "scaling_governor", text), 0);
        assert_string_equal(text, "");
}

TEST(a_word_is_found_whole) {
        assert_true(cpufreq_list_has("performance powersave ", "powersave"));
        assert_true(cpufreq_list_has("performance", "performance"));
        assert_false(cpufreq_list_has("performance powersave", "power"));
        assert_false(cpufreq_list_has("performance powersave", "save"));
        assert_false(cpufreq_list_has("", "performance"));
}
