/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Numbers as people read them. */

#include "ctl/base/unit.h"

#include "test.h"

static char text[UNIT_TEXT_MAX];

/* Times stand in the unit that leaves 1 to 999, numbers have four digits or all before the point, counts are exact. */
TEST(numbers_are_written_as_people_read_them) {
        static const struct {
                const char *(*write)(double value, char text[static UNIT_TEXT_MAX]);
                double value;
                const char *text;
        } rows[] = {
                { unit_time, 0, "0 ns" },
                { unit_time, 1.5e-3, "1.500 ps" },
                { unit_time, -2e-13, "-2.000e-10 ps" },
                { unit_time, 0.734, "734.0 ps" },
                { unit_time, 1, "1.000 ns" },
                { unit_time, 9.9994, "9.999 ns" },
                { unit_time, 9.9996, "10.00 ns" },
                { unit_time, 12.345, "12.35 ns" },
                { unit_time, 999.94, "999.9 ns" },
                { unit_time, 999.96, "1.000 µs" },
                { unit_time, 1234, "1.234 µs" },
                { unit_time, 999949, "999.9 µs" },
                { unit_time, 999951, "1.000 ms" },
                { unit_time, 1.5e9, "1.500 s" },
                { unit_time, 123456e9, "123,500 s" },
                { unit_time, -2.5, "-2.500 ns" },
                { unit_time, -1234, "-1.234 µs" },
                { unit_time, 1e3, "1.000 µs" },
                { unit_time, 0.99996, "1.000 ns" },
                { unit_number, 0, "0" },
                { unit_number, 1, "1.000" },
                { unit_number, 12.345, "12.35" },
                { unit_number, 1234.4, "1,234" },
                { unit_number, 123456, "123,500" },
                { unit_number, 1234567, "1,235,000" },
                { unit_number, -1234567, "-1,235,000" },
                { unit_number, 0.0123456, "0.01235" },
                { unit_share, 0, "0 %" },
                { unit_share, 0.00005, "<0.01 %" },
                { unit_share, 0.0042, "0.42 %" },
                { unit_share, 0.00016, "0.016 %" },
                { unit_share, 0.0123, "1.2 %" },
                { unit_share, 0.123, "12 %" },
                { unit_share, 1, "100 %" },
                { unit_share, 1.5, "150 %" },
                { unit_count, 0, "0" },
                { unit_count, 999, "999" },
                { unit_count, 1000, "1,000" },
                { unit_count, 1048576, "1,048,576" },
                { unit_count, 0x1p64, "18,446,744,073,709,551,616" },
                { unit_count, -12288, "-12,288" },
                { unit_count, 1e300, "1.000e+300" },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                assert_string_equal(rows[i].write(rows[i].value, text), rows[i].text);
}

/* Whatever the time: four significant digits, so it reads back within half a unit of the fourth. */
TEST(times_read_back_within_their_last_digit) {
        static const struct {
                const char *name;
                double size;
        } units[] = { { "ps", 1e-3 }, { "ns", 1 }, { "µs", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
        unsigned seed = 20;

        print_message("seed %u\n", seed);
        for (unsigned i = 0; i < 20000; i++) {
                double ns = pow(10, -3 + 14 * (double)rand_r(&seed) / RAND_MAX), back = 0, number;
                char *unit;

                number = strtod(unit_time(ns, text), &unit);
                assert_true(number >= 1 && number < 1000);
                for (size_t j = 0; j < N_ELEMENTS(units); j++)
                        if (strcmp(unit + 1, units[j].name) == 0)
                                back = number * units[j].size;
                assert_true(fabs(back - ns) <= 0.00051 * ns);
        }
}

TEST(amounts_have_a_prefix) {
        assert_string_equal(unit_amount(1.234e9, "B/s", text), "1.234 GB/s");
        assert_string_equal(unit_amount(999.96, "/s", text), "1.000 k/s");
        assert_string_equal(unit_amount(12, "/s", text), "12.00 /s");
}

TEST(two_times_share_the_unit_of_the_larger) {
        assert_string_equal(unit_time_range_in(NULL, 741000, 2064000, text), "0.741 … 2.06 ms");
        assert_string_equal(unit_time_range_in(NULL, 1.5, 9.994, text), "1.50 … 9.99 ns");
        assert_string_equal(unit_time_range_in(NULL, 6.16, 22.4e9, text), "6.16 ns … 22.4 s");
}

TEST(values_side_by_side_have_the_digits_that_their_difference_needs) {
        assert_string_equal(unit_range(355.05, 355.25, text), "355.05 … 355.25");
        assert_string_equal(unit_range(-1, 1.5, text), "-1.00 … 1.50");
        assert_string_equal(unit_range(1.2345678, 1.2345679, text), "1.234567800 … 1.234567900");
        assert_string_equal(unit_range(3, 3, text), "3.00 … 3.00");
        assert_string_equal(unit_time_range_in(NULL, 355.05, 355.25, text), "355.05 … 355.25 ns");
        assert_string_equal(unit_time_range_in(unit_find_time("ns"), 22400123, 22400223, text),
                        "22,400,123 … 22,400,223 ns");
        assert_string_equal(unit_time_within(NULL, 12.351234, 0.0003, text), "12.3512 ns");
        assert_string_equal(unit_time_within(NULL, 12.351234, 3, text), "12.35 ns");
        assert_string_equal(unit_time_within(NULL, 12.351234, 0, text), "12.35 ns");
        assert_string_equal(unit_time_within(NULL, 12.351234, NAN, text), "12.35 ns");
}

TEST(in_one_unit_the_smallest_time_keeps_its_digits) {
        static const struct {
                const char *unit;
                double ns;
                const char *text;
        } cases[] = {
                { "us", 0.734, "0.0007340 µs" },
                { "us", 12.345, "0.01235 µs" },
                { "us", 999.96, "1.000 µs" },
                { "us", 1234567.8, "1,235 µs" },
                { "us", 1.5e9, "1,500,000 µs" },
                { "us", 0, "0 µs" },
                { "us", -2.5, "-0.002500 µs" },
                { "ns", 1.5e9, "1,500,000,000 ns" },
                { "ns", 1.5e-3, "0.001500 ns" },
                { "ms", 0.734, "7.340e-07 ms" },
                { "ms", 1234, "0.001234 ms" },
                { "s", 1234, "0.000001234 s" },
                { "s", 61.2e9, "61.20 s" },
                { "µs", 1234, "1.234 µs" },
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++)
                assert_string_equal(unit_time_in(unit_find_time(cases[i].unit), cases[i].ns, text), cases[i].text);
        assert_string_equal(unit_time_in(NULL, 1234, text), "1.234 µs");
        assert_string_equal(unit_time_range_in(unit_find_time("us"), 6.16, 22.4e9, text), "0.00616 … 22,400,000 µs");
        assert_string_equal(unit_time_range_in(unit_find_time("s"), 741000, 2064000, text), "0.000741 … 0.00206 s");
}

/* Whatever the time and the unit: four significant digits. */
TEST(times_in_any_unit_read_back_within_their_last_digit) {
        static const struct {
                const char *name;
                double size;
        } units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
        unsigned seed = 21;
        char plain[UNIT_TEXT_MAX];

        print_message("seed %u\n", seed);
        for (unsigned i = 0; i < 20000; i++) {
                const double ns = pow(10, -3 + 14 * (double)rand_r(&seed) / RAND_MAX);
                const size_t of = i % N_ELEMENTS(units);
                size_t n = 0;

                unit_time_in(unit_find_time(units[of].name), ns, text);
                for (const char *c = text; *c; c++)
                        if (*c != ',')
                                plain[n++] = *c;
                plain[n] = '\0';
                assert_true(fabs(strtod(plain, NULL) * units[of].size - ns) <= 0.00051 * ns);
        }
}

TEST(only_the_names_of_units_name_one) {
        static const char *const words[] = { "", "ps", "u", "µ", "Ms", "sec", "min", "auto", "us " };

        for (size_t i = 0; i < N_ELEMENTS(words); i++)
                assert_null(unit_find_time(words[i]));
        assert_string_equal(unit_find_time("µs")->typed, "us");
        assert_true(unit_find_time("ms")->ns == 1e6);
}

TEST(a_number_has_the_digits_that_its_error_leaves) {
        static const struct {
                double value, error;
                const char *expected;
        } rows[] = {
                { 1.32514, 0.0013, "1.3251" },
                { 128.7302, 27, "129" },
                { 1.02, 0.099, "1.020" },
                { 0.98, 0.0996, "0.98" },
                { 1.00001, 0, "1.000" },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                assert_string_equal(unit_to_error(rows[i].value, rows[i].error, text), rows[i].expected);
}

TEST(waits_are_in_two_units_rounded_up) {
        static const struct {
                double s;
                const char *text;
        } cases[] = {
                { 0, "0 s" },
                { 0.001, "1 s" },
                { 41, "41 s" },
                { 60, "1 min" },
                { 125, "2 min 5 s" },
                { 3600, "1 h" },
                { 11220, "3 h 7 min" },
                { 90000, "1 d 1 h" },
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++)
                assert_string_equal(unit_wait(cases[i].s * 1e9, text), cases[i].text);
}

TEST(whatever_the_number_the_text_ends_within_its_room) {
        static const double numbers[] = { 1e300, -1e300, 1e-300, INFINITY, -INFINITY, NAN };

        for (size_t i = 0; i < N_ELEMENTS(numbers); i++) {
                assert_true(strlen(unit_time(numbers[i], text)) < UNIT_TEXT_MAX);
                assert_true(strlen(unit_count(numbers[i], text)) < UNIT_TEXT_MAX);
                assert_true(strlen(unit_wait(numbers[i], text)) < UNIT_TEXT_MAX);
                assert_true(strlen(unit_number(numbers[i], text)) < UNIT_TEXT_MAX);
                assert_true(strlen(unit_share(numbers[i], text)) < UNIT_TEXT_MAX);
                assert_true(strlen(unit_amount(numbers[i], "B/s", text)) < UNIT_TEXT_MAX);
        }
}
