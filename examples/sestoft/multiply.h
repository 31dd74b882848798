/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The function that Sestoft times with each of Mark0 to Mark6: twenty multiplications, counting the one that makes x. Written out:
 * a compiler may leave a loop a loop, whose last jump then costs more than the multiplications.
 *
 * All of his attempts time this one, in one loop, so that only the attempts differ.
 */

#include <benchd/bench.h>

#define FIVE_MORE *x *x *x *x *x

static inline double multiply(uint64_t i) {
        double x = 1.1 * (double)(i & 0xFF);

        return x FIVE_MORE FIVE_MORE FIVE_MORE * x * x * x * x;
}

/* Calls it once an iteration, and uses the sum. */
static inline __attribute__((always_inline)) void multiply_many(struct bench *b) {
        double sum = 0;

        bench_loop(b)
                sum += multiply(bench_index(b));
        bench_use(sum);
}
