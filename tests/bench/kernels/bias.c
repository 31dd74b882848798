/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * What pausing and prepared inputs add to a body: each once with and once without. The bodies are chains of about a
 * microsecond, whose time does not depend on what is done around them; but for the one that --cold is to make longer.
 */

#include <benchd/bench.h>

#include "chains.h"

#define BODY_STEPS  4000 /* about 1 µs */
#define INPUT_STEPS 100
#define WALK_BYTES  (256u << 10) /* fits a second-level cache */

BENCH_AREA(bias, .about = "a body with and without what benchd takes off again");

BENCH(plain, .area = "bias", .about = "the body alone") {
        uint64_t value = 1, operand = 3;

        bench_loop(b)
                CHAIN("add %1, %0", BODY_STEPS, value, operand);
        bench_use(value);
}

BENCH(paused, .area = "bias", .about = "the body, and another one while the clock is paused") {
        uint64_t value = 1, operand = 3;

        bench_loop(b) {
                bench_pause(b);
                CHAIN("add %1, %0", BODY_STEPS, value, operand);
                bench_resume(b);
                CHAIN("add %1, %0", BODY_STEPS, value, operand);
        }
        bench_use(value);
}

BENCH(same_input, .area = "bias", .about = "a chain that begins with a word of memory, the same each time") {
        uint64_t value = 1, operand = 3, word = 5;
        const uint64_t *input = &word;

        bench_loop(b) {
                bench_opaque(input);
                value += *input;
                CHAIN("add %1, %0", INPUT_STEPS, value, operand);
        }
        bench_use(value);
}

static void input_fill(void *input, uint64_t index, void *ctx) {
        (void)ctx;
        *(uint64_t *)input = index;
}

BENCH(prepared_input, .area = "bias", .about = "the same chain, each time with a word prepared for it") {
        uint64_t value = 1, operand = 3;

        bench_inputs(b, sizeof(uint64_t), input_fill, NULL, NULL);
        bench_loop(b) {
                value += *(const uint64_t *)bench_input(b);
                CHAIN("add %1, %0", INPUT_STEPS, value, operand);
        }
        bench_use(value);
}

static char memory[WALK_BYTES];

BENCH(walk, .area = "bias", .about = "each line of 256 KiB once, in an order that no prefetcher follows") {
        bench_loop(b) {
                unsigned sum = 0;

                for (unsigned i = 0; i < WALK_BYTES; i += 64)
                        sum += *(volatile char *)(memory + (uint64_t)i * 977 % WALK_BYTES);
                bench_use(sum);
        }
}
