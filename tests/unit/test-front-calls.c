/* SPDX-License-Identifier: GPL-3.0-or-later */

/* benchd makes no call that it does not need, and those that it needs succeed. */

#include "front/front-calls.h"

#include "forbidden.h"

TEST(what_it_does_not_need_is_refused) {
        assert_forbidden_calls(front_calls_limit);
}

static int capset_child(void) {
        return front_calls_limit(CALL_FILTER_REFUSE) || syscall(SYS_capset, NULL, NULL) == 0 || errno != EPERM;
}

TEST(it_has_no_capability_that_it_could_give_up) {
        int signal;

        assert_int_equal(in_child(capset_child, &signal), 0);
}

TEST(what_it_needs_is_done) {
        assert_needed_calls(front_calls_limit);
}
