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

static int install_rules(CallFilterMode mode) {
        return call_filter_install(rules, N_ELEMENTS(rules), mode);
}

TEST(a_trap_names_the_call_and_ends_the_process) {
        assert_trap(install_rules);
}

TEST(a_mode_has_a_word) {
        CallFilterMode mode;

        assert_true(!call_filter_take("refuse", &mode) && mode == CALL_FILTER_REFUSE);
        assert_true(!call_filter_take("trap", &mode) && mode == CALL_FILTER_TRAP);
        assert_true(!call_filter_take("allow", &mode) && mode == CALL_FILTER_OFF);
        assert_non_null(call_filter_take("", &mode));
        assert_non_null(call_filter_take("trapped", &mode));
}
