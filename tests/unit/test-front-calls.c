/* SPDX-License-Identifier: GPL-3.0-or-later */

/* benchd makes no call that it does not need, and those that it needs succeed. */

#include "front/front-calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "forbidden.h"

static void what_it_does_not_need_is_refused(void **state) {
        assert_forbidden_calls(front_calls_limit);
}

static int capset_child(void) {
        return front_calls_limit(CALL_FILTER_REFUSE) || syscall(SYS_capset, NULL, NULL) == 0 || errno != EPERM;
}

static void it_has_no_capability_that_it_could_give_up(void **state) {
        int signal;

        assert_int_equal(in_child(capset_child, &signal), 0);
}

static void what_it_needs_is_done(void **state) {
        assert_needed_calls(front_calls_limit);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(what_it_does_not_need_is_refused),
                cmocka_unit_test(it_has_no_capability_that_it_could_give_up),
                cmocka_unit_test(what_it_needs_is_done),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
