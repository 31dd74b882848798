/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/base/last-lines.h"

#include "test.h"

TEST(the_last_lines_are_printed_and_those_before_them_counted) {
        static const char *const rows[][2] = {
                { "", "" },
                { "\n\n", "" },
                { "one", "> one\n" },
                { "one\n", "> one\n" },
                { "one  \n\nthree\n\n", "> one\n>\n> three\n" },
                { "1\n2\n3\n4\n5\n", "> 1\n> 2\n> 3\n> 4\n> 5\n" },
                { "1\n2\n3\n4\n5\n6\n", "> … 1 line before\n> 2\n> 3\n> 4\n> 5\n> 6\n" },
                { "1\n2\n3\n4\n5\n6\n7", "> … 2 lines before\n> 3\n> 4\n> 5\n> 6\n> 7\n" },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                _cleanup_(freep) char *text = NULL;
                FILE *stream;
                size_t n;

                stream = open_memstream(&text, &n);
                last_lines_print(rows[i][0], 5, "> ", stream);
                fclose(stream);
                assert_string_equal(text, rows[i][1]);
        }
}
