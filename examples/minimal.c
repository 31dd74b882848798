/* SPDX-License-Identifier: MIT */

/*
 * The smallest benchmark that tells the truth. README.md shows its output.
 *
 * Two lines keep the loop from being empty: without bench_opaque() the compiler would call strlen() once, before the
 * loop, since the string never changes; without bench_use() it would not call it at all, since nobody uses the result.
 */

#include <benchd/bench.h>
#include <string.h>

BENCH(strlen_1000, .about = "strlen of 1000 bytes, in L1") {
        char text[1001];
        char *s = text;

        memset(text, 'x', 1000); /* set-up: once a process, not timed */
        text[1000] = 0;

        bench_loop(b) { /* timed */
                bench_opaque(s);
                bench_use(strlen(s));
        }
}
