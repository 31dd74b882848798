/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Sets of CPUs as masks: what the kernel writes is read, and what is no mask is refused.
 */

#include "util/cpu-mask.h"

#include "test.h"
#include "util/cleanup.h"

TEST(groups_count_from_the_right) {
        cpu_set_t set;

        assert_int_equal(cpu_mask_parse("3,00000001\n", &set), 0);
        assert_int_equal(CPU_COUNT(&set), 3);
        assert_true(CPU_ISSET(0, &set) && CPU_ISSET(32, &set) && CPU_ISSET(33, &set));
        assert_int_equal(cpu_mask_parse("0", &set), 0);
        assert_int_equal(CPU_COUNT(&set), 0);
}

TEST(what_is_no_mask_is_refused) {
        static const char *const malformed[] = { "", "\n", ",", "f,", ",f", "0x1", "123456789", "f f", "g", "-1",
                "f\nf" };
        cpu_set_t set;

        for (size_t i = 0; i < N_ELEMENTS(malformed); i++) {
                print_message("\"%s\"\n", malformed[i]);
                assert_int_equal(cpu_mask_parse(malformed[i], &set), CPU_MASK_E_MALFORMED);
        }
}

TEST(a_mask_of_too_many_cpus_is_out_of_range_unless_they_are_zero) {
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

TEST(any_set_comes_back_from_its_mask) {
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
