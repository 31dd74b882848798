/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Hooks of 'benchctl exec' and what surrounds a run: a hook that fails is told with its last lines, output is kept small and keeps its end,
 * lengths of the environment are drawn, and a mean is that of all processes.
 */

#include "ctl/ask/exec/exec-hook.h"

#include <sys/stat.h>

#include "ctl/ask/exec/exec-environment.h"
#include "ctl/ask/exec/exec-output.h"
#include "ctl/ask/exec/exec-overhead.h"
#include "directory.h"

TEST_EACH(NULL, NULL)

static bool run_script(const char *text, bool shows_output, char failed[static EXEC_WORDS_BYTES]) {
        const char *words[] = { "sh", "-c", text, NULL };
        ExecCommand script = { .words = words, .program = "/bin/sh" };
        const ExecCommand command = { .hooks = { [EXEC_PREPARE] = &script } };

        return exec_hook_run(&command, EXEC_PREPARE, "41", shows_output, failed);
}

TEST(a_hook_that_is_not_there_is_no_failure, NULL, NULL) {
        const ExecCommand command = {};
        char failed[EXEC_WORDS_BYTES];

        assert_true(exec_hook_run(&command, EXEC_SETUP, 0, false, failed));
        assert_string_equal(failed, "");
}

TEST(a_hook_knows_the_run_has_no_input_and_default_signals, NULL, NULL) {
        char failed[EXEC_WORDS_BYTES];

        (void)signal(SIGINT, SIG_IGN);
        assert_true(run_script("test $HYPERFINE_ITERATION = 41 && ! read line && "
                               "{ sh -c 'kill -INT $$'; test $? = 130; }",
                        false, failed));
        (void)signal(SIGINT, SIG_DFL);
}

TEST(a_hook_that_fails_is_told_with_its_last_lines, NULL, NULL) {
        char failed[EXEC_WORDS_BYTES];

        assert_false(run_script("echo one; echo two >&2; exit 4", false, failed));
        assert_string_equal(failed, "the script of --prepare failed with exit code 4: one | two");
        assert_false(run_script("kill -9 $$", false, failed));
        assert_string_equal(failed, "the script of --prepare was killed by signal 9 (SIGKILL)");
        assert_false(run_script("exit 5", true, failed));
        assert_string_equal(failed, "the script of --prepare failed with exit code 5");
}

TEST(what_a_hook_starts_survives_it_and_cannot_write_on_into_memory, NULL, NULL) {
        char failed[EXEC_WORDS_BYTES], line[64] = "";
        char directory[] = "exec-hook-XXXXXX", script[512], path[64];
        FILE *file;

        directory_make(directory);
        snprintf(path, sizeof path, "%s/pipe", directory);
        assert_int_equal(mkfifo(path, 0600), 0);
        snprintf(script, sizeof script, "{ read word < %s; echo more >&2; echo $? > %s; } &", path, path);
        assert_true(run_script(script, false, failed));
        file = fopen(path, "we");
        assert_non_null(file);
        fputs("go\n", file);
        fclose(file);
        file = fopen(path, "re");
        assert_non_null(file);
        assert_non_null(fgets(line, sizeof line, file));
        fclose(file);
        assert_string_not_equal(line, "0\n");
        assert_int_equal(directory_remove(directory), 0);
}

TEST(output_keeps_its_end_in_little_memory, NULL, NULL) {
        static char block[1 << 20];
        struct stat status;
        char lines[256];
        const int fd = exec_output_new();

        assert_true(fd >= 0);
        memset(block, 'x', sizeof block);
        for (unsigned i = 0; i < 16; i++)
                assert_int_equal(write(fd, block, sizeof block), sizeof block);
        assert_int_equal(write(fd, "\na\033b\n\nlast\r\n\n", 13), 13);
        exec_output_trim(fd);
        assert_int_equal(fstat(fd, &status), 0);
        assert_true(status.st_blocks * 512 <= 128 * 1024);
        exec_output_last_lines(fd, lines, sizeof lines);
        assert_non_null(strstr(lines, "x | ab |  | last"));
        assert_string_equal(strchr(lines, '|'), "| ab |  | last");
        exec_output_clear(fd);
        exec_output_last_lines(fd, lines, sizeof lines);
        assert_string_equal(lines, "");
        close(fd);
}

TEST(the_last_of_many_lines_are_five, NULL, NULL) {
        const char text[] = "1\n2\n3\n4\n5\n6\n7\n";
        char lines[256];
        const int fd = exec_output_new();

        assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
        exec_output_last_lines(fd, lines, sizeof lines);
        assert_string_equal(lines, "3 | 4 | 5 | 6 | 7");
        exec_output_last_lines(fd, lines, 20);
        assert_string_equal(lines, "6 | 7");
        exec_output_last_lines(fd, lines, 8);
        assert_string_equal(lines, "");
        close(fd);
}

TEST(an_environment_has_its_run_and_a_drawn_length_once_each, NULL, NULL) {
        const char *variables[] = { "A=1", EXEC_ITERATION_VARIABLE "=7", EXEC_OFFSET_VARIABLE "=XX", "HYPERFINE=2",
                NULL };
        ExecEnvironment environment;
        size_t n = 0;

        assert_int_equal(exec_environment_init(&environment, (char *const *)variables), 0);
        exec_environment_draw(&environment, 12, 3);
        while (environment.variables[n])
                n++;
        assert_int_equal(n, 4);
        assert_string_equal(environment.variables[0], EXEC_ITERATION_VARIABLE "=12");
        assert_string_equal(environment.variables[1], EXEC_OFFSET_VARIABLE "=XXX");
        assert_string_equal(environment.variables[2], "A=1");
        assert_string_equal(environment.variables[3], "HYPERFINE=2");
        exec_environment_draw(&environment, UINT64_MAX, EXEC_OFFSET_MAX);
        assert_int_equal(strlen(environment.variables[1]), sizeof EXEC_OFFSET_VARIABLE + EXEC_OFFSET_MAX);
        exec_environment_clear(&environment);
}

TEST(a_mean_is_of_all_that_was_added, NULL, NULL) {
        const ExecMean none = {}, some = { .sum_ns = 900, .n = 3 };

        assert_true(exec_mean_ns(&none) == 0 && exec_mean_ns(&some) == 300);
}
