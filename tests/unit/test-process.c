/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The time of a process that waits for a CPU: a busy machine does not end it, and none has time for ever.
 */

#include "launch/process.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/time.h"

#define TIMEOUT (10 * NS_PER_S)

static void who_had_the_cpu_for_half_its_time_is_over(void **state) {
        assert_true(process_time_is_over(TIMEOUT, 1, TIMEOUT));
        assert_true(process_time_is_over(TIMEOUT, 1, TIMEOUT / 2));
        assert_true(process_time_is_over(TIMEOUT, 1, UINT64_MAX));
}

static void who_was_kept_from_the_cpu_has_six_times_as_long(void **state) {
        assert_false(process_time_is_over(TIMEOUT, 1, 0));
        assert_false(process_time_is_over(TIMEOUT, 1, TIMEOUT / 2 - 1));
        assert_false(process_time_is_over(TIMEOUT, 5, TIMEOUT / 2 - 1));
        assert_true(process_time_is_over(TIMEOUT, 6, 0));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(who_had_the_cpu_for_half_its_time_is_over),
                cmocka_unit_test(who_was_kept_from_the_cpu_has_six_times_as_long),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
