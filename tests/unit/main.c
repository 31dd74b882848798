/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The main program of all unit tests of a room: `test-ROOM [FILE [TEST]]` runs the tests of all files, of test-FILE.c, or the one test.
 * A file is a group of cmocka's, and in `meson test` a process of its own.
 */

#include "test.h"

#define FILE_TESTS_MAX 256

static TestRow *first_test, **end_of_tests = &first_test;

void test_register(TestRow *test) {
        *end_of_tests = test;
        end_of_tests = &test->next;
}

/* test-NAME.c is called NAME. */
static bool is_called(const char *file, const char *name) {
        const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
        size_t prefix = strlen("test-"), n = strlen(name);

        return strlen(base) == prefix + n + strlen(".c") && !strncmp(base + prefix, name, n);
}

/* Runs the tests of @file, which follow each other from @test. Returns how many failed. */
static int run_file(const char *file, const TestRow *test) {
        const TestRow *of_all = &(TestRow){}, *of_each = of_all;
        struct CMUnitTest tests[FILE_TESTS_MAX];
        size_t n = 0;

        for (; test; test = test->next) {
                if (strcmp(test->file, file))
                        continue;
                if (!test->run) {
                        *(test->each ? &of_each : &of_all) = test;
                        continue;
                }
                if (n == FILE_TESTS_MAX)
                        abort();
                tests[n++] = (struct CMUnitTest){ test->name, test->run, test->set_up, test->tear_down, NULL };
        }
        for (size_t i = 0; i < n; i++)
                if (!tests[i].setup_func && !tests[i].teardown_func) {
                        tests[i].setup_func = of_each->set_up;
                        tests[i].teardown_func = of_each->tear_down;
                }
        return _cmocka_run_group_tests(file, tests, n, of_all->set_up, of_all->tear_down);
}

int main(int argc, char **argv) {
        const char *wanted = argc > 1 ? argv[1] : NULL, *file = "";
        int failed = 0, files = 0;

        if (argc > 2)
                cmocka_set_test_filter(argv[2]);
        for (const TestRow *test = first_test; test; test = test->next) {
                if (!strcmp(test->file, file))
                        continue;
                file = test->file;
                if (wanted && !is_called(file, wanted))
                        continue;
                failed += run_file(file, test);
                files++;
        }
        if (!files) {
                fprintf(stderr, "%s: no tests of test-%s.c here\n", argv[0], wanted ? wanted : "*");
                return EXIT_FAILURE;
        }
        return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
