/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Markdown: text stands for itself wherever it would be more, and is left alone elsewhere. */

#include "ctl/model/markdown.h"

#include "test.h"

TEST(only_what_would_be_more_is_escaped) {
        static const char *const texts[][2] = {
                { "memchr n=16", "memchr n=16" },
                { "qsort_int", "qsort_int" },
                { "_x__y_", "\\_x\\_\\_y\\_" },
                { "a|b", "a\\|b" },
                { "<b>`x`</b>", "\\<b\\>\\`x\\`\\</b\\>" },
                { "[x](y)", "\\[x\\](y)" },
                { "R&D &amp; &#64; &", "R\\&D \\&amp; \\&#64; &" },
                { "# 1 #", "\\# 1 #" },
                { "± 0.42 %, 2 µs", "± 0.42 %, 2 µs" },
                { "-12.00 ps", "-12.00 ps" },
        };

        for (size_t i = 0; i < N_ELEMENTS(texts); i++) {
                _cleanup_(freep) char *text = NULL;
                size_t n;
                FILE *out = open_memstream(&text, &n);

                assert_non_null(out);
                markdown_print(texts[i][0], strlen(texts[i][0]), out);
                fclose(out);
                assert_string_equal(text, texts[i][1]);
        }
}

TEST(no_byte_beyond_the_end_is_read) {
        _cleanup_(freep) char *text = NULL;
        size_t n;
        FILE *out = open_memstream(&text, &n);

        assert_non_null(out);
        markdown_print("a_b", 2, out);
        fclose(out);
        assert_string_equal(text, "a\\_");
}
