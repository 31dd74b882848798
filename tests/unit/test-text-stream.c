/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Text into memory: whole once it is closed, handed over once, and failing where memory runs out.
 */

#include "util/text-stream.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "util/cleanup.h"

static void a_text_is_whole_once_it_is_closed(void **state) {
        _cleanup_(text_stream_clear) TextStream text = {};
        FILE *out = text_stream_open(&text);

        for (int i = 0; i < 4096; i++)
                fputs("ab", out);
        assert_int_equal(text_stream_close(&text), 0);
        assert_int_equal(text.n, 8192);
        assert_memory_equal(text.text + 8190, "ab", 3);
}

static void an_empty_text_is_a_text(void **state) {
        _cleanup_(text_stream_clear) TextStream text = {};
        _cleanup_(freep) char *taken = NULL;

        text_stream_open(&text);
        taken = text_stream_take(&text);
        assert_string_equal(taken, "");
        assert_null(text.text);
}

/* As after an open_memstream() that found no memory. */
static void a_text_without_memory_takes_nothing_and_fails(void **state) {
        TextStream text = {};
        FILE *out = text_stream_open(&text);

        text_stream_clear(&text);
        out = stdin;
        assert_true(fputs("x", out) < 0);
        assert_int_equal(text_stream_close(&text), -ENOMEM);
        assert_null(text_stream_take(&text));
}

static void an_open_text_is_cleared(void **state) {
        TextStream text = {};

        fputs("lost", text_stream_open(&text));
        text_stream_clear(&text);
        assert_null(text.out);
        assert_null(text.text);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_text_is_whole_once_it_is_closed),
                cmocka_unit_test(an_empty_text_is_a_text),
                cmocka_unit_test(a_text_without_memory_takes_nothing_and_fails),
                cmocka_unit_test(an_open_text_is_cleared),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
