/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Amounts in words: each in the unit that leaves 1 to 999 before the point, as it is printed. */

#include "util/amount.h"

#include "test.h"

TEST(a_time_has_the_unit_that_it_is_printed_as_one_of) {
        static const struct {
                double ns;
                const char *words;
        } rows[] = {
                { 0, "0 ns" },
                { 0.25, "250 ps" },
                { 1, "1 ns" },
                { 999.6, "999.6 ns" },
                { 999.96, "1 µs" },
                { -2500, "-2.5 µs" },
                { 1e7, "10 ms" },
                { 4e12, "4000 s" },
        };
        char words[AMOUNT_TEXT_MAX];

        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                assert_string_equal(amount_time(rows[i].ns, words), rows[i].words);
}

TEST(a_unit_has_a_name_in_ascii_too) {
        assert_ptr_equal(amount_time_named("us"), amount_time_named("µs"));
        assert_true(amount_time_named("ms")->ns == 1e6);
        assert_null(amount_time_named(""));
        assert_null(amount_time_named("min"));
}

TEST(bytes_have_the_largest_unit_of_which_there_is_one) {
        static const struct {
                uint64_t bytes;
                const char *words;
        } rows[] = {
                { 0, "0 bytes" },
                { 1023, "1023 bytes" },
                { 1024, "1 KiB" },
                { UINT64_C(8) << 20, "8 MiB" },
                { (UINT64_C(3) << 30) / 2, "1.5 GiB" },
                { UINT64_C(128) << 40, "128 TiB" },
                { UINT64_C(5000) << 40, "5000 TiB" },
        };
        char words[AMOUNT_TEXT_MAX];

        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                assert_string_equal(amount_bytes(rows[i].bytes, 4, words), rows[i].words);
        assert_string_equal(amount_bytes(67430813696, 3, words), "62.8 GiB");
        assert_string_equal(amount_bytes(1010 << 20, 3, words), "1010 MiB");
}
