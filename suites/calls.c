/* SPDX-License-Identifier: MIT */

/*
 * calls: a function's call and return, by the way in which the call finds its target.
 */

#include <benchd/bench.h>

BENCH_AREA(calls, .about = "a function's call and return, by the way in which the call finds its target");
BENCH_EMBED_SOURCE;

static __attribute__((noinline)) void empty_function(void) {
        __asm__ volatile("");
}

BENCH(call_empty, .about = "direct call of an empty function: limited by the branch unit, a call and a return",
                .reference = 1) {
        bench_loop(b) {
                BENCH_REPEAT10(empty_function());
        }
}
