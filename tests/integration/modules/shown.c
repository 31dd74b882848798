/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Benchmarks whose source and machine code are shown.
 */

#include <benchd/bench.h>

#include <string.h>

#ifdef EMBEDDED
BENCH_EMBED_SOURCE;
#endif

static const char opening[] = "/* { */";

/* Multiplies: a chain of products,
   as long as the latency of one. */
BENCH(product) {
        long n = 3;

        bench_loop(b) {
                bench_opaque(n); // } is no end
                n *= 5;
                bench_use(n);
        }
}

BENCH(length, .args = BENCH_ARGS(n, 8, 64)) {
        char text[65] = "";
        char *s = text;

        memset(text, 'x', bench_arg(b, 0));
        bench_loop(b) {
                bench_opaque(s);
                bench_use(strlen(s));
        }
}

BENCH(counts_only) {
        bench_use(opening);
        bench_loop(b) {
        }
}
