/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "launch/base/identity.h"

#include "test.h"

static const Identities installed = {
        .privileged = true,
        .front = { .uid = 990, .gid = 990 },
        .run = { .uid = 991, .gid = 991 },
};

static const Identities of_a_user = {
        .own = { .uid = 1000, .gid = 1000 },
        .front = { .uid = 1000, .gid = 1000 },
        .run = { .uid = 1000, .gid = 1000 },
};

static SocketPeer peer_of(uid_t uid, gid_t gid) {
        SocketPeer peer = SOCKET_PEER_NULL;

        peer.uid = uid;
        peer.gid = gid;
        return peer;
}

TEST(a_client_runs_as_itself_with_its_groups_but_roots) {
        SocketPeer peer = peer_of(1000, 1001);
        Identity identity;

        peer.groups[peer.n_groups++] = 27;
        peer.groups[peer.n_groups++] = 0;
        peer.groups[peer.n_groups++] = 100;
        assert_int_equal(identities_map(&installed, &peer, &identity), 0);
        assert_int_equal(identity.uid, 1000);
        assert_int_equal(identity.gid, 1001);
        assert_int_equal(identity.n_groups, 2);
        assert_int_equal(identity.groups[0], 27);
        assert_int_equal(identity.groups[1], 100);
}

TEST(nothing_ever_runs_as_root) {
        static const struct {
                uid_t uid;
                gid_t gid;
        } roots[] = { { 0, 0 }, { 0, 1000 }, { 1000, 0 } };
        Identity identity;

        for (size_t i = 0; i < 3; i++) {
                SocketPeer peer = peer_of(roots[i].uid, roots[i].gid);

                assert_int_equal(identities_map(&installed, &peer, &identity), 0);
                assert_int_equal(identity.uid, 991);
                assert_int_equal(identity.gid, 991);
                assert_int_equal(identity.n_groups, 0);
        }
}

TEST(nobody_the_unknown_and_the_front_end_are_refused) {
        static const uid_t refused[] = { (uid_t)-1, 65534, 990 };
        Identity identity = IDENTITY_NULL;

        for (size_t i = 0; i < 3; i++) {
                SocketPeer peer = peer_of(refused[i], refused[i]);

                assert_int_equal(identities_map(&installed, &peer, &identity), IDENTITY_E_REFUSED);
                assert_int_equal(identity.uid, (uid_t)-1);
        }
}

TEST(a_peer_that_was_never_read_is_refused) {
        SocketPeer peer = SOCKET_PEER_NULL;
        Identity identity;

        assert_int_equal(identities_map(&installed, &peer, &identity), IDENTITY_E_REFUSED);
        assert_int_equal(identities_map(&of_a_user, &peer, &identity), IDENTITY_E_REFUSED);
}

TEST(an_unprivileged_launcher_serves_only_its_own_user) {
        SocketPeer own = peer_of(1000, 1000), other = peer_of(1001, 1001), root = peer_of(0, 0);
        Identity identity;

        assert_int_equal(identities_map(&of_a_user, &own, &identity), 0);
        assert_int_equal(identity.uid, 1000);
        assert_int_equal(identities_map(&of_a_user, &other, &identity), IDENTITY_E_REFUSED);
        assert_int_equal(identities_map(&of_a_user, &root, &identity), IDENTITY_E_REFUSED);
}
