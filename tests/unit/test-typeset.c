/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Text within a terminal: nothing is wider than was asked for, no character is cut in two, and no word is lost. */

#include "ctl/base/typeset.h"

#include "test.h"

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

TEST(lines_break_between_words_at_the_width) {
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

TEST(what_is_too_long_loses_its_middle) {
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

TEST(a_name_gives_way_to_the_words_after_it_and_then_the_line_breaks) {
        static const struct {
                size_t width;
                const char *expected;
        } rows[] = {
                { 80, "a/very/long/directory/bench.so: 4 benchmarks" },
                { 40, "a/very/long/d…ory/bench.so: 4 benchmarks" },
                { 24, "a/very…ch.so: 4\n  benchmarks" },
                { 0, "a/very/long/directory/bench.so: 4 benchmarks" },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                _cleanup_(freep) char *printed = NULL;
                size_t n;
                FILE *out = open_memstream(&printed, &n);

                typeset_headed("a/very/long/directory/bench.so", ": 4 benchmarks", rows[i].width, out);
                fclose(out);
                assert_string_equal(printed, rows[i].expected);
        }
}

TEST(a_cut_is_between_two_characters) {
        char text[] = "µµµ";

        typeset_cut(text, 2);
        assert_string_equal(text, "µµ");
}

TEST(ascii_keeps_the_columns) {
        char text[] = "1.5 µs ± 2 % · 3 × 4… 5 … 6 ▁▂▃▄▅▆▇█ ß";
        const size_t width = typeset_width(text);

        typeset_to_ascii(text);
        assert_string_equal(text, "1.5 us ~ 2 % - 3 x 4. 5 - 6 .:-=+*#@ ?");
        assert_int_equal(strlen(text), width);
}
