/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "machine/file-value.h"

#include "test.h"

TEST(values_are_equal_when_they_mean_the_same) {
        static const struct {
                FileValueKind kind;
                const char *a, *b;
                bool equal;
        } cases[] = {
                { FILE_VALUE_WORD, "performance", "performance", true },
                { FILE_VALUE_WORD, "1", "01", false },
                { FILE_VALUE_NUMBER, "1", "01", true },
                { FILE_VALUE_NUMBER, "0x1ff", "511", true },
                { FILE_VALUE_NUMBER, "3600000", "3500000", false },
                { FILE_VALUE_NUMBER, "n/a", "0", false },
                { FILE_VALUE_NUMBER, "", "0", false },
                { FILE_VALUE_NUMBER, "1", "1x", false },
                { FILE_VALUE_LIST, "0-3", "0,1,2,3", true },
                { FILE_VALUE_LIST, "0-3", "0-2", false },
                { FILE_VALUE_LIST, "?", "?", true },
                { FILE_VALUE_MASK, "1", "00000000,00000001", true },
                { FILE_VALUE_MASK, "1", "2", false },
                { FILE_VALUE_MASK, "1", "?", false },
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                print_message("%s %s\n", cases[i].a, cases[i].b);
                assert_int_equal(file_value_equal(cases[i].kind, cases[i].a, cases[i].b), cases[i].equal);
                assert_int_equal(file_value_equal(cases[i].kind, cases[i].b, cases[i].a), cases[i].equal);
        }
}
