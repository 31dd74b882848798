/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Axes: each value has its place, and ticks stand at round values, in order, apart enough for their texts, in whatever unit.
 */

#include "ctl/show/plots/axis.h"

#include "random.h"

#define N_AXES 2000
#define GAP    12

static Axis axis_over(AxisKind kind, double low, double high, double n_places) {
        Axis axis = axis_new(kind, low, high);

        axis.to = n_places;
        return axis;
}

TEST(the_ends_are_the_first_and_the_last_place) {
        const Axis linear = axis_over(AXIS_TIMES, 2, 4, 100), downwards = { AXIS_TIMES, 2, 4, .from = 212, .to = 112 };
        const Axis logarithmic = axis_over(AXIS_LOG_NUMBERS, 1, 100, 100), point = axis_over(AXIS_TIMES, 5, 5, 10);

        assert_true(axis_place(&linear, 2) == 0 && axis_place(&downwards, 2) == 212);
        assert_true(axis_place(&linear, 3) == 50 && axis_place(&downwards, 3) == 162);
        assert_true(axis_place(&linear, 4) == 100 && axis_place(&downwards, 4) == 112);
        assert_true(axis_place(&linear, 5) == 150);
        assert_true(fabs(axis_place(&logarithmic, 10) - 50) < 1e-9);
        assert_true(fabs(axis_value(&logarithmic, 50) - 10) < 1e-9);
        assert_true(fabs(axis_place(&point, 5) - 5) < 1e-9);
}

/* The first significant digits of a round value are 1, 2 or 5, or it is a multiple of such a step. */
static bool is_round_step(double step) {
        const double digit = step / pow(10, floor(log10(step) + 1e-9));

        return fabs(digit - 1) < 1e-6 || fabs(digit - 2) < 1e-6 || fabs(digit - 5) < 1e-6;
}

/* The ticks of the dates from @low on over @seconds, joined by |. */
static const char *ticks_of_dates(double low, double seconds) {
        static char text[512];
        const Axis axis = axis_over(AXIS_DATES, low, low + seconds, 1000);
        size_t n = 0;
        AxisTicks ticks;

        axis_ticks(&axis, 200, &ticks);
        *text = '\0';
        for (size_t i = 0; i < ticks.n; i++)
                n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", i > 0 ? "|" : "", ticks.ticks[i].text);
        return text;
}

/* 1764283800 is 2025-11-27 22:50 UTC. */
TEST(dates_have_ticks_of_the_clock_and_the_calendar_and_repeat_no_date) {
        assert_int_equal(setenv("TZ", "UTC", 1), 0);
        tzset();
        assert_string_equal(ticks_of_dates(1764283800, 10),
                        "2025-11-27 22:50:00|22:50:02|22:50:04|22:50:06|22:50:08|22:50:10");
        assert_string_equal(ticks_of_dates(1764283800, 3 * 3600), "2025-11-27 23:00|11-28 00:00|01:00");
        assert_string_equal(ticks_of_dates(1764283800, 5 * 86400), "2025-11-28|11-29|11-30|12-01|12-02");
        assert_string_equal(ticks_of_dates(1764283800, 150 * 86400.), "2025-12-01|2026-01-01|02-01|03-01|04-01");
        assert_int_equal(setenv("TZ", "Europe/Berlin", 1), 0);
        tzset();
        assert_string_equal(ticks_of_dates(1764283800, 3 * 3600), "2025-11-28 00:00|01:00|02:00");
        assert_int_equal(setenv("TZ", "UTC", 1), 0);
        tzset();
}

TEST(every_axis_of_dates_has_ticks_in_order) {
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (int i = 0; i < N_AXES; i++) {
                const double low = gsl_ran_flat(random, 0, 4e9), width = pow(10, gsl_ran_flat(random, 1.5, 9));
                const Axis axis = axis_over(AXIS_DATES, low, low + width, 1000);
                AxisTicks ticks;

                axis_ticks(&axis, 150, &ticks);
                assert_true(ticks.n >= 1 && ticks.n <= 12);
                for (size_t k = 0; k < ticks.n; k++) {
                        assert_true(ticks.ticks[k].value >= axis.low && ticks.ticks[k].value <= axis.high);
                        assert_true(k == 0 || ticks.ticks[k].value > ticks.ticks[k - 1].value);
                        assert_true(*ticks.ticks[k].text != '\0');
                }
        }
}

