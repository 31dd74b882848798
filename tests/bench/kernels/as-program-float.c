/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Loops that end when the processor's modes of arithmetic let them: a constructor sets the modes, as a program built with -Ofast does
 * before main() (crtfastmath.o, which later compilers leave out of libraries).
 */

#include <benchd/bench.h>
#include <fenv.h>
#include <xmmintrin.h>

#define FLUSH_TO_ZERO      0x8000u
#define DENORMALS_ARE_ZERO 0x0040u
#define STEPS_MAX          1000

static __attribute__((constructor)) void modes_set(void) {
        fesetround(FE_UPWARD);
        _mm_setcsr(_mm_getcsr() | FLUSH_TO_ZERO | DENORMALS_ARE_ZERO);
}

/* 1e-300 is halved 26 times where a result that is denormal becomes 0, and 78 times where not. Halves are exact but for the last. */
BENCH(denormals, .area = "as_program", .about = "1e-300 halved to 0: flush-to-zero, set by a constructor") {
        const double smallest_denormal = 4.9406564584124654e-324;

        bench_loop(b) {
                double value = 1e-300;
                int steps = 0;

                for (bench_opaque(value); value > smallest_denormal && steps < STEPS_MAX; steps++) {
                        value *= 0.5;
                        bench_opaque(value);
                }
                bench_use(steps);
        }
}

/* Upward each product but the first moves by two numbers, to the nearest by one, so the loop is half as long. */
BENCH(rounding, .area = "as_program", .about = "1 raised in small steps: rounding upward, set by a constructor") {
        bench_loop(b) {
                double value = 1;
                int steps = 0;

                for (bench_opaque(value); value < 1 + 40 * __DBL_EPSILON__ && steps < STEPS_MAX; steps++) {
                        value *= 1 + __DBL_EPSILON__;
                        bench_opaque(value);
                }
                bench_use(steps);
        }
}
