/* SPDX-License-Identifier: MIT */

/*
 * Chains: each step needs the result of the step before, so a step takes the instruction's latency, and nothing can
 * overlap. An add of two registers takes one cycle on every x86 processor, a multiply of 64 bits three: the two are a
 * ruler for checking any machine and any harness.
 *
 * The steps are written in assembler because a compiler would fold them. `.ops` makes the report per step.
 */

#include <benchd/bench.h>

#ifndef __x86_64__
# error "the chains are written for x86-64"
#endif

#define STEPS    1000
#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)

/* @instruction, STEPS times in a row, on the register that holds @value (%0) and one that holds @operand (%1). */
#define CHAIN(instruction, value, operand)                                                                             \
 __asm__ volatile(".rept " TEXT(STEPS) "\n\t" instruction "\n\t.endr" : "+r"(value) : "r"(operand) : "cc")

BENCH_AREA(chains, .about = "dependent instructions, per step");

BENCH(add, .area = "chains", .about = "64-bit add of registers: 1 cycle", .ops = STEPS) {
        uint64_t value = 1, operand = 3;

        bench_loop(b)
                CHAIN("add %1, %0", value, operand);
        bench_use(value);
}

BENCH(multiply, .area = "chains", .about = "64-bit multiply of registers: 3 cycles", .ops = STEPS) {
        uint64_t value = 1, operand = 3;

        bench_loop(b)
                CHAIN("imul %1, %0", value, operand);
        bench_use(value);
}

BENCH(popcnt, .area = "chains", .about = "count of set bits: 3 cycles on Intel, 1 on AMD", .ops = STEPS) {
        uint64_t value = 1;

        if (!__builtin_cpu_supports("popcnt"))
                bench_skip(b, "this processor has no popcnt");
        bench_loop(b)
                CHAIN("popcnt %0, %0", value, 0);
        bench_use(value);
}
