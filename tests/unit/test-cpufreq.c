/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "machine.h"
#include "machine/cpufreq.h"
#include "util/cleanup.h"
#include "util/cpu-list.h"

static void the_policies_of_some_cpus_are_found_once_each(void **state) {
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

static void a_guest_without_cpufreq_has_no_policies(void **state) {
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

static void a_word_is_found_whole(void **state) {
        assert_true(cpufreq_list_has("performance powersave ", "powersave"));
        assert_true(cpufreq_list_has("performance", "performance"));
        assert_false(cpufreq_list_has("performance powersave", "power"));
        assert_false(cpufreq_list_has("performance powersave", "save"));
        assert_false(cpufreq_list_has("", "performance"));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(the_policies_of_some_cpus_are_found_once_each),
                cmocka_unit_test(a_guest_without_cpufreq_has_no_policies),
                cmocka_unit_test(a_word_is_found_whole),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