TEST(times_have_round_ticks_apart_from_each_other) {
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (int i = 0; i < N_AXES; i++) {
                const double low = pow(10, gsl_ran_flat(random, -3, 11)),
                             width = low * pow(10, gsl_ran_flat(random, -4, 3));
                const Axis axis = axis_over(AXIS_TIMES, low, low + width, 40 + gsl_rng_uniform_int(random, 100));
                AxisTicks ticks;

                axis_ticks(&axis, GAP, &ticks);
                assert_true(ticks.n >= 1);
                for (size_t k = 1; k < ticks.n; k++) {
                        const double step = ticks.ticks[k].value - ticks.ticks[k - 1].value;

                        assert_true(axis_place(&axis, ticks.ticks[k].value) -
                                                        axis_place(&axis, ticks.ticks[k - 1].value) >=
                                        GAP - 1);
                        assert_true(width / low < 1e-3 || is_round_step(step));
                        assert_string_not_equal(ticks.ticks[k].text, ticks.ticks[k - 1].text);
                }
                assert_non_null(strpbrk(ticks.ticks[ticks.n - 1].text, "s"));
        }
}

TEST(decades_have_ticks_apart_from_each_other) {
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (int i = 0; i < N_AXES; i++) {
                const double low = pow(10, gsl_ran_flat(random, -2, 6));
                const Axis axis = axis_over(AXIS_LOG_NUMBERS, low, low * pow(10, gsl_ran_flat(random, 1, 9)),
                                40 + gsl_rng_uniform_int(random, 100));
                AxisTicks ticks;

                axis_ticks(&axis, GAP, &ticks);
                for (size_t k = 1; k < ticks.n; k++)
                        assert_true(axis_place(&axis, ticks.ticks[k].value) -
                                                        axis_place(&axis, ticks.ticks[k - 1].value) >=
                                        GAP * 3 / 4 - 1);
                for (size_t k = 0; k < ticks.n; k++)
                        assert_true(is_round_step(ticks.ticks[k].value));
        }
}

TEST(ticks_of_an_order_are_its_numbers_and_an_axis_without_a_length_has_none) {
        const Axis few = axis_over(AXIS_ORDER, 0, 3, 30), many = axis_over(AXIS_ORDER, 0, 12, 24);
        const Axis nothing = axis_over(AXIS_TIMES, 5, 6, 0), below = axis_over(AXIS_LOG_TIMES, 0, 5, 100);
        AxisTicks ticks;

        axis_ticks(&few, 4, &ticks);
        assert_int_equal(ticks.n, 3);
        assert_string_equal(ticks.ticks[2].text, "3");
        axis_ticks(&many, 4, &ticks);
        assert_int_equal(ticks.n, 7); /* 1, and every second */
        assert_string_equal(ticks.ticks[1].text, "2");
        assert_string_equal(ticks.ticks[6].text, "12");
        axis_ticks(&nothing, 28, &ticks);
        assert_int_equal(ticks.n, 0);
        axis_ticks(&below, 28, &ticks);
        assert_int_equal(ticks.n, 0);
}

TEST(one_is_among_the_ticks_of_ratios) {
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (int i = 0; i < N_AXES; i++) {
                const Axis axis = axis_over(AXIS_RATIOS, exp(-gsl_ran_exponential(random, 0.3) - 0.01),
                                exp(gsl_ran_exponential(random, 0.3) + 0.01), 60);
                bool found = false;
                AxisTicks ticks;

                axis_ticks(&axis, 8, &ticks);
                for (size_t k = 0; k < ticks.n; k++)
                        found |= fabs(ticks.ticks[k].value - 1) < 1e-9;
                assert_true(found);
        }
}
