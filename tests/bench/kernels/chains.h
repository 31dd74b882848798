/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The chains that the tables of this folder measure, once for benchd and once for Google Benchmark: both expand the same
 * rows, so that they run the same machine code. Each step needs the result of the step before; what a step takes is the
 * latency of its instruction, which lib/truth.py knows for many processors.
 */

#include <stdint.h>

#ifndef __x86_64__
# error "the chains are written for x86-64"
#endif

#define CHAIN_STEPS    1000
#define CHAIN_TEXT_(x) #x
#define CHAIN_TEXT(x)  CHAIN_TEXT_(x)

/* ROW(name, instruction on the register of the value, %0, and that of an operand, %1) */
#define CHAIN_ROWS(ROW)                                                                                                \
 ROW(add, "add %1, %0")                                                                                                \
 ROW(multiply, "imul %1, %0")                                                                                          \
 ROW(popcnt, "popcnt %0, %0")                                                                                          \
 ROW(crc32, "crc32q %1, %0")                                                                                           \
 ROW(rotate, "rol $7, %0")

/* @instruction, @steps times in a row. */
#define CHAIN(instruction, steps, value, operand)                                                                      \
 __asm__ volatile(".rept " CHAIN_TEXT(steps) "\n\t" instruction "\n\t.endr" : "+r"(value) : "r"(operand) : "cc")

static inline int chains_supported(void) {
        return __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("sse4.2");
}
