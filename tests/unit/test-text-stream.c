/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Text into memory: whole once it is closed, handed over once, and failing where memory runs out. */

#include "util/text-stream.h"

#include "test.h"

TEST(a_text_is_whole_once_it_is_closed) {
        _cleanup_(text_stream_clear) TextStream text = {};
        FILE *out = text_stream_open(&text);

        for (int i = 0; i < 4096; i++)
                fputs("ab", out);
        assert_int_equal(text_stream_close(&text), 0);
        assert_int_equal(text.n, 8192);
        assert_memory_equal(text.text + 8190, "ab", 3);
}

TEST(an_empty_text_is_a_text) {
        _cleanup_(text_stream_clear) TextStream text = {};
        _cleanup_(freep) char *taken = NULL;

        text_stream_open(&text);
        taken = text_stream_take(&text);
        assert_string_equal(taken, "");
        assert_null(text.text);
}

/* As after an open_memstream() that found no memory. */
TEST(a_text_without_memory_takes_nothing_and_fails) {
        TextStream text = {};
        FILE *out = text_stream_open(&text);

        text_stream_clear(&text);
        out = stdin;
        assert_true(fputs("x", out) < 0);
        assert_int_equal(text_stream_close(&text), -ENOMEM);
        assert_null(text_stream_take(&text));
}

TEST(an_open_text_is_cleared) {
        TextStream text = {};

        fputs("lost", text_stream_open(&text));
        text_stream_clear(&text);
        assert_null(text.out);
        assert_null(text.text);
}
