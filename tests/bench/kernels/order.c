/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <benchd/bench.h>
#include <string.h>

#include "order.h"

#define WORDS 256u

/* Equal numbers in all builds. */
static uint64_t next(uint64_t *state) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        return *state >> 32;
}

BENCH(interpret, .area = "order") {
        uint8_t program[WORDS];
        uint64_t state = 1;

        for (size_t i = 0; i < WORDS; i++)
                program[i] = (uint8_t)next(&state);
        bench_loop(b)
                bench_use(order_interpret(program, WORDS, 42));
}

BENCH(sort, .area = "order") {
        uint32_t numbers[WORDS / 2], sorted[WORDS / 2];
        uint64_t state = 2;

        for (size_t i = 0; i < WORDS / 2; i++)
                numbers[i] = (uint32_t)next(&state);
        bench_loop(b) {
                memcpy(sorted, numbers, sizeof sorted);
                order_sort(sorted, WORDS / 2);
                bench_use(sorted[7]);
        }
}

BENCH(mix, .area = "order") {
        uint64_t words[WORDS], state = 3;

        for (size_t i = 0; i < WORDS; i++)
                words[i] = next(&state) << 20 | next(&state);
        bench_loop(b)
                bench_use(order_mix(words, WORDS));
}
