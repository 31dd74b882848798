/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Sets of CPUs as masks: what the kernel writes is read, and what is no mask is refused.
 */

#include "util/cpu-mask.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/cleanup.h"

static void groups_count_from_the_right(void **state) {
        cpu_set_t set;

        assert_int_equal(cpu_mask_parse("3,00000001\n", &set), 0);
        assert_int_equal(CPU_COUNT(&set), 3);
        assert_true(CPU_ISSET(0, &set) && CPU_ISSET(32, &set) && CPU_ISSET(33, &set));
        assert_int_equal(cpu_mask_parse("0", &set), 0);
        assert_int_equal(CPU_COUNT(&set), 0);
}

static void what_is_no_mask_is_refused(void **state) {
        static const char *const malformed[] = { "", "\n", ",", "f,", ",f", "0x1", "123456789", "f f", "g", "-1",
                "f\nf" };
        cpu_set_t set;

        for (size_t i = 0; i < N_ELEMENTS(malformed); i++) {
                print_message("\"%s\"\n", malformed[i]);
                assert_int_equal(cpu_mask_parse(malformed[i], &set), CPU_MASK_E_MALFORMED);
        }
}

static void a_mask_of_too_many_cpus_is_out_of_range_unless_they_are_zero(void **state) {
        char text[512] = "1";
        cpu_set_t set;

        for (unsigned group = 0; group < CPU_SETSIZE / 32; group++)
                strcat(text, ",00000000");
        assert_int_equal(cpu_mask_parse(text, &set), CPU_MASK_E_RANGE);
        text[0] = '0';
        text[strlen(text) - 1] = '1';
        assert_int_equal(cpu_mask_parse(text, &set), 0);
        assert_true(CPU_ISSET(0, &set));
}

static void any_set_comes_back_from_its_mask(void **state) {
        const unsigned seed = 20240611;

        print_message("seed %u\n", seed);
        srandom(seed);
        for (unsigned round = 0; round < 200; round++) {
                unsigned n = 1 + random() % CPU_SETSIZE;
                char text[CPU_MASK_TEXT_MAX];
                cpu_set_t set, back;

                CPU_ZERO(&set);
                for (unsigned cpu = 0; cpu < n; cpu++)
                        if (random() % 2)
                                CPU_SET(cpu, &set);
                cpu_mask_format(&set, text);
                assert_true(strlen(text) < sizeof text);
                assert_int_equal(cpu_mask_parse(text, &back), 0);
                assert_true(CPU_EQUAL(&set, &back));
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(groups_count_from_the_right),
                cmocka_unit_test(what_is_no_mask_is_refused),
                cmocka_unit_test(a_mask_of_too_many_cpus_is_out_of_range_unless_they_are_zero),
                cmocka_unit_test(any_set_comes_back_from_its_mask),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
