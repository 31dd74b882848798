/* SPDX-License-Identifier: MIT */

/*
 * A call of nothing and an instruction that does nothing, once, ten and twenty times in an iteration: how much of a short
 * time is the loop's own.
 *
 * The counts are MeasureIt's: a thousand times ten, five hundred times twenty. A core that works out of order counts down
 * and jumps back beside the call, which hides all of it. What is shorter than the loop is told only by repeating it; and
 * what a further unrolling still changes is an estimate of what is left of the loop.
 */

#include <benchd/bench.h>

BENCH_AREA(unrolled, .about = "what is short, ever more often in an iteration");

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
