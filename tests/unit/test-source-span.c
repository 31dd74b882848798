/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A benchmark's lines in its source: with the comment before it, to the brace that closes it, whatever hides in comments and literals.
 */

#include "ctl/ask/source-span.h"

#include "test.h"

typedef struct Case {
        const char *text;
        size_t line;
        size_t first;
        size_t last;
} Case;

static const Case cases[] = {
        { "BENCH(a) { }\nBENCH(b) { }\n", 1, 1, 1 },
        { "BENCH(a) { }\nBENCH(b) { }\n", 2, 2, 2 },
        { "\nBENCH(a)\n{\n        if (x) {\n        }\n}\nint after;\n", 2, 2, 6 },
        { "/* about a */\nBENCH(a)\n{\n}\n", 2, 1, 4 },
        { "int x; /* not it */\n\nBENCH(a) {\n}\n", 3, 3, 4 },
        { "int x; /* of x\n and more */\nBENCH(a) {\n}\n", 3, 3, 4 },
        { "/*\n * about\n * a\n */\nBENCH(a) {\n}\n", 5, 1, 6 },
        { "int x;\n// about\n  // a\nBENCH(a) {\n}\n", 4, 2, 5 },
        { "/* far away */\n\nBENCH(a) {\n}\n", 3, 3, 4 },
        { "BENCH(a) {\n  f('}', \"}\\\"}\"); // }\n  /* } */\n}\n", 1, 1, 4 },
        { "BENCH(a) {\n  f(1'000'000, '{');\n}\n", 1, 1, 3 },
        { "BENCH(a) {\n  f(R\"x(})\" })x\");\n}\n", 1, 1, 3 },
        { "BENCH(a, .args = BENCH_ARGS(n, 1, 2),\n      .about = \") {\") /* { */\n{\n}\n", 1, 1, 4 },
        { "BENCH(a, .x = (int[]){ 1 }) {\n}\n", 1, 1, 2 },
        { "MY_BENCH(a)\nint f(void) {\n}\n", 1, 1, 1 },
        { "MY_BENCH(a);\nint f(void) {\n}\n", 1, 1, 1 },
        { "BENCH(a) {\n  never closed\n", 1, 1, 3 },
        { "nothing\n", 1, 1, 1 },
};

TEST(a_span_is_the_definition_and_the_comment_before_it) {
        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                SourceSpan span;

                assert_int_equal(source_span_find(cases[i].text, cases[i].line, &span), 0);
                if (span.first != cases[i].first || span.last != cases[i].last)
                        fail_msg("%zu to %zu, not %zu to %zu, in: %s", span.first, span.last, cases[i].first,
                                        cases[i].last, cases[i].text);
        }
}

/* No end of a text is read over: valgrind and the sanitizer watch. */
TEST(any_beginning_of_a_text_has_a_span) {
        for (size_t i = 0; i < N_ELEMENTS(cases); i++)
                for (size_t n = 1; n <= strlen(cases[i].text); n++) {
                        _cleanup_(freep) char *text = strndup(cases[i].text, n);
                        SourceSpan span;

                        assert_non_null(text);
                        for (size_t line = 1; line <= source_count_lines(text); line++)
                                if (source_span_find(text, line, &span) == 0)
                                        assert_in_range(line, span.first, span.last);
                }
}

TEST(a_line_that_is_not_there_has_none) {
        SourceSpan span;

        assert_int_equal(source_span_find("one\ntwo\n", 3, &span), SOURCE_SPAN_E_OUTSIDE);
        assert_int_equal(source_span_find("one\ntwo\n", 0, &span), SOURCE_SPAN_E_OUTSIDE);
        assert_int_equal(source_span_find("", 1, &span), SOURCE_SPAN_E_OUTSIDE);
}

TEST(lines_are_counted_with_and_without_an_end) {
        assert_int_equal(source_count_lines(""), 0);
        assert_int_equal(source_count_lines("a"), 1);
        assert_int_equal(source_count_lines("a\n"), 1);
        assert_int_equal(source_count_lines("a\nb"), 2);
}

TEST(a_benchmark_is_found_by_its_name_at_the_beginning_of_a_line) {
        static const char text[] =
                        "// BENCH(no)\n  BENCH(first) { }\nBENCH(\tsecond, .about = \"x\") { }\nBENCH() { }\n";
        char name[SOURCE_NAME_MAX];

        assert_int_equal(source_find_benchmark(text, NULL), 2);
        assert_int_equal(source_find_benchmark(text, "second"), 3);
        assert_int_equal(source_find_benchmark(text, "no"), 0);
        assert_int_equal(source_benchmark_at(text, 1, name), 3);
        assert_string_equal(name, "second");
        assert_int_equal(source_benchmark_at(text, 2, name), 0);
}
