/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The work of the Stopwatch experiment: steps that each xor a result with the step's number and a seed. The compiler may
 * neither know the steps beforehand nor do several at once.
 */

#include <stdint.h>

static inline uint64_t xor_steps(uint64_t seed, uint64_t count) {
        uint64_t result = seed;

        for (uint64_t i = 0; i < count; i++) {
                result ^= i ^ seed;
                __asm__ volatile("" : "+r"(result));
        }
        return result;
}
