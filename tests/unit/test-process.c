/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The time of a process that waits for a CPU: a busy machine does not end it, and none has time for ever. */

#include "launch/run/process.h"

#include "test.h"
#include "util/time.h"

#define TIMEOUT (10 * NS_PER_S)

TEST(who_had_the_cpu_for_half_its_time_is_over) {
        assert_true(process_time_is_over(TIMEOUT, 1, TIMEOUT));
        assert_true(process_time_is_over(TIMEOUT, 1, TIMEOUT / 2));
        assert_true(process_time_is_over(TIMEOUT, 1, UINT64_MAX));
}

TEST(who_was_kept_from_the_cpu_has_six_times_as_long) {
        assert_false(process_time_is_over(TIMEOUT, 1, 0));
        assert_false(process_time_is_over(TIMEOUT, 1, TIMEOUT / 2 - 1));
        assert_false(process_time_is_over(TIMEOUT, 5, TIMEOUT / 2 - 1));
        assert_true(process_time_is_over(TIMEOUT, 6, 0));
}
