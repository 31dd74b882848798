/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a module printed is kept by its end, in whole lines. */

#include "front/samples/runner-block.h"

#include "test.h"

static int output_of(const char *text, size_t n) {
        int fd = memfd_create("output", MFD_CLOEXEC);

        assert_int_equal(write(fd, text, n), n);
        return fd;
}

TEST(a_short_output_is_kept_whole) {
        _cleanup_(fd_closep) int fd = output_of("one\ntwo", 7);
        RunnerOutput output;

        assert_int_equal(runner_block_read_output(fd, &output), 0);
        assert_int_equal(output.n, 7);
        assert_memory_equal(output.text, "one\ntwo", 7);
        assert_int_equal(output.n_printed, 7);
        assert_false(output.cut);
}

TEST(a_long_output_is_kept_by_its_end_in_whole_lines) {
        char text[3 * RUNNER_BLOCK_OUTPUT_MAX];
        _cleanup_(fd_closep) int fd = -1;
        RunnerOutput output;
        size_t n = 0;

        for (unsigned i = 0; n + 16 < sizeof text; i++)
                n += snprintf(text + n, sizeof text - n, "line %u\n", i);
        fd = output_of(text, n);
        assert_int_equal(runner_block_read_output(fd, &output), 0);
        assert_in_range(output.n, RUNNER_BLOCK_OUTPUT_MAX - 16, RUNNER_BLOCK_OUTPUT_MAX);
        assert_memory_equal(output.text, "line ", 5);
        assert_memory_equal(output.text, text + n - output.n, output.n);
        assert_int_equal(output.n_printed, n);
}

TEST(an_endless_line_is_kept_by_its_end) {
        char text[2 * RUNNER_BLOCK_OUTPUT_MAX];
        _cleanup_(fd_closep) int fd = -1;
        RunnerOutput output;

        memset(text, 'x', sizeof text);
        text[sizeof text - 1] = '\n';
        fd = output_of(text, sizeof text);
        assert_int_equal(runner_block_read_output(fd, &output), 0);
        assert_int_equal(output.n, RUNNER_BLOCK_OUTPUT_MAX);
}

TEST(an_output_that_reached_the_limit_is_said_to_be_cut) {
        static char text[RUNNER_OUTPUT_MAX];
        _cleanup_(fd_closep) int fd = output_of(text, sizeof text);
        RunnerOutput output;

        assert_int_equal(runner_block_read_output(fd, &output), 0);
        assert_true(output.cut);
        assert_int_equal(output.n_printed, RUNNER_OUTPUT_MAX);
}
