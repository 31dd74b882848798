/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The standing of a job in the queue, in words. */

#include "ctl/model/standing.h"

#include <jansson.h>

#include "test.h"

TEST(it_is_said_for_how_long_and_for_whom) {
        static const struct {
                Standing standing;
                const char *words;
        } rows[] = {
                { { .known = true, .wait_ns = 11.4e9, .turns_before = 2 }, "about 12 s, after 2 others' turns" },
                { { .known = true, .wait_ns = 0, .turns_before = 1 }, "about 0 s, after 1 other's turn" },
                { { .turns_before = 1200 }, "time unknown, after 1,200 others' turns" },
                { { .known = true, .wait_ns = 180e9, .turns_before = 9, .own_before = 1 },
                                "about 3 min, after 1 of this user's jobs" },
                { { .known = true, .wait_ns = 7230e9, .turns_before = 9, .own_before = 2, .over_budget = true },
                                "about 2 h, after 2 of this user's jobs (core time used up)" },
                { { .known = true }, "next" },
        };
        char text[STANDING_TEXT_MAX];

        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                assert_string_equal(standing_words(&rows[i].standing, text), rows[i].words);
}

TEST(the_longest_words_fit_beside_what_was_done_on_a_line_of_80) {
        const Standing standing = { .known = true, .wait_ns = 59 * 60e9 + 59e9, .own_before = 7, .turns_before = 99 };
        char text[STANDING_TEXT_MAX];

        assert_true(strlen("process 10 of 20 - waiting: ") + strlen(standing_words(&standing, text)) < 80);
}

TEST(what_nobody_knows_is_null_and_what_does_not_wait_is_missing) {
        json_t *json = json_pack("{s:n, s:i, s:i, s:b}", "wait_ns", "turns_before", 3, "own_before", 1, "over_budget",
                        1);
        Standing standing;

        assert_true(standing_read(json, &standing));
        assert_false(standing.known);
        assert_int_equal(standing.turns_before, 3);
        assert_int_equal(standing.own_before, 1);
        assert_true(standing.over_budget);
        assert_false(standing_read(NULL, &standing));
        json_decref(json);
}
