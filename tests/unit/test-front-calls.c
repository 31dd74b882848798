/* SPDX-License-Identifier: GPL-3.0-or-later */

/* benchd makes no call that it does not need, and those that it needs succeed. */

#include "front/front-calls.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "forbidden.h"

static int limited_child(void) {
        return front_calls_limit(CALL_FILTER_REFUSE) ? 255 : forbidden_first_failure();
}

static void what_it_does_not_need_is_refused(void **state) {
        assert_forbidden(limited_child);
}

static int working_child(void) {
        pid_t helper;

        if (front_calls_limit(CALL_FILTER_REFUSE))
                return 1;
        if (socket(AF_UNIX, SOCK_DGRAM, 0) < 0 || open("/proc/self/status", O_RDONLY) < 0)
                return 2;
        if (mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
                return 3;
        helper = fork();
        if (helper == 0)
                _exit(0);
        return helper > 0 && waitpid(helper, NULL, 0) == helper ? 0 : 4;
}

static void what_it_needs_is_done(void **state) {
        int signal;

        assert_int_equal(in_child(working_child, &signal), 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(what_it_does_not_need_is_refused),
                cmocka_unit_test(what_it_needs_is_done),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
