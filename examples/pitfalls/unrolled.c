/* SPDX-License-Identifier: MIT */

/*
 * An empty call and a no-op instruction, once, ten and twenty times in an iteration: the loop's own share of a short
 * time.
 *
 * The counts are MeasureIt's: a thousand times ten, five hundred times twenty. A core that works out of order counts down
 * and jumps back beside the call, which hides all of it. Work shorter than the loop can be measured only by repeating it;
 * the change by a further unrolling estimates the remaining share of the loop.
 */

#include <benchd/bench.h>

BENCH_AREA(unrolled, .about = "short work, repeated within an iteration");

static void __attribute__((noinline)) nothing(int a, int b, int c, int d, int e) {
        __asm__ volatile("" : : "r"(a), "r"(b), "r"(c), "r"(d), "r"(e));
}

#define CALL nothing(1, 2, 3, 4, 5)
#define NOP  __asm__ volatile("nop")
#define FIVE(s)                                                                                                        \
 s;                                                                                                                    \
 s;                                                                                                                    \
 s;                                                                                                                    \
 s;                                                                                                                    \
 s
#define TWENTY(s)                                                                                                      \
 FIVE(s);                                                                                                              \
 FIVE(s);                                                                                                              \
 FIVE(s);                                                                                                              \
 FIVE(s)

BENCH(call_once, .about = "1000 times one call", .iterations = 1000) {
        bench_loop(b)
                CALL;
}

BENCH(call_ten_times, .about = "1000 times ten", .iterations = 1000) {
        bench_loop(b)
                BENCH_REPEAT10(CALL);
}

BENCH(call_twenty_times, .about = "500 times twenty", .iterations = 500, .ops = 20) {
        bench_loop(b) {
                TWENTY(CALL);
        }
}

BENCH(nop_once, .about = "1000 times one instruction: the time is the loop's", .iterations = 1000) {
        bench_loop(b)
                NOP;
}

BENCH(nop_ten_times, .about = "1000 times ten", .iterations = 1000) {
        bench_loop(b)
                BENCH_REPEAT10(NOP);
}

BENCH(nop_twenty_times, .about = "500 times twenty", .iterations = 500, .ops = 20) {
        bench_loop(b) {
                TWENTY(NOP);
        }
}
