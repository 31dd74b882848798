/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Numbers as they are typed: what is one is read to its last digit, and what is none is not read in part. */

#include "lib/number.h"

#include "test.h"

static const char *const not_numbers[] = { "", " 1", "1 ", "+1", "-1", "0x1", "1,5", "one", "1e3", ".5", "1.", "1.2.3",
        "nan", "inf" };

TEST(what_is_no_number_is_not_read) {
        for (size_t i = 0; i < N_ELEMENTS(not_numbers); i++) {
                uint64_t whole = 77;
                double number = 77;

                assert_false(number_read_whole(not_numbers[i], &whole));
                assert_false(number_read_decimal(not_numbers[i], &number));
                assert_false(number_read_percent(not_numbers[i], &number));
                assert_true(whole == 77 && number == 77);
        }
}

TEST(whole_numbers_end_where_most_json_does) {
        uint64_t number;

        assert_true(number_read_whole("0", &number) && number == 0);
        assert_true(number_read_whole("007", &number) && number == 7);
        assert_true(number_read_whole("9223372036854775807", &number) && number == INT64_MAX);
        assert_false(number_read_whole("9223372036854775808", &number));
        assert_false(number_read_whole("99999999999999999999999", &number));
        assert_false(number_read_whole("1.5", &number));
}

TEST(decimals_have_a_point_and_may_be_as_many_as_they_are) {
        char digits[500];
        double number;

        assert_true(number_read_decimal("1.5", &number) && number == 1.5);
        assert_true(number_read_decimal("0.125", &number) && number == 0.125);
        assert_true(number_read_decimal("1000000000000", &number) && number == 1e12);
        memset(digits, '9', sizeof digits - 1);
        digits[sizeof digits - 1] = 0;
        assert_true(number_read_decimal(digits, &number) && isinf(number));
}

TEST(a_percent_sign_may_stand_behind_it_once) {
        double number;

        assert_true(number_read_percent("2.5%", &number) && number == 2.5);
        assert_true(number_read_percent("2.5", &number) && number == 2.5);
        assert_false(number_read_percent("%", &number));
        assert_false(number_read_percent("2%%", &number));
        assert_false(number_read_percent("00000000000000000000000000000001%", &number));
}

TEST(bytes_may_have_a_letter_for_a_power_of_1024) {
        static const char *const none[] = { "", "M", "1.5M", "-1M", "1MiB", "1MM", "8388608T", "9223372036854775808",
                "00000000000000000000000000000001" };
        uint64_t bytes;

        assert_true(number_read_bytes("0", &bytes) && bytes == 0);
        assert_true(number_read_bytes("123", &bytes) && bytes == 123);
        assert_true(number_read_bytes("3K", &bytes) && bytes == 3 << 10);
        assert_true(number_read_bytes("64M", &bytes) && bytes == 64 << 20);
        assert_true(number_read_bytes("64G", &bytes) && bytes == UINT64_C(64) << 30);
        assert_true(number_read_bytes("8388607T", &bytes) && bytes == UINT64_C(8388607) << 40);
        for (size_t i = 0; i < sizeof none / sizeof *none; i++)
                assert_false(number_read_bytes(none[i], &bytes));
}
