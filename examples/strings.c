/* SPDX-License-Identifier: MIT */

/*
 * The C library's string functions, by size.
 *
 * .args runs a benchmark once for each value; the body reads it with bench_arg() or bench_arg_text(). bench_bytes() adds
 * bytes a second to the report. The character to search for stands at the very end, so that a search in n bytes looks at n
 * bytes.
 */

#include <benchd/bench.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

BENCH_AREA(strings, .about = "string functions of the C library");

#define SIZES BENCH_ARGS(n, 8, 64, 1000, 16384)

/* A string of @n characters, none of them 'z'. */
static char *text_new(size_t n) {
        char *text = malloc(n + 1);

        if (!text)
                abort();
        for (size_t i = 0; i < n; i++)
                text[i] = 'a' + i % 25;
        text[n] = 0;
        return text;
}

BENCH(strlen, .area = "strings", .args = SIZES) {
        size_t n = bench_arg(b, 0);
        char *s = text_new(n);

        bench_bytes(b, n);
        bench_loop(b) {
                bench_opaque(s);
                bench_use(strlen(s));
        }
        free(s);
}

BENCH(memchr, .area = "strings", .args = SIZES, .about = "found in the last byte") {
        size_t n = bench_arg(b, 0);
        char *s = text_new(n);

        s[n - 1] = 'z';
        bench_bytes(b, n);
        bench_loop(b) {
                bench_opaque(s);
                bench_use(memchr(s, 'z', n));
        }
        free(s);
}

/* A copy leaves its result in memory: bench_clobber() tells the compiler that somebody may read it. */
BENCH(memcpy, .area = "strings", .args = SIZES, .about = "both sides in the cache") {
        size_t n = bench_arg(b, 0);
        char *from = text_new(n), *to = text_new(n);

        bench_bytes(b, n);
        bench_loop(b) {
                bench_opaque(from);
                memcpy(to, from, n);
                bench_clobber();
        }
        free(from);
        free(to);
}

BENCH(strstr, .area = "strings", .args = BENCH_ARGS(n, 64, 1000, 16384), .about = "4 bytes, found at the end") {
        size_t n = bench_arg(b, 0);
        char *s = text_new(n);

        memcpy(s + n - 4, "wxyz", 4);
        bench_bytes(b, n);
        bench_loop(b) {
                bench_opaque(s);
                bench_use(strstr(s, "wxyz"));
        }
        free(s);
}

BENCH(snprintf_int, .area = "strings", .about = "%d of a number of n digits", .args = BENCH_ARGS(digits, 1, 5, 9)) {
        int number = 1;
        char text[16];

        for (int64_t i = 1; i < bench_arg(b, 0); i++)
                number = number * 10 + i % 10;
        bench_loop(b) {
                bench_opaque(number);
                snprintf(text, sizeof text, "%d", number);
                bench_clobber();
        }
}

BENCH(strtod, .area = "strings", .args = BENCH_TEXTS(text, "0", "0.1", "2.718281828459045", "1e300")) {
        const char *s = bench_arg_text(b, 0);

        bench_loop(b) {
                bench_opaque(s);
                bench_use(strtod(s, NULL));
        }
}
