/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whatever bytes a module writes, what comes out is valid UTF-8 that moves no cursor. */

#include "front/base/text.h"

#include <wchar.h>

#include <locale.h>

#include "test.h"

#define BAD "\xef\xbf\xbd"

typedef struct TextCase {
        const char *text;
        const char *line;  /* as a line */
        const char *lines; /* as lines; NULL: the same */
} TextCase;

static const TextCase cases[] = {
        { "", "", NULL },
        { "qsort, 1000 ints", "qsort, 1000 ints", NULL },
        { "Gr\xc3\xb6\xc3\x9f"
          "e \xe2\x82\xac \xf0\x9f\x98\x80",
                        "Gr\xc3\xb6\xc3\x9f"
                        "e \xe2\x82\xac \xf0\x9f\x98\x80",
                        NULL },
        { "a\nb\tc", "a b c", "a\nb\tc" },
        { "\x1b[31mred", BAD "[31mred", NULL },
        { "bell\a\r", "bell" BAD BAD, NULL },
        { "\xc2\x9b"
          "31m",
                        BAD "31m", NULL }, /* CSI as one character */
        { "\xe2\x80\xae"
          "abc",
                        BAD "abc", NULL },             /* right-to-left override */
        { "\xc0\x80", BAD BAD, NULL },                 /* zero, too long */
        { "\xed\xa0\x80", BAD BAD BAD, NULL },         /* a surrogate */
        { "\xf4\x90\x80\x80", BAD BAD BAD BAD, NULL }, /* beyond the last character */
        { "\xe2\x82", BAD BAD, NULL },                 /* cut */
        { "\xff"
          "a\x80",
                        BAD "a" BAD, NULL },
};

TEST(texts_come_out_as_they_should) {
        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                char clean[256];
                size_t n;

                n = text_clean(cases[i].text, strlen(cases[i].text), false, clean);
                assert_string_equal(clean, cases[i].line);
                assert_int_equal(n, strlen(clean));
                text_clean(cases[i].text, strlen(cases[i].text), true, clean);
                assert_string_equal(clean, cases[i].lines ? cases[i].lines : cases[i].line);
        }
}

TEST(random_bytes_come_out_valid_and_within_bounds) {
        char *locale = setlocale(LC_CTYPE, "C.UTF-8");

        assert_non_null(locale);
        for (int trial = 0; trial < 2000; trial++) {
                char bytes[64], clean[TEXT_GROWTH * sizeof bytes + 1];
                wchar_t wide[sizeof clean];
                size_t n;

                assert_int_equal(getrandom(bytes, sizeof bytes, 0), sizeof bytes);
                n = text_clean(bytes, sizeof bytes, false, clean);
                assert_true(n < sizeof clean && strlen(clean) == n);
                assert_true(mbstowcs(wide, clean, N_ELEMENTS(wide)) != (size_t)-1);
                for (size_t i = 0; i < n; i++)
                        assert_true((unsigned char)clean[i] >= 0x20 && clean[i] != 0x7f);
        }
}

TEST(what_is_clean_stays_as_it_is) {
        char bytes[64], once[TEXT_GROWTH * sizeof bytes + 1], twice[TEXT_GROWTH * sizeof once + 1];

        for (int trial = 0; trial < 2000; trial++) {
                assert_int_equal(getrandom(bytes, sizeof bytes, 0), sizeof bytes);
                text_clean(bytes, sizeof bytes, true, once);
                text_clean(once, strlen(once), true, twice);
                assert_string_equal(once, twice);
        }
}
