/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sets of CPUs: the kernel's list form survives the way there and back, and what is not a list is refused. */

#include "util/cpu-list.h"

#include "test.h"

#define TEXT_MAX 8192

TEST(a_list_of_ranges_is_what_the_kernel_writes) {
        cpu_set_t set;

        assert_int_equal(cpu_list_parse("0-3,7\n", &set), 0);
        assert_int_equal(CPU_COUNT(&set), 5);
        assert_true(CPU_ISSET(0, &set) && CPU_ISSET(3, &set) && CPU_ISSET(7, &set));
        assert_false(CPU_ISSET(4, &set));
}

TEST(empty_text_is_the_empty_set) {
        cpu_set_t set;

        assert_int_equal(cpu_list_parse("", &set), 0);
        assert_int_equal(CPU_COUNT(&set), 0);
        assert_int_equal(cpu_list_parse("\n", &set), 0);
        assert_int_equal(CPU_COUNT(&set), 0);
}

TEST(what_is_no_list_is_refused) {
        static const char *const malformed[] = { "a", ",", "1,", "1,\n", ",1", "1,,2", "-1", "1-", "3-1", "1 2", " 1",
                "0x1", "1-2-3", "+1" };
        cpu_set_t set;

        for (size_t i = 0; i < N_ELEMENTS(malformed); i++) {
                print_message("\"%s\"\n", malformed[i]);
                assert_int_equal(cpu_list_parse(malformed[i], &set), CPU_LIST_E_MALFORMED);
        }
}

TEST(a_cpu_beyond_the_set_is_out_of_range) {
        cpu_set_t set;

        assert_int_equal(cpu_list_parse("1024", &set), CPU_LIST_E_RANGE);
        assert_int_equal(cpu_list_parse("0-99999999999999999999999", &set), CPU_LIST_E_RANGE);
        assert_int_equal(cpu_list_parse("1023", &set), 0);
        assert_true(CPU_ISSET(1023, &set));
}

TEST(a_refused_list_leaves_the_result_alone) {
        cpu_set_t set, before;

        memset(&set, 0x5a, sizeof set);
        before = set;
        assert_int_equal(cpu_list_parse("0-3,x", &set), CPU_LIST_E_MALFORMED);
        assert_true(CPU_EQUAL(&set, &before));
}

TEST(any_set_comes_back_from_its_text) {
        srandom(20240607);
        for (unsigned round = 0; round < 200; round++) {
                unsigned one_in = 1 + random() % 8;
                cpu_set_t set, back;
                char text[TEXT_MAX];

                CPU_ZERO(&set);
                for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
                        if (random() % one_in == 0)
                                CPU_SET(cpu, &set);
                assert_true(cpu_list_format(&set, text, sizeof text) < sizeof text);
                assert_int_equal(cpu_list_parse(text, &back), 0);
                assert_true(CPU_EQUAL(&set, &back));
        }
}

TEST(neighbours_are_written_as_one_range) {
        cpu_set_t set;
        char text[64];

        assert_int_equal(cpu_list_parse("0,1,2,5,7-7,8", &set), 0);
        assert_int_equal(cpu_list_format(&set, text, sizeof text), strlen("0-2,5,7-8"));
        assert_string_equal(text, "0-2,5,7-8");
}

TEST(a_short_buffer_cuts_the_text_and_ends_it) {
        cpu_set_t set;
        char text[8];

        assert_int_equal(cpu_list_parse("10,12,14,16", &set), 0);
        memset(text, 'x', sizeof text);
        assert_int_equal(cpu_list_format(&set, text, 5), strlen("10,12,14,16"));
        assert_string_equal(text, "10,1");
        assert_int_equal(text[5], 'x');

        text[0] = 'x';
        assert_int_equal(cpu_list_format(&set, text, 0), strlen("10,12,14,16"));
        assert_int_equal(text[0], 'x');
}

static cpu_set_t set_of(const char *list) {
        cpu_set_t set;

        assert_int_equal(cpu_list_parse(list, &set), 0);
        return set;
}

TEST(sets_meet_lie_within_one_another_and_are_taken_out_of_one_another) {
        const cpu_set_t some = set_of("2-4"), part = set_of("3-4"), beside = set_of("5,1023"), none = set_of("");
        cpu_set_t rest = some;

        assert_true(cpu_sets_meet(&some, &part) && !cpu_sets_meet(&some, &beside) && !cpu_sets_meet(&none, &none));
        assert_true(cpu_set_within(&part, &some) && !cpu_set_within(&some, &part) && cpu_set_within(&none, &beside));
        cpu_set_subtract(&rest, &beside);
        assert_true(CPU_EQUAL(&rest, &some));
        cpu_set_subtract(&rest, &part);
        assert_int_equal(cpu_set_first(&rest), 2);
        assert_int_equal(CPU_COUNT(&rest), 1);
        assert_int_equal(cpu_set_first(&none), -1);
}

/* Sets of CPUs as masks: what the kernel writes is read, and what is no mask is refused. */

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
        srandom(20240611);
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
