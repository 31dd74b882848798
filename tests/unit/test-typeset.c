/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Text within a terminal: nothing is wider than was asked for, no character is cut in two, and no word is lost.
 */

#include "ctl/typeset.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/cleanup.h"

static char *wrapped(const char *text, size_t column, size_t indent, size_t width) {
        char *printed;
        size_t n;
        FILE *out = open_memstream(&printed, &n);

        assert_non_null(out);
        typeset_wrap(text, column, indent, width, out);
        fclose(out);
        return printed;
}

static char *shortened(const char *text, size_t width, size_t *ret_taken) {
        char *printed;
        size_t n;
        FILE *out = open_memstream(&printed, &n);

        assert_non_null(out);
        *ret_taken = typeset_print(text, width, out);
        fclose(out);
        return printed;
}

static void lines_break_between_words_at_the_width(void **state) {
        static const struct {
                const char *text;
                size_t column, indent, width;
                const char *expected;
        } rows[] = {
                { "one two three", 0, 0, 80, "one two three" },
                { "one two three", 0, 0, 7, "one two\nthree" },
                { "one two three", 4, 2, 7, "one\n  two\n  three" },
                { "one two three", 0, 0, 0, "one two three" },
                { "± 1 ± 2", 0, 0, 3, "± 1\n± 2" },
                { "a-word-that-is-too-long b", 0, 1, 6, "a-word\n -that\n -is-t\n oo-lo\n ng b" },
                { "", 0, 0, 6, "" },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                _cleanup_(freep) char *printed = wrapped(rows[i].text, rows[i].column, rows[i].indent, rows[i].width);

                assert_string_equal(printed, rows[i].expected);
        }
}

static void what_is_too_long_loses_its_middle(void **state) {
        static const char text[] = "memchr größe=16777216";

        for (size_t width = 1; width <= 30; width++) {
                size_t taken;
                _cleanup_(freep) char *printed = shortened(text, width, &taken);

                assert_int_equal(taken, typeset_width(printed));
                assert_int_equal(taken, width < typeset_width(text) ? width : typeset_width(text));
                assert_int_equal(printed[0], width == 1 ? (char)0xe2 : 'm');
                assert_true(width < 3 || printed[strlen(printed) - 1] == '6');
                assert_true((strstr(printed, "…") != NULL) == (width < typeset_width(text)));
        }
}

static void a_cut_is_between_two_characters(void **state) {
        char text[] = "µµµ";

        typeset_cut(text, 2);
        assert_string_equal(text, "µµ");
}

static void ascii_keeps_the_columns(void **state) {
        char text[] = "1.5 µs ± 2 % · 3 × 4 … ▁▂▃▄▅▆▇█ ß";
        const size_t width = typeset_width(text);

        typeset_to_ascii(text);
        assert_string_equal(text, "1.5 us ~ 2 % - 3 x 4 . .:-=+*#@ ?");
        assert_int_equal(strlen(text), width);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(lines_break_between_words_at_the_width),
                cmocka_unit_test(what_is_too_long_loses_its_middle),
                cmocka_unit_test(a_cut_is_between_two_characters),
                cmocka_unit_test(ascii_keeps_the_columns),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
