/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Precedence: who has used less of the loop goes first, use fades, and nobody is kept out for ever. */

#include "front/base/precedence.h"

#include "test.h"

#define MS UINT64_C(1000000)

TEST(who_has_used_more_comes_later) {
        Precedence precedence = {};

        assert_int_equal(precedence_rank(&precedence, 1, 0), 0);
        precedence_charge(&precedence, 1, 40 * MS, MS);
        precedence_charge(&precedence, 2, 2 * MS, MS);
        precedence_charge(&precedence, 3, MS / 2, MS);
        assert_true(precedence_rank(&precedence, 1, MS) > precedence_rank(&precedence, 2, MS));
        assert_true(precedence_rank(&precedence, 2, MS) > precedence_rank(&precedence, 3, MS));
        assert_int_equal(precedence_rank(&precedence, 3, MS), 0);
        assert_int_equal(precedence_rank(&precedence, 4, MS), 0);
}

TEST(a_rank_is_twice_the_use_of_the_one_before) {
        for (unsigned rank = 1; rank < PRECEDENCE_RANKS; rank++) {
                Precedence precedence = {};

                precedence_charge(&precedence, 7, (MS << (rank - 1)) - 1, 0);
                assert_int_equal(precedence_rank(&precedence, 7, 0), rank - 1);
                precedence_charge(&precedence, 7, 1, 0);
                assert_int_equal(precedence_rank(&precedence, 7, 0), rank);
        }
}

TEST(use_fades_by_half) {
        Precedence precedence = {};

        precedence_charge(&precedence, 7, 64 * MS, 5);
        assert_int_equal(precedence_rank(&precedence, 7, 5), 7);
        for (unsigned halves = 1; halves <= 7; halves++)
                assert_int_equal(precedence_rank(&precedence, 7, 5 + halves * PRECEDENCE_HALF_NS), 7 - halves);
        precedence_charge(&precedence, 7, 32 * MS, 5 + PRECEDENCE_HALF_NS);
        assert_int_equal(precedence_rank(&precedence, 7, 5 + PRECEDENCE_HALF_NS), 7);
}

TEST(all_that_there_is_to_use_is_the_last_rank) {
        Precedence precedence = {};

        for (unsigned i = 0; i < 10000; i++)
                precedence_charge(&precedence, 7, MS, i * MS);
        assert_int_equal(precedence_rank(&precedence, 7, 10000 * MS), PRECEDENCE_RANKS - 1);
        precedence_charge(&precedence, 7, UINT64_C(1) << 60, 10000 * MS);
        assert_int_equal(precedence_rank(&precedence, 7, 10000 * MS), PRECEDENCE_RANKS - 1);
}

/* Each turn goes to the first rank, to the user that has waited longest: as sd-event chooses. */
TEST(two_users_who_want_all_of_it_have_about_half_each) {
        uint64_t now_ns = 0, used_ns[2] = {}, last[2] = {};
        Precedence precedence = {};

        for (unsigned turn = 1; turn <= 4000; turn++) {
                unsigned ranks[2] = { precedence_rank(&precedence, 0, now_ns),
                        precedence_rank(&precedence, 1, now_ns) };
                unsigned who = ranks[0] != ranks[1] ? ranks[1] < ranks[0] : last[1] < last[0];
                uint64_t takes_ns = who == 0 ? 4 * MS : MS; /* of the first user each turn is longer */

                now_ns += takes_ns;
                precedence_charge(&precedence, who, takes_ns, now_ns);
                used_ns[who] += takes_ns;
                last[who] = turn;
        }
        assert_in_range(100 * used_ns[0] / (used_ns[0] + used_ns[1]), 33, 67);
}

TEST(where_there_are_too_many_who_has_used_least_is_forgotten) {
        Precedence precedence = {};

        precedence_charge(&precedence, 1000, 100 * MS, 0);
        for (uid_t uid = 0; uid < PRECEDENCE_USERS - 1; uid++)
                precedence_charge(&precedence, uid, 5 * MS, 0);
        precedence_charge(&precedence, 30, MS, 0);
        precedence_charge(&precedence, 2000, 50 * MS, 0);
        assert_int_equal(precedence_rank(&precedence, 1000, 0), 7);
        assert_int_equal(precedence_rank(&precedence, 2000, 0), 6);
        assert_int_equal(precedence_rank(&precedence, 30, 0), 3);
        assert_int_equal(precedence_rank(&precedence, 0, 0), 0);
}
