/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * However the clock is set about and however often anybody asks, no more than a tenth of the jobs goes by its age in any day of that clock,
 * and with a clock that only goes on all that is old goes in the end.
 */

#include "front/history/aging.h"

#include "test.h"

#define HOUR_NS (UINT64_C(3600) * 1000000000)
#define DAY_NS  (24 * HOUR_NS)
#define NOW     (UINT64_C(20000) * DAY_NS)
#define DAYS    60u
#define SEED    20u

/* Lets as many of @n_jobs go as may, at most @most. Returns how many did. */
static uint64_t let_go(Aging *aging, uint64_t n_jobs, uint64_t most, uint64_t now_unix_ns) {
        uint64_t n = 0;

        while (n < most && n < n_jobs && aging_allows(aging, n_jobs - n, now_unix_ns)) {
                aging_note(aging, n_jobs - n, now_unix_ns);
                n++;
        }
        return n;
}

/* One or many at a time, hourly: in any 24 hours a tenth of what there was before them goes. */
TEST(no_day_takes_more_than_a_tenth) {
        static const uint64_t sizes[] = { 10, 19, 25, 100, 1234, 100000 };

        srandom(SEED);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                uint64_t n_jobs[24 * DAYS + 1] = { sizes[s] };
                Aging aging = {};

                for (size_t hour = 0; hour < 24 * DAYS; hour++) {
                        const uint64_t most = random() % 3 == 0 ? UINT64_MAX : (uint64_t)random() % 3;
                        const size_t day_before = hour >= 23 ? hour - 23 : 0;

                        n_jobs[hour + 1] = n_jobs[hour] - let_go(&aging, n_jobs[hour], most, NOW + hour * HOUR_NS);
                        if (n_jobs[day_before] >= 10)
                                assert_true(n_jobs[day_before] - n_jobs[hour + 1] <= n_jobs[day_before] / 10);
                }
                assert_true(n_jobs[24 * DAYS] < sizes[s]);
        }
}

/* One of n jobs, fewer than ten, goes in 10 / n days. */
TEST(of_less_than_ten_one_goes_in_so_many_days) {
        for (uint64_t n = 1; n < 10; n++) {
                Aging aging = {};

                assert_int_equal(let_go(&aging, n, 1, NOW), 1);
                assert_false(aging_allows(&aging, n, NOW + 10 * DAY_NS / n - 1));
                assert_true(aging_allows(&aging, n, NOW + 10 * DAY_NS / n));
        }
}

/* Neither direction gives more than one tenth, and the right clock is not kept waiting for years. */
TEST(a_clock_that_is_set_back_begins_a_day) {
        Aging aging = {};

        assert_int_equal(let_go(&aging, 100, UINT64_MAX, NOW + 1000 * DAY_NS), 10);
        assert_int_equal(let_go(&aging, 90, UINT64_MAX, NOW), 0);
        assert_int_equal(let_go(&aging, 90, UINT64_MAX, NOW + 23 * HOUR_NS), 0);
        assert_int_equal(let_go(&aging, 90, UINT64_MAX, NOW + 24 * HOUR_NS), 9);
}

TEST(a_history_that_shrank_has_the_tenth_of_what_is_left) {
        Aging aging = {};

        assert_int_equal(let_go(&aging, 10000, 1, NOW), 1);
        assert_int_equal(let_go(&aging, 50, UINT64_MAX, NOW + 1), 5);
}

TEST(age_is_the_time_to_the_newest) {
        assert_int_equal(aging_judge(NOW - 11, NOW, 10, NOW), AGING_OLD);
        assert_int_equal(aging_judge(NOW - 10, NOW, 10, NOW), AGING_YOUNG);
        assert_int_equal(aging_judge(NOW - 11, NOW - 2, 10, NOW), AGING_YOUNG);
        assert_int_equal(aging_judge(NOW + 1, NOW, 10, NOW), AGING_FUTURE);
        assert_int_equal(aging_judge(0, 5, 10, NOW), AGING_YOUNG); /* nothing is older than the clock */
}
