/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/base/config.h"

#include "directory.h"
#include "ops/runner-plan.h"

TEST(each_default_is_a_value_of_its_option_and_prints_as_written) {
        const ConfigOption *option;
        Config config;

        config_init(&config);
        for (size_t i = 0; (option = config_option_at(i)); i++) {
                char text[CONFIG_VALUE_MAX];

                config_print(&config, option, text);
                assert_string_equal(text, option->fallback);
                assert_int_equal(config_set(&config, option, text), 0);
                config_print(&config, option, text);
                assert_string_equal(text, option->fallback);
        }
}

static bool is_text(const ConfigOption *option) {
        return option->type == CONFIG_TYPE_ALLOW_LIST || option->type == CONFIG_TYPE_MACHINE_NAME;
}

/* A value of @option that is not its default. */
static const char *other_value(const ConfigOption *option) {
        static char text[32];

        switch (option->type) {
        case CONFIG_TYPE_WORD:
                return option->words[0].word;
        case CONFIG_TYPE_ALLOW_LIST:
                return "alice, @wheel";
        case CONFIG_TYPE_MACHINE_NAME:
                return "node-7";
        default:
                snprintf(text, sizeof text, "%ju", (uintmax_t)option->least + 5);
                return text;
        }
}

TEST(each_option_is_found_by_its_name_and_has_a_field_of_its_own) {
        size_t n_bytes = 0, n;

        for (n = 0; config_option_at(n); n++) {
                const ConfigOption *option = config_option_at(n);
                char text[CONFIG_VALUE_MAX];
                Config config;

                assert_ptr_equal(config_find(option->section, option->name), option);
                assert_null(config_find("", option->name));
                n_bytes += is_text(option) ? CONFIG_VALUE_MAX : sizeof(uint64_t);
                config_init(&config);
                assert_int_equal(config_set(&config, option, other_value(option)), 0);
                for (size_t i = 0; config_option_at(i); i++) {
                        config_print(&config, config_option_at(i), text);
                        assert_string_equal(text, i == n ? other_value(option) : config_option_at(i)->fallback);
                }
        }
        assert_int_equal(n_bytes, sizeof(Config));
        assert_null(config_find("queue", "nonesuch"));
}

TEST(options_of_a_section_stand_together) {
        const ConfigOption *option;

        for (size_t i = 0; (option = config_option_at(i)); i++)
                for (size_t j = i + 1; config_option_at(j); j++)
                        if (strcmp(config_option_at(j)->section, option->section) == 0)
                                assert_string_equal(config_option_at(j - 1)->section, option->section);
}

static uint64_t number_of(const Config *config, const ConfigOption *option) {
        uint64_t value;

        memcpy(&value, (const char *)config + option->offset, sizeof value);
        return value;
}

TEST(a_number_is_taken_up_to_both_ends_of_its_range_and_not_beyond) {
        const ConfigOption *option;

        for (size_t i = 0; (option = config_option_at(i)); i++) {
                char text[32];
                Config config;

                if (option->type == CONFIG_TYPE_WORD || is_text(option))
                        continue;
                snprintf(text, sizeof text, "%ju", (uintmax_t)option->least);
                assert_int_equal(config_set(&config, option, text), 0);
                assert_int_equal(number_of(&config, option), option->least);
                snprintf(text, sizeof text, "%ju", (uintmax_t)option->most);
                assert_int_equal(config_set(&config, option, text), 0);
                assert_int_equal(number_of(&config, option), option->most);
                snprintf(text, sizeof text, "%ju", (uintmax_t)option->most + 1);
                assert_int_equal(config_set(&config, option, text), CONFIG_E_RANGE);
                snprintf(text, sizeof text, "%ju", (uintmax_t)option->least - 1);
                assert_int_equal(config_set(&config, option, text), CONFIG_E_RANGE);
                assert_int_equal(config_set(&config, option, "99999999999999999999"), CONFIG_E_RANGE);
                assert_int_equal(number_of(&config, option), option->most);
        }
}

TEST(an_allow_list_is_held_as_it_was_written) {
        const ConfigOption *option = config_find("access", "set_governor");
        char text[CONFIG_VALUE_MAX], long_list[CONFIG_VALUE_MAX + 1];
        Config first, second;

        assert_int_equal(config_set(&first, option, "alice, @wheel"), 0);
        assert_int_equal(config_set(&second, option, "bob"), 0);
        assert_string_equal(first.set_governor, "alice, @wheel");
        assert_string_equal(second.set_governor, "bob");
        config_print(&first, option, text);
        assert_string_equal(text, "alice, @wheel");
        assert_int_equal(config_set(&first, option, ""), CONFIG_E_SYNTAX);
        assert_int_equal(config_set(&first, option, "alice;bob"), CONFIG_E_SYNTAX);
        for (size_t i = 0; i < sizeof long_list; i++)
                long_list[i] = i % 32 == 31 ? ',' : 'a';
        long_list[CONFIG_VALUE_MAX] = 0;
        assert_int_equal(config_set(&first, option, long_list), CONFIG_E_RANGE);
        assert_string_equal(first.set_governor, "alice, @wheel");
        long_list[CONFIG_VALUE_MAX - 1] = 0;
        assert_int_equal(config_set(&first, option, long_list), 0);
        assert_string_equal(first.set_governor, long_list);
}

