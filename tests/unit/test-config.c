/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/base/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void each_default_is_a_value_of_its_option_and_prints_as_written(void **state) {
        const ConfigOption *option;
        Config config;

        config_init(&config);
        for (size_t i = 0; (option = config_option_at(i)); i++) {
                char text[CONFIG_VALUE_MAX];
                uint64_t value;

                assert_int_equal(config_parse(option, option->fallback, &value), 0);
                assert_int_equal(config_get(&config, option), value);
                config_print(option, value, text);
                assert_string_equal(text, option->fallback);
        }
}

static void each_option_is_found_by_its_name_and_has_a_field_of_its_own(void **state) {
        const ConfigOption *option;
        Config config;
        size_t n;

        for (n = 0; (option = config_option_at(n)); n++) {
                assert_ptr_equal(config_find(option->section, option->name), option);
                assert_null(config_find("", option->name));
                config_set(&config, option, n + 1);
        }
        for (size_t i = 0; i < n; i++)
                assert_int_equal(config_get(&config, config_option_at(i)), i + 1);
        assert_int_equal(n * sizeof(uint64_t), sizeof(Config));
        assert_null(config_find("queue", "nonesuch"));
}

static void options_of_a_section_stand_together(void **state) {
        const ConfigOption *option;

        for (size_t i = 0; (option = config_option_at(i)); i++)
                for (size_t j = i + 1; config_option_at(j); j++)
                        if (strcmp(config_option_at(j)->section, option->section) == 0)
                                assert_string_equal(config_option_at(j - 1)->section, option->section);
}

static void a_number_is_taken_up_to_both_ends_of_its_range_and_not_beyond(void **state) {
        const ConfigOption *option;

        for (size_t i = 0; (option = config_option_at(i)); i++) {
                char text[32];
                uint64_t value;

                if (option->type == CONFIG_TYPE_BOOL || option->type == CONFIG_TYPE_WORD ||
                                option->type == CONFIG_TYPE_WHO)
                        continue;
                snprintf(text, sizeof text, "%ju", (uintmax_t)option->least);
                assert_int_equal(config_parse(option, text, &value), 0);
                assert_int_equal(value, option->least);
                snprintf(text, sizeof text, "%ju", (uintmax_t)option->most);
                assert_int_equal(config_parse(option, text, &value), 0);
                assert_int_equal(value, option->most);
                snprintf(text, sizeof text, "%ju", (uintmax_t)option->most + 1);
                assert_int_equal(config_parse(option, text, &value), CONFIG_E_RANGE);
                snprintf(text, sizeof text, "%ju", (uintmax_t)option->least - 1);
                assert_int_equal(config_parse(option, text, &value), CONFIG_E_RANGE);
                assert_int_equal(config_parse(option, "99999999999999999999", &value), CONFIG_E_RANGE);
        }
}

static void a_list_of_who_is_kept_as_it_was_written(void **state) {
        const ConfigOption *option = config_find("machine", "set_governor");
        uint64_t first, second, again;
        char text[CONFIG_VALUE_MAX];

        assert_int_equal(config_parse(option, "alice, @wheel", &first), 0);
        assert_int_equal(config_parse(option, "bob", &second), 0);
        assert_int_equal(config_parse(option, "alice, @wheel", &again), 0);
        assert_string_equal(config_who(first), "alice, @wheel");
        assert_string_equal(config_who(second), "bob");
        assert_int_equal(first, again);
        config_print(option, first, text);
        assert_string_equal(text, "alice, @wheel");
        assert_int_equal(config_parse(option, "", &again), CONFIG_E_SYNTAX);
        assert_int_equal(config_parse(option, "alice;bob", &again), CONFIG_E_SYNTAX);
}

static void what_is_no_value_is_told_from_one_out_of_range(void **state) {
        static const struct {
                const char *section, *name, *text;
                int outcome;
                uint64_t value;
        } rows[] = {
                { "queue", "jobs", "7", 0, 7 },
                { "queue", "jobs", "", CONFIG_E_SYNTAX },
                { "queue", "jobs", "many", CONFIG_E_SYNTAX },
                { "queue", "jobs", "-1", CONFIG_E_SYNTAX },
                { "queue", "jobs", "+1", CONFIG_E_SYNTAX },
                { "queue", "jobs", "7K", CONFIG_E_SYNTAX },
                { "queue", "jobs", "7.5", CONFIG_E_SYNTAX },
                { "connections", "patience", "5s", CONFIG_E_SYNTAX },
                { "history", "module_quota", "1048576", 0, 1048576 },
                { "history", "module_quota", "1024K", 0, 1048576 },
                { "history", "module_quota", "3M", 0, 3145728 },
                { "history", "module_quota", "2T", 0, UINT64_C(2199023255552) },
                { "history", "module_quota", "1m", CONFIG_E_SYNTAX },
                { "history", "module_quota", "1MB", CONFIG_E_SYNTAX },
                { "history", "module_quota", "1K", CONFIG_E_RANGE },
                { "history", "module_quota", "18446744073709551615T", CONFIG_E_RANGE },
                { "history", "shared", "yes", 0, 1 },
                { "history", "shared", "True", 0, 1 },
                { "history", "shared", "off", 0, 0 },
                { "history", "shared", "2", CONFIG_E_SYNTAX },
                { "log", "level", "debug", 0, 7 },
                { "log", "level", "loud", CONFIG_E_SYNTAX },
        };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                uint64_t value = 12345;

                assert_int_equal(config_parse(config_find(rows[i].section, rows[i].name), rows[i].text, &value),
                                rows[i].outcome);
                assert_int_equal(value, rows[i].outcome ? 12345 : rows[i].value);
        }
}

static void what_an_option_takes_is_said_with_its_range(void **state) {
        char text[CONFIG_VALUE_MAX];

        config_describe(config_find("queue", "jobs"), text);
        assert_string_equal(text, "a number from 1 to 4096");
        config_describe(config_find("history", "module_quota"), text);
        assert_string_equal(text, "bytes (K, M, G or T may follow) from 1M to 64T");
        config_describe(config_find("history", "shared"), text);
        assert_string_equal(text, "yes or no");
        config_describe(config_find("log", "level"), text);
        assert_string_equal(text, "one of error, warning, notice, info, debug");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(each_default_is_a_value_of_its_option_and_prints_as_written),
                cmocka_unit_test(each_option_is_found_by_its_name_and_has_a_field_of_its_own),
                cmocka_unit_test(options_of_a_section_stand_together),
                cmocka_unit_test(a_number_is_taken_up_to_both_ends_of_its_range_and_not_beyond),
                cmocka_unit_test(a_list_of_who_is_kept_as_it_was_written),
                cmocka_unit_test(what_is_no_value_is_told_from_one_out_of_range),
                cmocka_unit_test(what_an_option_takes_is_said_with_its_range),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
