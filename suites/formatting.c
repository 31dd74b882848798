/* SPDX-License-Identifier: MIT */

/*
 * formatting: numbers to text and back, streams, locales and character sets.
 *
 * The same number or text comes in each iteration, so its branches are learnt. A program starts in the C locale, so
 * that is what the rows of numbers and streams use. The rows of UTF-8 use C.UTF-8, which is part of the C library on
 * Debian; elsewhere they are skipped.
 */

#define _GNU_SOURCE 1
#include <benchd/bench.h>
#include <ctype.h>
#include <errno.h>
#include <iconv.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

BENCH_AREA(formatting, .about = "numbers to text and back, streams, locales and character sets");
BENCH_EMBED_SOURCE;

/* ---- numbers to text */

BENCH(snprintf_int, .args = BENCH_ARGS(digits, 1, 9),
                .about = "limited by making a stream on the buffer and parsing the format") {
        int number = 0;
        char text[32];

        for (int64_t i = 1; i <= bench_arg(b, 0); i++)
                number = number * 10 + (int)i;
        bench_loop(b) {
                bench_opaque(number);
                snprintf(text, sizeof text, "%d", number);
                bench_clobber();
        }
}

BENCH(snprintf_double, .args = BENCH_TEXTS(format, "%g", "%.17g"),
                .about = "limited by exact arithmetic on long integers, more digits more of it") {
        const char *format = bench_arg_text(b, 0);
        double number = 3.14159265358979;
        char text[32];

        bench_loop(b) {
                bench_opaque(number);
                snprintf(text, sizeof text, format, number);
                bench_clobber();
        }
}

BENCH(snprintf_string, .about = "%s of 16 letters: limited by making a stream on the buffer and parsing the format") {
        const char *word = "sixteen letters.";
        char text[32];

        bench_loop(b) {
                bench_opaque(word);
                snprintf(text, sizeof text, "%s!", word);
                bench_clobber();
        }
}

/* ---- text to numbers */

BENCH(sscanf_int, .about = "%d %d: limited by making a stream on the text and reading it letter by letter") {
        const char *text = "12345 67890";
        int first, second;

        bench_loop(b) {
                bench_opaque(text);
                bench_use(sscanf(text, "%d %d", &first, &second));
        }
}

BENCH(strtol, .args = BENCH_TEXTS(text, "7", "123456789"),
                .about = "limited by a multiplication and an addition a digit") {
        const char *text = bench_arg_text(b, 0);

        bench_loop(b) {
                bench_opaque(text);
                bench_use(strtol(text, NULL, 10));
        }
}

BENCH(strtod, .args = BENCH_TEXTS(text, "1.5", "1.7976931348623157e308"),
                .about = "limited by exact arithmetic on long integers, most of it for large exponents") {
        const char *text = bench_arg_text(b, 0);

        bench_loop(b) {
                bench_opaque(text);
                bench_use(strtod(text, NULL));
        }
}

/* ---- streams */

static char text_line[] = "sixteen letters.";

/* The body of both rows: the line again and again, and the stream rewound before it is full. */
static inline __attribute__((always_inline)) void lines_write(struct bench *b, FILE *stream) {
        unsigned n = 0;

        if (!stream)
                bench_fail(b, "no stream: %s", strerror(errno));
        bench_bytes(b, strlen(text_line));
        bench_loop(b) {
                fputs(text_line, stream);
                if (++n % 1024 == 0)
                        rewind(stream);
        }
        fclose(stream);
}

BENCH(fputs_memory, .about = "16 letters to a stream in memory: limited by its lock and a short copy") {
        static char memory[32768];

        lines_write(b, fmemopen(memory, sizeof memory, "w"));
}

BENCH(fputs_dev_null,
                .about = "16 letters to a stream to /dev/null: limited by its lock, a short copy, and one write in 256") {
        lines_write(b, fopen("/dev/null", "we"));
}

BENCH(fprintf_dev_null, .about = "%s %d to a stream to /dev/null: limited by parsing the format") {
        FILE *stream = fopen("/dev/null", "we");
        int number = 12345;

        if (!stream)
                bench_fail(b, "/dev/null: %s", strerror(errno));
        bench_loop(b) {
                bench_opaque(number);
                fprintf(stream, "%s %d\n", text_line, number);
        }
        fclose(stream);
}

/* ---- locales */

/* The locale of UTF-8, or the end of the benchmark where there is none. */
static locale_t utf8_locale(struct bench *b) {
        locale_t locale = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0);

        if (!locale)
                bench_skip(b, "the C library has no locale C.UTF-8: %s", strerror(errno));
        return locale;
}

BENCH(newlocale_freelocale, .hidden = 1,
                .about = "C.UTF-8, which is loaded already: limited by the search for its categories by name") {
        locale_t loaded = utf8_locale(b);

        bench_loop(b)
                freelocale(newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0));
        freelocale(loaded);
}

BENCH(uselocale, .hidden = 1, .ops = 2,
                .about = "to another locale and back: limited by stores to the thread's own data") {
        locale_t utf8 = utf8_locale(b), before = uselocale((locale_t)0);

        bench_loop(b) {
                uselocale(utf8);
                uselocale(before);
        }
        freelocale(utf8);
}

BENCH(strcoll, .about = "two names that differ in the last of 16 letters, C locale: limited as strcmp, after a look at the locale") {
        const char *first = "sixteen letters.", *second = "sixteen letters!";

        bench_loop(b) {
                bench_opaque(first);
                bench_use(strcoll(first, second));
        }
}

BENCH(toupper, .about = "limited by the call for the address of the locale's table, and one load") {
        int letter = 'a';

        bench_loop(b) {
                BENCH_REPEAT10(bench_opaque(letter); bench_use((toupper)(letter)));
        }
}

/* ---- character sets */

#define LETTERS 256u

static char utf8[2 * LETTERS + 1];

/* Ascii letters, and every fourth one of two bytes. */
static void utf8_make(void) {
        char *end = utf8;

        for (unsigned i = 0; i < LETTERS; i++) {
                const char *letter = i % 4 == 3 ? "\xc3\xa9" : "e";

                end = stpcpy(end, letter);
        }
}

BENCH(mbstowcs, .ops = LETTERS,
                .about = "a letter of UTF-8, one in four of two bytes: limited by the branch on its first byte") {
        locale_t locale = utf8_locale(b), before = uselocale(locale);
        static wchar_t wide[LETTERS + 1];

        utf8_make();
        if (mbstowcs(wide, utf8, LETTERS + 1) != LETTERS)
                bench_fail(b, "the text was not converted");
        bench_loop(b) {
                bench_use(mbstowcs(wide, utf8, LETTERS + 1));
                bench_clobber();
        }
        uselocale(before);
        freelocale(locale);
}

BENCH(iconv, .ops = LETTERS, .about = "a letter from UTF-8 to 4 bytes: limited by the branch on its first byte") {
        iconv_t conversion = iconv_open("WCHAR_T", "UTF-8");
        static wchar_t wide[LETTERS + 1];
        size_t bytes, left = 0;

        if (conversion == (iconv_t)-1)
                bench_skip(b, "the C library cannot convert UTF-8: %s", strerror(errno));
        utf8_make();
        bytes = strlen(utf8);
        bench_loop(b) {
                char *from = utf8, *to = (char *)wide;
                size_t room = sizeof wide;

                left = bytes;
                iconv(conversion, &from, &left, &to, &room);
        }
        if (left != 0)
                bench_fail(b, "%zu bytes were not converted", left);
        iconv_close(conversion);
}