TEST(a_name_of_the_machine_has_up_to_64_signs) {
        const ConfigOption *option = config_find("machine", "machine_name");
        char name[66] = "";
        Config config;

        config_init(&config);
        assert_string_equal(config.machine_name, "%H");
        assert_int_equal(config_set(&config, option, "rack_2.node-7"), 0);
        assert_int_equal(config_set(&config, option, ""), CONFIG_E_SYNTAX);
        assert_int_equal(config_set(&config, option, "node %H"), CONFIG_E_SYNTAX);
        assert_int_equal(config_set(&config, option, "node,7"), CONFIG_E_SYNTAX);
        assert_string_equal(config.machine_name, "rack_2.node-7");
        memset(name, 'a', 65);
        assert_int_equal(config_set(&config, option, name), CONFIG_E_RANGE);
        name[64] = 0;
        assert_int_equal(config_set(&config, option, name), 0);
        assert_string_equal(config.machine_name, name);
        assert_int_equal(config_set(&config, option, "%H"), 0);
}

TEST(what_is_no_value_is_told_from_one_out_of_range) {
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
                { "log", "level", "debug", 0, 7 },
                { "log", "level", "loud", CONFIG_E_SYNTAX },
        };
        const uint64_t untouched = 12345;

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                const ConfigOption *option = config_find(rows[i].section, rows[i].name);
                Config config;

                config_init(&config);
                memcpy((char *)&config + option->offset, &untouched, sizeof untouched);
                assert_int_equal(config_set(&config, option, rows[i].text), rows[i].outcome);
                assert_int_equal(number_of(&config, option), rows[i].outcome ? untouched : rows[i].value);
        }
}

TEST(what_an_option_takes_is_said_with_its_range) {
        char text[CONFIG_VALUE_MAX];

        config_describe(config_find("queue", "jobs"), text);
        assert_string_equal(text, "a number from 1 to 4096");
        config_describe(config_find("history", "module_quota"), text);
        assert_string_equal(text, "a number of bytes from 1M to 64T (suffixes K, M, G, T)");
        config_describe(config_find("connections", "patience"), text);
        assert_string_equal(text, "seconds from 1 to 3600");
        config_describe(config_find("access", "set_governor"), text);
        assert_string_equal(text, "user names, and group names behind @, separated by commas; * is everyone");
        config_describe(config_find("log", "level"), text);
        assert_string_equal(text, "one of error, warning, notice, info, debug");
}

/* ---- files */

static char directory[] = "benchd-test-XXXXXX";
static char path[64], drop_ins[64];

static int set_up(void **state) {
        directory_make(directory);
        snprintf(path, sizeof path, "%s/c", directory);
        snprintf(drop_ins, sizeof drop_ins, "%s/c.d", directory);
        return 0;
}

static int tear_down(void **state) {
        static const char *const names[] = { "10-a.conf", "20-b.conf", "30-c.conf~", ".conf", "README" };
        char name[128];

        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
                snprintf(name, sizeof name, "%s/%s", drop_ins, names[i]);
                unlink(name);
        }
        rmdir(drop_ins);
        unlink(path);
        return rmdir(directory);
}

static void write_bytes(const char *where, const char *bytes, size_t n) {
        FILE *file = fopen(where, "we");

        assert_non_null(file);
        assert_int_equal(fwrite(bytes, 1, n, file), n);
        assert_int_equal(fclose(file), 0);
}

static void write_drop_in(const char *name, const char *text) {
        char where[128];

        mkdir(drop_ins, 0700);
        snprintf(where, sizeof where, "%s/%s", drop_ins, name);
        write_bytes(where, text, strlen(text));
}

static ConfigFile *read_back(void) {
        ConfigFile *file;

        assert_int_equal(config_file_read(path, false, &file), 0);
        return file;
}

static ConfigFile *read_text(const char *text) {
        write_bytes(path, text, strlen(text));
        return read_back();
}

static const char *origin_of(const ConfigFile *file, const char *section, const char *name) {
        return file->origins[config_find(section, name) - config_option_at(0)];
}

