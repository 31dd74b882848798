/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Looks of the launcher: each serves all who asked before it began, and who asks without end gets LOOKS_PER_S of them.
 */

#include "front/clients/looks.h"

#include "test.h"

#define S     UINT64_C(1000000000)
#define APART (S / LOOKS_PER_S)

/* As many as may begin from @now_ns on without a wait. */
static unsigned begin_all(Looks *looks, uint64_t now_ns) {
        unsigned n = 0;

        for (; looks_wait_ns(looks, now_ns) == 0; n++)
                looks_note(looks, now_ns);
        return n;
}

TEST(some_begin_as_they_are_asked_for) {
        Looks looks = {};

        assert_int_equal(begin_all(&looks, 5 * S), LOOKS_AT_ONCE);
        assert_int_equal(looks_wait_ns(&looks, 5 * S), APART);
        assert_int_equal(looks_wait_ns(&looks, 5 * S + 1), APART - 1);
        assert_int_equal(looks_wait_ns(&looks, 5 * S + APART), 0);
        assert_int_equal(looks.n_begun, LOOKS_AT_ONCE);
}

TEST(a_flood_gets_so_many_a_second) {
        Looks looks = {};
        unsigned n = 0;

        for (uint64_t now_ns = 0; now_ns < 10 * S; now_ns += APART / 7)
                n += begin_all(&looks, now_ns);
        assert_in_range(n, 10 * LOOKS_PER_S + LOOKS_AT_ONCE - 1, 10 * LOOKS_PER_S + LOOKS_AT_ONCE);
}

TEST(who_asks_seldom_never_waits) {
        Looks looks = {};

        for (uint64_t now_ns = 0; now_ns < 10 * S; now_ns += APART) {
                assert_int_equal(looks_wait_ns(&looks, now_ns), 0);
                looks_note(&looks, now_ns);
        }
}

TEST(after_a_rest_as_many_begin_as_at_first) {
        Looks looks = {};

        begin_all(&looks, S);
        assert_int_equal(begin_all(&looks, S + APART), 1);
        assert_int_equal(begin_all(&looks, 100 * S), LOOKS_AT_ONCE);
}

TEST(one_that_takes_long_is_late) {
        Looks looks = {};

        assert_false(looks_is_late(&looks, 100 * S, S));
        looks_note(&looks, 7 * S);
        assert_false(looks_is_late(&looks, 8 * S - 1, S));
        assert_true(looks_is_late(&looks, 8 * S, S));
        looks.n_done = looks.n_begun;
        assert_false(looks_is_late(&looks, 100 * S, S));
}
