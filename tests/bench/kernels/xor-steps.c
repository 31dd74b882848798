/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The work of the Stopwatch experiment as a module of benchd: XOR_STEPS (of the environment) steps an iteration. */

#include <benchd/bench.h>
#include <stdlib.h>

#include "xor-steps.h"

BENCH(xor_steps, .area = "stopwatch", .about = "a call of XOR_STEPS xor steps") {
        const char *text = getenv("XOR_STEPS");
        uint64_t seed = 20100228, count = text ? strtoull(text, NULL, 10) : 0;

        if (count == 0)
                bench_fail(b, "XOR_STEPS tells how many steps a call has; it is not set");
        bench_loop(b) {
                bench_opaque(seed);
                bench_use(xor_steps(seed, count));
        }
}
