/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Lists of users and groups: which are one, whom they name, and who is at the other end of a socket. */

#include "front/base/allow-list.h"

#include "test.h"

static char unknown[256];

static void note_unknown(void *context, const char *name) {
        strcat(unknown, name);
        strcat(unknown, ";");
}

TEST(a_list_has_names_with_commas_between) {
        static const char *const good[] = { "root", "alice,bob", "alice, @wheel", "@bench", "a-b_c.d$" };
        static const char *const bad[] = { "", ",", "@", "a b/c", "alice;bob", "-x", "../x", "a\nb" };

        for (size_t i = 0; i < N_ELEMENTS(good); i++)
                assert_true(allow_list_is_valid(good[i]));
        for (size_t i = 0; i < N_ELEMENTS(bad); i++)
                assert_false(allow_list_is_valid(bad[i]));
}

TEST(a_name_that_nobody_has_is_told_and_names_nobody) {
        const AllowPeer peer = { .uid = 0, .groups = { 0 }, .n_groups = 1 };
        AllowList who;

        unknown[0] = 0;
        allow_list_init(&who, "nobody-of-this-name, @no-group-of-this-name", note_unknown, NULL);
        assert_string_equal(unknown, "nobody-of-this-name;@no-group-of-this-name;");
        assert_false(allow_list_has(&who, &peer));
}

TEST(a_user_is_named_by_the_own_name_and_a_group_by_one_of_its_members_groups) {
        const AllowPeer root = { .uid = 0, .groups = { 99 }, .n_groups = 1 };
        const AllowPeer member = { .uid = 98, .groups = { 97, 0 }, .n_groups = 2 };
        AllowList who;

        unknown[0] = 0;
        allow_list_init(&who, "root", note_unknown, NULL);
        assert_true(allow_list_has(&who, &root));
        assert_false(allow_list_has(&who, &member));
        allow_list_init(&who, "@root", note_unknown, NULL);
        assert_false(allow_list_has(&who, &root));
        assert_true(allow_list_has(&who, &member));
        assert_string_equal(unknown, "");
}

TEST(the_kernel_tells_who_is_at_the_other_end) {
        int sockets[2];
        AllowPeer peer;

        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
        assert_int_equal(allow_list_read_peer(sockets[0], &peer), 0);
        assert_int_equal(peer.pid, getpid());
        assert_int_equal(peer.uid, geteuid());
        assert_int_equal(peer.groups[0], getegid());
        close(sockets[0]);
        close(sockets[1]);
}
