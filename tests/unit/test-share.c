/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Users take up to the edge of their share and are refused beyond it; what one holds is nobody else's loss until all is taken;
 * and what a holder gives back can be taken again, to the last byte.
 */

#include "front/base/share.h"

#include "front/base/config.h"
#include "test.h"

#define ALICE   1000u
#define BOB     1001u
#define HOLDERS 64u

static Shares *shares;

static int set_up(void **state) {
        Config config;

        config_init(&config);
        config.clients = 12;
        config.clients_per_user = 8;
        config.clients_for_root = 0;
        assert_int_equal(shares_new(&config, &shares), 0);
        return 0;
}

static int tear_down(void **state) {
        assert_true(share_next_user(shares, (uid_t)-1) == (uid_t)-1); /* nobody holds anything */
        shares = shares_free(shares);
        return 0;
}

TEST(a_user_gets_a_share_and_nobody_nothing, set_up, tear_down) {
        ShareHold alice = {}, more = {}, bob = {};

        assert_int_equal(share_take(shares, ALICE, SHARE_CONNECTIONS, 8, &alice), 0);
        assert_int_equal(share_take(shares, ALICE, SHARE_CONNECTIONS, 1, &more), SHARE_E_USER_FULL);
        assert_int_equal(share_take(shares, BOB, SHARE_CONNECTIONS, 4, &bob), 0);
        assert_int_equal(share_take(shares, BOB, SHARE_CONNECTIONS, 1, &more), SHARE_E_FULL);
        assert_int_equal(share_take(shares, (uid_t)-1, SHARE_CONNECTIONS, 0, &more), SHARE_E_UNKNOWN_USER);
        assert_null(more.user);
        share_release(&alice);
        share_release(&alice); /* holds nothing any more */
        assert_int_equal(share_take(shares, BOB, SHARE_CONNECTIONS, 4, &more), 0);
        share_release(&more);
        share_release(&bob);
}

TEST(the_last_ones_are_roots) {
        ShareHold alice = {}, bob = {}, root = {}, more = {};
        Shares *with_root;
        Config config;

        config_init(&config);
        config.clients = 12;
        config.clients_per_user = 8;
        config.clients_for_root = 3;
        assert_int_equal(shares_new(&config, &with_root), 0);
        assert_int_equal(share_take(with_root, ALICE, SHARE_CONNECTIONS, 8, &alice), 0);
        assert_int_equal(share_take(with_root, BOB, SHARE_CONNECTIONS, 2, &more), SHARE_E_FULL);
        assert_int_equal(share_take(with_root, BOB, SHARE_CONNECTIONS, 1, &bob), 0);
        assert_int_equal(share_take(with_root, 0, SHARE_CONNECTIONS, 4, &more), SHARE_E_FULL);
        assert_int_equal(share_take(with_root, 0, SHARE_CONNECTIONS, 3, &root), 0);
        share_release(&alice);
        assert_int_equal(share_change(&root, 9), SHARE_E_USER_FULL);
        assert_int_equal(share_change(&root, 8), 0);
        assert_int_equal(share_change(&bob, 2), SHARE_E_FULL); /* root has those that are for all */
        share_release(&bob);
        share_release(&root);
        shares_free(with_root);
}

static Shares *shares_with_unread(uint64_t of_user, uint64_t of_all) {
        Shares *made;
        Config config;

        config_init(&config);
        config.unread_per_user_bytes = of_user;
        config.unread_bytes = of_all;
        assert_int_equal(shares_new(&config, &made), 0);
        return made;
}

TEST(replies_that_nobody_reads_leave_room_for_roots) {
        Shares *wide = shares_with_unread(800, 1600), *narrow = shares_with_unread(800, 800);
        ShareHold alice = {}, bob = {}, root = {}, alone = {};

        assert_int_equal(share_take(wide, ALICE, SHARE_UNREAD_BYTES, 800, &alice), 0);
        assert_int_equal(share_take(wide, BOB, SHARE_UNREAD_BYTES, 601, &bob), SHARE_E_FULL);
        assert_int_equal(share_take(wide, BOB, SHARE_UNREAD_BYTES, 600, &bob), 0);
        assert_int_equal(share_take(wide, 0, SHARE_UNREAD_BYTES, 200, &root), 0);
        assert_int_equal(share_take(narrow, ALICE, SHARE_UNREAD_BYTES, 800, &alone), 0); /* one user's part is whole */
        share_release(&alice);
        share_release(&bob);
        share_release(&root);
        share_release(&alone);
        shares_free(wide);
        shares_free(narrow);
}

TEST(one_kind_takes_nothing_from_another, set_up, tear_down) {
        ShareHold places = {}, bytes = {};

        assert_int_equal(share_take(shares, ALICE, SHARE_CONNECTIONS, 8, &places), 0);
        assert_int_equal(share_take(shares, ALICE, SHARE_UNREAD_BYTES, 8 << 20, &bytes), 0);
        assert_int_equal(share_held(shares, ALICE, SHARE_CONNECTIONS), 8);
        share_release(&places);
        assert_int_equal(share_held(shares, ALICE, SHARE_UNREAD_BYTES), 8 << 20);
        share_release(&bytes);
}

