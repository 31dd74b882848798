/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The error law: a code goes up unchanged, a failure never becomes a success, and the sink hears of what is fatal. */

#include "util/error.h"

#include "test.h"

static int n_heard;
static int heard;
static const char *heard_of;

static void hear(int error, const char *file, int line, const char *function) {
        n_heard++;
        heard = error;
        heard_of = function;
}

static int hear_all(void **state) {
        n_heard = 0;
        error_set_sink(hear);
        return 0;
}

static int listen_no_more(void **state) {
        error_set_sink(NULL);
        return 0;
}

TEST(a_fatal_code_goes_up_unchanged_and_is_heard_of, hear_all) {
        assert_int_equal(error_origin(-EIO), -EIO);
        assert_int_equal(error_trace(-ENOMEM), -ENOMEM);
        assert_int_equal(error_fold(-EBADF), -EBADF);
        assert_int_equal(n_heard, 3);
        assert_int_equal(heard, -EBADF);
        assert_string_equal(heard_of, __func__);
}

TEST(a_success_and_an_outcome_cost_no_word, hear_all) {
        assert_int_equal(error_trace(0), 0);
        assert_int_equal(error_trace(7), 7);
        assert_int_equal(error_fold(0), 0);
        assert_int_equal(n_heard, 0);
}

TEST(an_outcome_that_was_ruled_out_is_fatal, hear_all) {
        assert_int_equal(error_fold(7), -ENOTRECOVERABLE);
        assert_int_equal(n_heard, 1);
}

TEST(a_failure_without_errno_is_a_failure, hear_all) {
        assert_int_equal(error_origin(-0), -ENOTRECOVERABLE);
        assert_int_equal(error_negative(-0), -ENOTRECOVERABLE);
        assert_int_equal(error_negative(-EIO), -EIO);
        assert_int_equal(n_heard, 1);
}

TEST(without_a_sink_a_code_goes_up_too, hear_all) {
        error_set_sink(NULL);
        assert_int_equal(error_trace(-EIO), -EIO);
        assert_int_equal(n_heard, 0);
}

TEST_FILE(NULL, listen_no_more)
