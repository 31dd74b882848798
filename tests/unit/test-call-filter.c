/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A call is made if a rule lists it, with the arguments that the rule wants; else it gets an error, or ends who makes it. */

#include "ops/call-filter.h"

#include "forbidden.h"

static const CallRule rules[] = {
        { SYS_personality },
        { SYS_socket, 0, UINT32_MAX, AF_INET },
        { SYS_chmod, 1, 0700, 0 },
};

static int listed_child(void) {
        if (call_filter_install(rules, N_ELEMENTS(rules), CALL_FILTER_REFUSE))
                return 1;
        if (syscall(SYS_personality, 0xffffffff) < 0)
                return 2;
        if (socket(AF_INET, SOCK_DGRAM, 0) < 0 || socket(AF_UNIX, SOCK_DGRAM, 0) < 0)
                return 3;
        if (socket(AF_INET6, SOCK_DGRAM, 0) >= 0 || errno != EPERM)
                return 4;
        if (syscall(SYS_chmod, "/nowhere/file", 0077) >= 0 || errno != ENOENT)
                return 5;
        if (syscall(SYS_chmod, "/nowhere/file", 0177) >= 0 || errno != EPERM)
                return 6;
        return syscall(SYS_chroot, "/") >= 0 || errno != EPERM ? 7 : 0;
}

TEST(a_rule_is_of_a_call_and_of_bits_of_an_argument) {
        int signal;

        assert_int_equal(in_child(listed_child, &signal), 0);
}

static int open_child(void) {
        if (call_filter_install(rules, N_ELEMENTS(rules), CALL_FILTER_OFF))
                return 1;
        return syscall(SYS_keyctl, -1) >= 0 || errno == EPERM ? 2 : 0;
}

TEST(without_a_filter_every_call_is_made) {
        int signal;

        assert_int_equal(in_child(open_child, &signal), 0);
}

static int trapped[2];

static int trapped_child(void) {
        dup2(trapped[1], STDERR_FILENO);
        if (call_filter_install(rules, N_ELEMENTS(rules), CALL_FILTER_TRAP))
                return 1;
        syscall(SYS_keyctl, -1);
        return 0;
}

TEST(a_trap_names_the_call_and_ends_the_process) {
        char text[128] = "";
        int signal;

        assert_int_equal(pipe(trapped), 0);
        assert_int_equal(in_child(trapped_child, &signal), -1);
        assert_int_equal(signal, SIGABRT);
        close(trapped[1]);
        assert_true(read(trapped[0], text, sizeof text - 1) > 0);
        assert_string_equal(text, "system call .250 is not in the filter\n");
        close(trapped[0]);
}

TEST(a_mode_has_a_word) {
        CallFilterMode mode;

        assert_true(!call_filter_take("refuse", &mode) && mode == CALL_FILTER_REFUSE);
        assert_true(!call_filter_take("trap", &mode) && mode == CALL_FILTER_TRAP);
        assert_true(!call_filter_take("allow", &mode) && mode == CALL_FILTER_OFF);
        assert_non_null(call_filter_take("", &mode));
        assert_non_null(call_filter_take("trapped", &mode));
}
