/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * What a module prints: the end of it stays, whatever came before, and printing never fails for it.
 */

#include "launch/output.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "ops/runner-plan.h"
#include "util/fd.h"

static int fd;

static int set_up(void **state) {
        assert_int_equal(output_new(&fd), 0);
        return 0;
}

static int tear_down(void **state) {
        fd = fd_close(fd);
        return 0;
}

static size_t size_of_output(void) {
        struct stat status;

        assert_int_equal(fstat(fd, &status), 0);
        return status.st_size;
}

static void print_lines(unsigned from, unsigned to) {
        for (unsigned i = from; i < to; i++)
                assert_int_equal(dprintf(fd, "line %9u\n", i), 15);
}

/* The last @n bytes are the last lines up to @to. */
static void assert_ends_with_line(unsigned to) {
        char expected[16], last[16] = "";

        snprintf(expected, sizeof expected, "line %9u\n", to - 1);
        assert_int_equal(pread(fd, last, 15, size_of_output() - 15), 15);
        assert_string_equal(last, expected);
}

static void little_stays_as_it_is(void **state) {
        print_lines(0, 100);
        output_trim(fd);
        output_settle(fd);
        assert_int_equal(size_of_output(), 1500);
        assert_ends_with_line(100);
}

static void of_much_the_last_stays(void **state) {
        print_lines(0, 100000);
        output_settle(fd);
        assert_int_equal(size_of_output(), RUNNER_OUTPUT_MAX);
        assert_ends_with_line(100000);
}

static void printing_goes_on_after_it_was_cut(void **state) {
        for (unsigned i = 0; i < 20; i++) {
                print_lines(i * 100000, (i + 1) * 100000);
                output_trim(fd);
                assert_int_equal(size_of_output(), RUNNER_OUTPUT_MAX);
        }
        print_lines(2000000, 2000001);
        output_settle(fd);
        assert_int_equal(size_of_output(), RUNNER_OUTPUT_MAX);
        assert_ends_with_line(2000001);
}

static void what_is_not_long_yet_is_left_alone_while_it_grows(void **state) {
        print_lines(0, 5000);
        output_trim(fd);
        assert_int_equal(size_of_output(), 75000);
}

static void a_module_that_plays_with_its_output_harms_nobody(void **state) {
        print_lines(0, 10);
        assert_int_equal(ftruncate(fd, 100 << 20), 0);
        output_settle(fd);
        assert_int_equal(size_of_output(), 150);
        assert_int_equal(lseek(fd, INT64_C(1) << 40, SEEK_SET), INT64_C(1) << 40);
        output_trim(fd);
        output_settle(fd);
        assert_true(size_of_output() <= RUNNER_OUTPUT_MAX);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(little_stays_as_it_is, set_up, tear_down),
                cmocka_unit_test_setup_teardown(of_much_the_last_stays, set_up, tear_down),
                cmocka_unit_test_setup_teardown(printing_goes_on_after_it_was_cut, set_up, tear_down),
                cmocka_unit_test_setup_teardown(what_is_not_long_yet_is_left_alone_while_it_grows, set_up, tear_down),
                cmocka_unit_test_setup_teardown(a_module_that_plays_with_its_output_harms_nobody, set_up, tear_down),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
