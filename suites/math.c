/* SPDX-License-Identifier: MIT */

/*
 * math: functions of the C library's math.h for double, over arguments drawn from a range of each function's own.
 *
 * The arguments are normal numbers for which the function needs no special case. There are 65,536 of them, so that no processor can learn
 * the order of the branches, as it would with a few. Calls do not wait for each other.
 */

#include <benchd/bench.h>
#include <math.h>

BENCH_AREA(math, .about = "functions of math.h for double, over varied arguments");
BENCH_EMBED_SOURCE;

enum {
        N_INPUTS = 1 << 16, /* a power of two */
};

static double inputs[N_INPUTS];

/* Numbers from @low to @high in an order that is drawn at random, the same in each process. */
static void inputs_draw(double low, double high) {
        uint64_t state = UINT64_C(0x9e3779b97f4a7c15);

        for (unsigned i = 0; i < N_INPUTS; i++) {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                inputs[i] = low + (high - low) * ((double)(state >> 11) / (double)(UINT64_C(1) << 53));
        }
}

static inline double input(unsigned i) {
        return inputs[i % N_INPUTS];
}

BENCH(floor, .about = "limited by the conversions that the compiler makes of it, or by a call where it makes none") {
        unsigned i = 0;

        inputs_draw(-1000, 1000);
        bench_loop(b) {
                BENCH_REPEAT10(bench_use(floor(input(i++))));
        }
}

BENCH(lround, .hidden = 1, .about = "limited by the call and by whole-number arithmetic on the exponent") {
        unsigned i = 0;

        inputs_draw(-1000, 1000);
        bench_loop(b) {
                BENCH_REPEAT10(bench_use(lround(input(i++))));
        }
}

BENCH(fmod, .about = "of arguments near in size: limited by the division, bit by bit where the library does it so") {
        unsigned i = 0;

        inputs_draw(1, 1000);
        bench_loop(b) {
                BENCH_REPEAT10(bench_use(fmod(input(i), input(i + 1))); i++);
        }
}

BENCH(sqrt, .about = "limited by the divider, which is not fully pipelined") {
        unsigned i = 0;

        inputs_draw(1, 1000);
        bench_loop(b) {
                BENCH_REPEAT10(bench_use(sqrt(input(i++))));
        }
}

BENCH(cbrt, .about = "limited by a polynomial and a division") {
        unsigned i = 0;

        inputs_draw(1, 1000);
        bench_loop(b) {
                BENCH_REPEAT10(bench_use(cbrt(input(i++))));
        }
}

BENCH(hypot, .about = "limited by a square root and the care against overflow") {
        unsigned i = 0;

        inputs_draw(1, 1000);
        bench_loop(b) {
                BENCH_REPEAT10(bench_use(hypot(input(i), input(i + 1))); i++);
        }
}

BENCH(exp, .about = "limited by a polynomial and a table") {
        unsigned i = 0;

        inputs_draw(-10, 10);
        bench_loop(b) {
                BENCH_REPEAT10(bench_use(exp(input(i++))));
        }
}

BENCH(log, .about = "limited by a polynomial and a table") {
        unsigned i = 0;

        inputs_draw(0.1, 1000);
        bench_loop(b) {
                BENCH_REPEAT10(bench_use(log(input(i++))));
        }
}

BENCH(pow, .about = "limited by a logarithm of more than double precision and an exponential") {
        unsigned i = 0;

        inputs_draw(0.1, 10);
        bench_loop(b) {
                BENCH_REPEAT10(bench_use(pow(input(i), input(i + 1))); i++);
        }
}

BENCH(sin, .about = "limited by the reduction to a quarter turn, a polynomial and a table") {
        unsigned i = 0;

        inputs_draw(-10, 10);
        bench_loop(b) {
                BENCH_REPEAT10(bench_use(sin(input(i++))));
        }
}

BENCH(cos, .about = "limited by the reduction to a quarter turn, a polynomial and a table") {
        unsigned i = 0;

        inputs_draw(-10, 10);
        bench_loop(b) {
                BENCH_REPEAT10(bench_use(cos(input(i++))));
        }
}

BENCH(tan, .about = "limited by the reduction to a quarter turn, a polynomial, and a division") {
        unsigned i = 0;

        inputs_draw(-10, 10);
        bench_loop(b) {
                BENCH_REPEAT10(bench_use(tan(input(i++))));
        }
}

BENCH(atan2, .about = "limited by a division and a polynomial") {
        unsigned i = 0;

        inputs_draw(1, 1000);
        bench_loop(b) {
                BENCH_REPEAT10(bench_use(atan2(input(i), input(i + 1))); i++);
        }
}

BENCH(sinh, .hidden = 1, .about = "limited by an exponential and a division") {
        unsigned i = 0;

        inputs_draw(-10, 10);
        bench_loop(b) {
                BENCH_REPEAT10(bench_use(sinh(input(i++))));
        }
}

BENCH(erf, .hidden = 1, .about = "limited by a polynomial, and by an exponential for larger arguments") {
        unsigned i = 0;

        inputs_draw(-3, 3);
        bench_loop(b) {
                BENCH_REPEAT10(bench_use(erf(input(i++))));
        }
}

BENCH(tgamma, .hidden = 1, .about = "limited by a logarithm, an exponential and the bookkeeping of errors") {
        unsigned i = 0;

        inputs_draw(1, 20);
        bench_loop(b) {
                BENCH_REPEAT10(bench_use(tgamma(input(i++))));
        }
}

BENCH(sinf, .about = "of float: limited by one polynomial in double precision") {
        unsigned i = 0;

        inputs_draw(-10, 10);
        bench_loop(b) {
                BENCH_REPEAT10(bench_use(sinf((float)input(i++))));
        }
}
