/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/base/config-file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "directory.h"

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

static void without_a_file_all_is_default(void **state) {
        _cleanup_(config_file_freep) ConfigFile *file = read_back();
        Config defaults;

        config_init(&defaults);
        assert_memory_equal(&file->config, &defaults, sizeof defaults);
        assert_int_equal(file->n_problems, 0);
        for (size_t i = 0; config_option_at(i); i++)
                assert_null(file->origins[i]);
}

static void a_file_that_was_named_must_be_there(void **state) {
        _cleanup_(config_file_freep) ConfigFile *file = NULL;

        assert_int_equal(config_file_read(path, true, &file), 0);
        assert_int_equal(file->n_problems, 1);
        assert_true(config_file_is_fatal(file));
        assert_non_null(strstr(file->problems[0].text, "No such file"));
}

static void a_directory_is_no_file(void **state) {
        _cleanup_(config_file_freep) ConfigFile *file = NULL;

        assert_int_equal(config_file_read(directory, true, &file), 0);
        assert_int_equal(file->n_problems, 1);
        assert_true(config_file_is_fatal(file));
}

static void each_value_knows_its_file_and_line(void **state) {
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

static void drop_ins_are_read_after_it_in_the_order_of_their_names(void **state) {
        ConfigFile *file;
        char expected[128];

        write_drop_in("20-b.conf", "[queue]\njobs=3\n");
        write_drop_in("10-a.conf", "[queue]\njobs=2\njobs_per_user=1\n");
        write_drop_in("30-c.conf~", "[queue]\njobs=4\n");
        write_drop_in(".conf", "[queue]\njobs=4\n");
        write_drop_in("README", "no configuration\n");
        file = read_text("[queue]\njobs=1\n[history]\nshared=yes\n");

        assert_int_equal(file->n_problems, 0);
        assert_int_equal(file->config.jobs, 3);
        assert_int_equal(file->config.jobs_per_user, 1);
        assert_int_equal(file->config.history_shared, 1);
        snprintf(expected, sizeof expected, "%s/20-b.conf:2", drop_ins);
        assert_string_equal(origin_of(file, "queue", "jobs"), expected);
        config_file_free(file);
}

static void a_line_that_is_not_understood_is_named_and_fatal(void **state) {
        expect_problem("[queue]\njobs=1\nwhat\n", 3, true, "neither [section] nor name=value");
        expect_problem("[queue\n", 1, true, "neither [section] nor name=value");
        expect_problem("[queue]\nwhat", 2, true, "neither");
        expect_problem("jobs=1\n", 1, true, "\"jobs\" stands in no section: write one above it, of [queue], [");
        expect_problem("[quue]\njobs=1\n", 2, true, "there is no section [quue]: those that there are: [queue], [");
        expect_problem("[queue]\n\njob=1\n", 3, true, "has no option \"job\": it has jobs, jobs_per_user");
        expect_problem("[queue]\njobs=many\n", 2, true, "\"many\" is no value of jobs: it takes a number from 1 to");
        expect_problem("[history]\nshared=maybe\n", 2, true, "yes or no");
}

static void all_bad_lines_are_named_not_only_the_first(void **state) {
        _cleanup_(config_file_freep) ConfigFile *file =
                        read_text("what\n[queue]\nthat\njobs=x\njobs=7\n[log\nlevel=1\n");

        assert_int_equal(file->n_problems, 5);
        assert_int_equal(file->config.jobs, 7);
}

static void a_value_out_of_range_leaves_its_line_out(void **state) {
        _cleanup_(config_file_freep) ConfigFile *file = NULL;

        expect_problem("[queue]\njobs=0\n", 2, false, "jobs cannot be 0, and the line is left out: it takes a number");
        expect_problem("[queue]\njobs=99999999999999999999999\n", 2, false, "left out");
        file = read_text("[queue]\njobs=3\njobs=0\n");
        assert_int_equal(file->config.jobs, 3);
}

static void a_line_that_is_too_long_is_named(void **state) {
        char text[4096] = "[queue]\njobs=";

        memset(text + strlen(text), '1', 3000);
        strcat(text, "\njobs_per_user=2\n");
        expect_problem(text, 2, true, "shorten it");
        _cleanup_(config_file_freep) ConfigFile *file = read_text(text);
        assert_int_equal(file->config.jobs_per_user, 2);
}

static void control_characters_do_not_come_through(void **state) {
        _cleanup_(config_file_freep) ConfigFile *file = read_text("[queue]\njobs=\033[31m\001red\n\033]0;title\a\n");

        assert_int_equal(file->n_problems, 2);
        for (size_t i = 0; i < file->n_problems; i++)
                for (const char *c = file->problems[i].text; *c; c++)
                        assert_true((unsigned char)*c >= ' ' && *c != 127);
}

/* Whatever the bytes: no crash, and each line either gives a value, or says nothing, or is a problem. */
static void any_bytes_are_read_to_their_end(void **state) {
        static const char letters[] = "[]=:;# \t\n\r\n\\\"jobsqueue0123\377\0\n";
        unsigned seed = 20240607;

        print_message("seed %u\n", seed);
        srandom(seed);
        for (int round = 0; round < 300; round++) {
                char bytes[512];
                size_t n = random() % sizeof bytes;

                for (size_t i = 0; i < n; i++)
                        bytes[i] = letters[random() % (sizeof letters - 1)];
                write_bytes(path, bytes, n);
                config_file_free(read_back());
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(without_a_file_all_is_default, set_up, tear_down),
                cmocka_unit_test_setup_teardown(a_file_that_was_named_must_be_there, set_up, tear_down),
                cmocka_unit_test_setup_teardown(a_directory_is_no_file, set_up, tear_down),
                cmocka_unit_test_setup_teardown(each_value_knows_its_file_and_line, set_up, tear_down),
                cmocka_unit_test_setup_teardown(drop_ins_are_read_after_it_in_the_order_of_their_names, set_up,
                                tear_down),
                cmocka_unit_test_setup_teardown(a_line_that_is_not_understood_is_named_and_fatal, set_up, tear_down),
                cmocka_unit_test_setup_teardown(all_bad_lines_are_named_not_only_the_first, set_up, tear_down),
                cmocka_unit_test_setup_teardown(a_value_out_of_range_leaves_its_line_out, set_up, tear_down),
                cmocka_unit_test_setup_teardown(a_line_that_is_too_long_is_named, set_up, tear_down),
                cmocka_unit_test_setup_teardown(control_characters_do_not_come_through, set_up, tear_down),
                cmocka_unit_test_setup_teardown(any_bytes_are_read_to_their_end, set_up, tear_down),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