/* One problem, which begins with the file and @line and holds @words. */
static void expect_problem(const char *text, unsigned line, bool fatal, const char *words) {
        _cleanup_(config_file_freep) ConfigFile *file = read_text(text);
        char start[96];

        snprintf(start, sizeof start, "%s:%u: ", path, line);
        assert_int_equal(file->n_problems, 1);
        if (strncmp(file->problems[0].text, start, strlen(start)) != 0 || !strstr(file->problems[0].text, words))
                fail_msg("\"%s\" does not begin with \"%s\" or has no \"%s\"", file->problems[0].text, start, words);
        assert_int_equal(file->problems[0].fatal, fatal);
        assert_int_equal(config_file_is_fatal(file), fatal);
}

TEST(without_a_file_all_is_default, set_up, tear_down) {
        _cleanup_(config_file_freep) ConfigFile *file = read_back();
        Config defaults;

        config_init(&defaults);
        assert_memory_equal(&file->config, &defaults, sizeof defaults);
        assert_int_equal(file->n_problems, 0);
        for (size_t i = 0; config_option_at(i); i++)
                assert_null(file->origins[i]);
}

TEST(a_file_that_was_named_must_be_there, set_up, tear_down) {
        _cleanup_(config_file_freep) ConfigFile *file = NULL;

        assert_int_equal(config_file_read(path, true, &file), 0);
        assert_int_equal(file->n_problems, 1);
        assert_true(config_file_is_fatal(file));
        assert_non_null(strstr(file->problems[0].text, "No such file"));
}

TEST(a_directory_is_no_file, set_up, tear_down) {
        _cleanup_(config_file_freep) ConfigFile *file = NULL;

        assert_int_equal(config_file_read(directory, true, &file), 0);
        assert_int_equal(file->n_problems, 1);
        assert_true(config_file_is_fatal(file));
}

TEST(each_value_knows_its_file_and_line, set_up, tear_down) {
        _cleanup_(config_file_freep) ConfigFile *file =
                        read_text("# a comment\n\n[queue]\n  jobs = 5\r\n; another\n[log]\nlevel=debug ; why\n");
        char expected[96];

        assert_int_equal(file->n_problems, 0);
        assert_int_equal(file->config.jobs, 5);
        assert_int_equal(file->config.log_level, 7);
        assert_int_equal(file->config.jobs_per_user, 8);
        snprintf(expected, sizeof expected, "%s:4", path);
        assert_string_equal(origin_of(file, "queue", "jobs"), expected);
        snprintf(expected, sizeof expected, "%s:7", path);
        assert_string_equal(origin_of(file, "log", "level"), expected);
        assert_null(origin_of(file, "queue", "jobs_per_user"));
}

TEST(drop_ins_are_read_after_it_in_the_order_of_their_names, set_up, tear_down) {
        ConfigFile *file;
        char expected[128];

        write_drop_in("20-b.conf", "[queue]\njobs=3\n");
        write_drop_in("10-a.conf", "[queue]\njobs=2\njobs_per_user=1\n");
        write_drop_in("30-c.conf~", "[queue]\njobs=4\n");
        write_drop_in(".conf", "[queue]\njobs=4\n");
        write_drop_in("README", "no configuration\n");
        file = read_text("[queue]\njobs=1\n[access]\nhistory=*\n");

        assert_int_equal(file->n_problems, 0);
        assert_int_equal(file->config.jobs, 3);
        assert_int_equal(file->config.jobs_per_user, 1);
        assert_string_equal(file->config.access_history, "*");
        snprintf(expected, sizeof expected, "%s/20-b.conf:2", drop_ins);
        assert_string_equal(origin_of(file, "queue", "jobs"), expected);
        config_file_free(file);
}

TEST(a_line_that_is_not_understood_is_named_and_fatal, set_up, tear_down) {
        expect_problem("[queue]\njobs=1\nwhat\n", 3, true, "neither [section] nor name=value");
        expect_problem("[queue\n", 1, true, "neither [section] nor name=value");
        expect_problem("[queue]\nwhat", 2, true, "neither");
        expect_problem("[queue] what\n", 1, true, "neither");
        expect_problem("[queue]\njobs: 1\n", 2, true, "neither");
        expect_problem("jobs=1\n", 1, true, "option \"jobs\" is outside any section; sections are [queue], [");
        expect_problem("[quue]\njobs=1\n", 2, true, "unknown section [quue]; sections are [queue], [");
        expect_problem("[queue]\n\njob=1\n", 3, true,
                        "unknown option \"job\" in section [queue]; options are jobs, jobs_per_user");
        expect_problem("[queue]\njobs=many\n", 2, true, "\"many\" is not a value of jobs: give a number from 1 to");
        expect_problem("[machine]\nmachine_name=a b\n", 2, true,
                        "\"a b\" is not a value of machine_name: give 1 to 64 letters, digits");
        expect_problem("[machine]\nname=a\n", 2, true,
                        "unknown option \"name\" in section [machine]; options are machine_name");
}

