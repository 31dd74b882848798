/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The launcher makes no call that it does not need, and those that it needs succeed. */

#include "launch/launch-calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "forbidden.h"

static void what_it_does_not_need_is_refused(void **state) {
        assert_forbidden_calls(launch_calls_limit);
}

static void what_it_needs_is_done(void **state) {
        assert_needed_calls(launch_calls_limit);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(what_it_does_not_need_is_refused),
                cmocka_unit_test(what_it_needs_is_done),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
