/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The work of the Stopwatch experiment: steps that each xor a result with the step's number and a seed. The compiler may
 * neither know the steps beforehand nor do several at once. Eight of them a turn: with a taken branch in each step it is the
 * branches that are timed, which a neighbour on the same physical core slows, and not the chain.
 */

#include <stdint.h>

static inline uint64_t xor_steps(uint64_t seed, uint64_t count) {
        uint64_t result = seed;

#pragma GCC unroll 8
        for (uint64_t i = 0; i < count; i++) {
                result ^= i ^ seed;
                __asm__ volatile("" : "+r"(result));
        }
        return result;
}
