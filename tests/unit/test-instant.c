/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Points in time as they are typed and shown, in a zone with summer time: Central Europe, where 2026-03-29 has 23 hours.
 */

#include "ctl/base/instant.h"

#include "test.h"

/* date -u -d '2026-03-30 10:00' +%s, noon in Berlin */
#define NOW 1774864800

static int64_t parse(const char *text) {
        int64_t seconds = -1;

        if (instant_parse(text, NOW, &seconds) != 0)
                fail_msg("'%s' was refused", text);
        return seconds;
}

TEST(how_long_ago_counts_back_from_now) {
        assert_int_equal(parse("0s"), NOW);
        assert_int_equal(parse("90s"), NOW - 90);
        assert_int_equal(parse("5min"), NOW - 300);
        assert_int_equal(parse("2h"), NOW - 7200);
        assert_int_equal(parse("3d"), NOW - 3 * 86400);
        assert_int_equal(parse("1w"), NOW - 7 * 86400);
}

TEST(days_begin_at_the_midnights_of_the_calendar) {
        assert_int_equal(parse("today"), NOW - 12 * 3600);
        assert_int_equal(parse("yesterday"), NOW - (12 + 23) * 3600);
        assert_int_equal(parse("2026-03-30"), parse("today"));
        assert_int_equal(parse("2026-03-29"), parse("yesterday"));
}

TEST(a_date_is_that_of_the_readers_zone) {
        assert_int_equal(parse("2026-03-30 12:00"), NOW);
        assert_int_equal(parse("2026-03-30T12:00"), NOW);
        assert_int_equal(parse("2026-03-30 12:00:07"), NOW + 7);
        assert_int_equal(parse("2026-03-30T12:00:07"), NOW + 7);
        assert_int_equal(parse("2026-01-30 12:00"), 1769770800); /* date -u -d '2026-01-30 11:00' +%s */
}

TEST(what_is_no_point_in_time_is_refused) {
        static const char *const texts[] = { "", "h", "2", "2m", "2hh", "-2h", "2.5h", "tomorrow", "2026", "2026-02-30",
                "2026-13-01", "2026-03-30 25:00", "2026-03-30x", "30.3.2026", "99999999999999999999d" };
        int64_t seconds = 42;

        for (size_t i = 0; i < N_ELEMENTS(texts); i++)
                if (instant_parse(texts[i], NOW, &seconds) != INSTANT_E_MALFORMED)
                        fail_msg("'%s' was taken", texts[i]);
        assert_int_equal(seconds, 42);
}

TEST(an_instant_is_shown_in_the_readers_zone) {
        char text[INSTANT_TEXT_MAX] = "as it was";

        assert_true(instant_local("2026-03-30T10:00:07.123Z", "%Y-%m-%d %H:%M:%S", text));
        assert_string_equal(text, "2026-03-30 12:00:07");
        assert_true(instant_local("2026-01-30T23:30:00.000Z", "%Y-%m-%d %H:%M %Z", text));
        assert_string_equal(text, "2026-01-31 00:30 CET");
        assert_false(instant_local("yesterday", "%Y", text));
        assert_string_equal(text, "2026-01-31 00:30 CET");
}

static int choose_zone(void **state) {
        setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
        tzset();
        return 0;
}

TEST_FILE(choose_zone, NULL)
