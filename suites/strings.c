/* SPDX-License-Identifier: MIT */

/*
 * strings: the C library's string and memory functions, by length.
 */

#include <benchd/bench.h>
#include <string.h>

BENCH_AREA(strings, .about = "string and memory functions of the C library, by length");
BENCH_EMBED_SOURCE;

BENCH(strlen, .args = BENCH_ARGS(n, 8, 64, 1024, 16384), .about = "limited by vector loads from L1") {
        static char text[16385];
        char *s = text;
        size_t n = bench_arg(b, 0);

        memset(text, 'x', n);
        bench_bytes(b, n);
        bench_loop(b) {
                bench_opaque(s);
                bench_use(strlen(s));
        }
}