TEST(all_bad_lines_are_named_not_only_the_first, set_up, tear_down) {
        _cleanup_(config_file_freep) ConfigFile *file =
                        read_text("what\n[queue]\nthat\njobs=x\njobs=7\n[log\nlevel=1\n");

        assert_int_equal(file->n_problems, 5);
        assert_int_equal(file->config.jobs, 7);
}

TEST(a_value_out_of_range_leaves_its_line_out, set_up, tear_down) {
        _cleanup_(config_file_freep) ConfigFile *file = NULL;

        expect_problem("[machine]\nmachine_name=a23456789012345678901234567890123456789012345678901234567890123456\n",
                        2, false, "out of range, line ignored: give 1 to 64 letters, digits");
        expect_problem("[queue]\njobs=0\n", 2, false,
                        "value \"0\" of jobs is out of range, line ignored: give a number");
        expect_problem("[queue]\njobs=99999999999999999999999\n", 2, false, "line ignored");
        file = read_text("[queue]\njobs=3\njobs=0\n");
        assert_int_equal(file->config.jobs, 3);
}

TEST(a_line_is_read_to_its_end_however_long, set_up, tear_down) {
        char text[4096] = "[queue]\njobs=";

        memset(text + strlen(text), '1', 3000);
        strcat(text, "\njobs_per_user=2\n");
        expect_problem(text, 2, false, "line ignored");
        _cleanup_(config_file_freep) ConfigFile *file = read_text(text);
        assert_int_equal(file->config.jobs, 64);
        assert_int_equal(file->config.jobs_per_user, 2);
}

TEST(a_zero_byte_hides_nothing, set_up, tear_down) {
        static const char text[] = "[queue]\njobs=2\0 and more\n";
        _cleanup_(config_file_freep) ConfigFile *file = NULL;

        write_bytes(path, text, sizeof text - 1);
        file = read_back();
        assert_int_equal(file->n_problems, 1);
        assert_true(config_file_is_fatal(file));
        assert_int_equal(file->config.jobs, 64);
}

TEST(blanks_comments_and_a_byte_order_mark_do_not_matter, set_up, tear_down) {
        _cleanup_(config_file_freep) ConfigFile *file = read_text(
                        "\xef\xbb\xbf[queue] ; jobs\r\n\t# jobs=9\n;\n \t\njobs\t=\v5 \t; =6\n[access]\nset_governor = a , @b ; c\n");

        assert_int_equal(file->n_problems, 0);
        assert_int_equal(file->config.jobs, 5);
        assert_string_equal(file->config.set_governor, "a , @b");
}

TEST(control_characters_do_not_come_through, set_up, tear_down) {
        _cleanup_(config_file_freep) ConfigFile *file = read_text("[queue]\njobs=\033[31m\001red\n\033]0;title\a\n");

        assert_int_equal(file->n_problems, 2);
        for (size_t i = 0; i < file->n_problems; i++)
                for (const char *c = file->problems[i].text; *c; c++)
                        assert_true((unsigned char)*c >= ' ' && *c != 127);
}

/* Whatever the bytes: no crash, and each line either gives a value, or says nothing, or is a problem. */
TEST(any_bytes_are_read_to_their_end, set_up, tear_down) {
        static const char letters[] = "[]=:;# \t\n\r\n\\\"jobsqueue0123\377\0\n";
        srandom(20240607);
        for (int round = 0; round < 300; round++) {
                char bytes[512];
                size_t n = random() % sizeof bytes;

                for (size_t i = 0; i < n; i++)
                        bytes[i] = letters[random() % (sizeof letters - 1)];
                write_bytes(path, bytes, n);
                config_file_free(read_back());
        }
}

TEST(who_is_alone_has_no_limits_between_users) {
        Config config;

        config_init(&config);
        assert_int_equal(config.timeout_max_s, 600);
        config_serve_one(&config);
        assert_int_equal(config.timeout_max_s, 86400);
        assert_int_equal(config.address_space_max_bytes, RUNNER_ADDRESS_SPACE_MAX);
        assert_int_equal(config.stack_max_bytes, UINT64_C(64) << 30);
        assert_int_equal(config.tasks_max, 1024);
        assert_int_equal(config.command_tasks_max, 65536);
        assert_int_equal(config.core_time_per_hour_s, 0);
        assert_int_equal(config.jobs_for_root, 0);
        assert_int_equal(config.clients_for_root, 0);
}