TEST(as_much_as_there_is_room_for_may_be_nothing, set_up, tear_down) {
        ShareHold alice[3] = {}, bob = {};

        assert_int_equal(share_take_some(shares, ALICE, SHARE_CONNECTIONS, 5, &alice[0]), 0);
        assert_int_equal(share_take_some(shares, ALICE, SHARE_CONNECTIONS, 5, &alice[1]), 0);
        assert_int_equal(share_take_some(shares, ALICE, SHARE_CONNECTIONS, 5, &alice[2]), 0);
        assert_int_equal(share_take_some(shares, BOB, SHARE_CONNECTIONS, 5, &bob), 0);
        assert_int_equal(alice[0].amount, 5);
        assert_int_equal(alice[1].amount, 3);
        assert_true(share_is_held(&alice[2]) && alice[2].amount == 0);
        assert_int_equal(bob.amount, 4);
        for (size_t i = 0; i < N_ELEMENTS(alice); i++)
                share_release(&alice[i]);
        share_release(&bob);
}

TEST(a_hold_is_split_and_each_part_is_given_back_by_itself, set_up, tear_down) {
        ShareHold whole = {}, part = {}, rest = {}, none = {};

        share_split(&whole, 1, &part);
        assert_false(share_is_held(&part));
        assert_int_equal(share_take(shares, ALICE, SHARE_CONNECTIONS, 7, &whole), 0);
        share_split(&whole, 3, &part);
        share_split(&whole, 9, &rest);
        share_split(&whole, 1, &none);
        assert_int_equal(part.amount, 3);
        assert_int_equal(rest.amount, 4);
        assert_int_equal(whole.amount + none.amount, 0);
        share_release(&whole);
        share_release(&none);
        assert_int_equal(share_held(shares, ALICE, SHARE_CONNECTIONS), 7);
        share_release(&part);
        assert_int_equal(share_held(shares, ALICE, SHARE_CONNECTIONS), 4);
        share_release(&rest);
        assert_int_equal(share_held(shares, ALICE, SHARE_CONNECTIONS), 0);
}

TEST(descriptors_are_as_many_as_the_jobs_have, set_up, tear_down) {
        Config config;

        config_init(&config);
        assert_int_equal(share_most(shares, SHARE_DESCRIPTORS), SHARE_JOB_DESCRIPTORS * config.jobs_per_user);
        assert_int_equal(share_most_by_all(shares, SHARE_DESCRIPTORS), SHARE_JOB_DESCRIPTORS * config.jobs);
}

TEST(a_hold_that_cannot_grow_stays_as_it_is, set_up, tear_down) {
        ShareHold hold = {};

        assert_int_equal(share_take(shares, ALICE, SHARE_CONNECTIONS, 3, &hold), 0);
        assert_int_equal(share_change(&hold, 9), SHARE_E_USER_FULL);
        assert_int_equal(share_change(&hold, UINT64_MAX), SHARE_E_USER_FULL);
        assert_int_equal(hold.amount, 3);
        assert_int_equal(share_change(&hold, 8), 0);
        assert_int_equal(share_change(&hold, 1), 0);
        assert_int_equal(share_held(shares, ALICE, SHARE_CONNECTIONS), 1);
        share_release(&hold);
}

/* Holders come, grow, shrink and go at random: the sums are those of the holds at each moment, and within the limits. */
TEST(the_sums_are_those_of_what_is_held, set_up, tear_down) {
        ShareHold holds[HOLDERS] = {};
        uid_t owners[HOLDERS] = {};

        seed_random();
        for (unsigned step = 0; step < 5000; step++) {
                const size_t which = random() % HOLDERS;
                ShareHold *hold = &holds[which];
                uint64_t sums[3] = {}, all = 0;

                if (!hold->user)
                        (void)share_take(shares, ALICE + (owners[which] = random() % 3), SHARE_CONNECTIONS,
                                        random() % 4, hold);
                else if (random() % 2)
                        (void)share_change(hold, random() % 10);
                else
                        share_release(hold);
                for (size_t i = 0; i < HOLDERS; i++) {
                        all += holds[i].amount;
                        for (uid_t user = 0; holds[i].user && user < 3; user++)
                                sums[user] += owners[i] == user ? holds[i].amount : 0;
                }
                assert_true(all <= 12);
                for (uid_t user = 0; user < 3; user++) {
                        assert_true(sums[user] <= 8);
                        assert_int_equal(share_held(shares, ALICE + user, SHARE_CONNECTIONS), sums[user]);
                }
        }
        for (size_t i = 0; i < HOLDERS; i++)
                share_release(&holds[i]);
}

TEST(users_are_told_in_order, set_up, tear_down) {
        ShareHold alice = {}, bob = {};

        assert_int_equal(share_take(shares, BOB, SHARE_JOBS, 1, &bob), 0);
        assert_int_equal(share_take(shares, ALICE, SHARE_JOBS, 1, &alice), 0);
        assert_int_equal(share_next_user(shares, (uid_t)-1), ALICE);
        assert_int_equal(share_next_user(shares, ALICE), BOB);
        assert_true(share_next_user(shares, BOB) == (uid_t)-1);
        share_release(&alice);
        share_release(&bob);
}
