/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Expected words are those of sh, where nothing is to be expanded. */

#include <string.h>

#include "ctl/ask/exec/exec-words.h"
#include "test.h"
#include "util/cleanup.h"

TEST(a_text_is_split_as_a_shell_does) {
        const struct {
                const char *text, *joined; /* by | */
        } rows[] = {
                { "ls -l  'a b'", "ls|-l|a b|" },
                { " a\t\"b c\"\n", "a|b c|" },
                { "a'b'\"c\"d", "abcd|" },
                { "''", "|" },
                { "a \"\" b", "a||b|" },
                { "a\\ b \\'", "a b|'|" },
                { "\"a\\\"b\\n\"", "a\"b\\n|" },
                { "'a\\'", "a\\|" },
                { "echo $HOME *", "echo|$HOME|*|" },
                { "", "" },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                _cleanup_(exec_words_clear) ExecWords words = {};
                char joined[256] = "";

                assert_int_equal(exec_words_split(rows[i].text, &words), 0);
                for (size_t k = 0; k < words.n; k++)
                        strcat(strcat(joined, words.words[k]), "|");
                assert_string_equal(joined, rows[i].joined);
                if (words.n > 0)
                        assert_null(words.words[words.n]);
        }
}

TEST(a_quote_that_is_not_closed_is_named) {
        ExecWords words = {};

        assert_int_equal(exec_words_split("echo 'a", &words), '\'');
        assert_int_equal(exec_words_split("echo \"a'", &words), '"');
        assert_int_equal(exec_words_split("echo a\\", &words), '\\');
        assert_int_equal(words.n, 0);
}

TEST(words_are_joined_as_a_shell_reads_them) {
        const struct {
                const char *words[4];
                const char *joined;
        } rows[] = {
                { { "gzip", "-1", "-k", "x.y" }, "gzip -1 -k x.y" },
                { { "sh", "-c", "sleep 1; exit 0", "" }, "sh -c 'sleep 1; exit 0' ''" },
                { { "echo", "it's", "~", "*" }, "echo 'it'\\''s' '~' '*'" },
                { { "a\nb", "\\", "\"$x\"", "A=1" }, "'a\nb' '\\' '\"$x\"' A=1" },
                { { "A=1", "B=2", "time", "if" }, "'A=1' B=2 time if" },
                { { "time", "A=1", "-=", "" }, "'time' A=1 -= ''" },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                _cleanup_(freep) char *joined = exec_words_join(rows[i].words, N_ELEMENTS(rows[i].words));
                _cleanup_(exec_words_clear) ExecWords words = {};

                assert_string_equal(joined, rows[i].joined);
                assert_int_equal(exec_words_split(joined, &words), 0);
                assert_int_equal(words.n, N_ELEMENTS(rows[i].words));
                for (size_t k = 0; k < words.n; k++)
                        assert_string_equal(words.words[k], rows[i].words[k]);
        }
}

TEST(a_long_word_is_joined_whole) {
        char word[1025] = "";
        _cleanup_(freep) char *joined = NULL;

        memset(word, '*', sizeof word - 1);
        joined = exec_words_join((const char *const[]){ word }, 1);
        assert_int_equal(strlen(joined), sizeof word - 1 + 2);
}
