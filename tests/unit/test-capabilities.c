/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The launcher makes no call that it does not need, and those that it needs succeed. */

#include "launch/base/capabilities.h"

#include "forbidden.h"

TEST(what_it_does_not_need_is_refused) {
        assert_forbidden_calls(capabilities_limit_calls);
}

TEST(what_it_needs_is_done) {
        assert_needed_calls(capabilities_limit_calls);
}
