/* SPDX-License-Identifier: MIT */

/*
 * floating_point: an operation's latency, the time until its result can be used, apart from its throughput, the time until the next
 * one can begin; of double where nothing else is said.
 *
 * Latency is that of a chain in which each operation needs the result of the one before, throughput that of eight such chains side by
 * side. Instructions beyond the architecture's baseline are written in assembly, so that the module runs without them.
 */

#include <benchd/bench.h>

BENCH_AREA(floating_point, .about = "operations on floating-point numbers, latency and throughput apart");
BENCH_EMBED_SOURCE;

#define EIGHT_CHAINS(type)    type c0 = 1, c1 = 2, c2 = 3, c3 = 4, c4 = 5, c5 = 6, c6 = 7, c7 = 8
#define IN_EIGHT_CHAINS(STEP) (STEP(c0), STEP(c1), STEP(c2), STEP(c3), STEP(c4), STEP(c5), STEP(c6), STEP(c7))

/* ---- addition, multiplication */

#define ADD(x)      (x += y, bench_opaque(x))
#define MULTIPLY(x) (x *= y, bench_opaque(x))

BENCH(add_latency, .about = "limited by the latency of the adder") {
        double x = 1, y = 3;

        bench_opaque(y);
        bench_loop(b) {
                BENCH_REPEAT10(ADD(x));
        }
}

BENCH(add_throughput, .ops = 8, .about = "limited by the number of adders") {
        EIGHT_CHAINS(double);
        double y = 3;

        bench_opaque(y);
        bench_loop(b) {
                BENCH_REPEAT10(IN_EIGHT_CHAINS(ADD));
        }
}

BENCH(multiply_latency, .about = "limited by the latency of the multiplier") {
        double x = 1.5, y = 1;

        bench_opaque(y);
        bench_loop(b) {
                BENCH_REPEAT10(MULTIPLY(x));
        }
}

BENCH(multiply_throughput, .ops = 8, .about = "limited by the number of multipliers") {
        EIGHT_CHAINS(double);
        double y = 1;

        bench_opaque(y);
        bench_loop(b) {
                BENCH_REPEAT10(IN_EIGHT_CHAINS(MULTIPLY));
        }
}

BENCH(multiply_denormal_latency,
                .about = "limited by the microcode that some processors need for a number below the normal range") {
        double x = 1e-310, y = 1;

        bench_opaque(y);
        bench_loop(b) {
                BENCH_REPEAT10(MULTIPLY(x));
        }
}

#define LONG_ADD(x)                                                                                                    \
 __extension__({                                                                                                       \
x += y;                                                                                                                     \
__asm__ volatile("" : "+t"(x));                                                                                             \
 })

BENCH(long_double_add_latency, .about = "80 bits: limited by the latency of the x87 adder") {
        long double x = 1, y = 3;

        __asm__ volatile("" : "+t"(y));
        bench_loop(b) {
                BENCH_REPEAT10(LONG_ADD(x));
        }
}

#define FMA(x) __extension__({ __asm__ volatile("vfmadd213sd %2, %1, %0" : "+x"(x) : "x"(y), "x"(z)); })

BENCH(fma_latency, .about = "x * y + z: limited by the latency of the fused multiplier and adder") {
        double x = 1, y = 1, z = 1;

        if (!__builtin_cpu_supports("fma"))
                bench_skip(b, "the processor has no FMA");
        bench_loop(b) {
                BENCH_REPEAT10(FMA(x));
        }
}

BENCH(fma_throughput, .ops = 8, .about = "x * y + z: limited by the number of fused multipliers and adders") {
        EIGHT_CHAINS(double);
        double y = 1, z = 1;

        if (!__builtin_cpu_supports("fma"))
                bench_skip(b, "the processor has no FMA");
        bench_loop(b) {
                BENCH_REPEAT10(IN_EIGHT_CHAINS(FMA));
        }
}

/* ---- division: n / (n / x) is about x, and no quotient is a short one */

#define DIVIDE(x) (x = n / x, bench_opaque(x))

BENCH(divide_latency, .about = "limited by the latency of the divider") {
        double x = 1.9, n = 3.7;

        bench_opaque(n);
        bench_loop(b) {
                BENCH_REPEAT10(DIVIDE(x));
        }
}

BENCH(divide_throughput, .ops = 8, .about = "limited by the divider, which is not fully pipelined") {
        EIGHT_CHAINS(double);
        double n = 3.7;

        bench_opaque(n);
        bench_loop(b) {
                BENCH_REPEAT10(IN_EIGHT_CHAINS(DIVIDE));
        }
}

BENCH(divide_float_latency,
                .about = "of float: limited by the latency of the divider, which has fewer digits to find") {
        float x = 1.9f, n = 3.7f;

        bench_opaque(n);
        bench_loop(b) {
                BENCH_REPEAT10(DIVIDE(x));
        }
}

BENCH(divide_float_throughput, .hidden = 1, .ops = 8,
                .about = "of float: limited by the divider, which is not fully pipelined") {
        EIGHT_CHAINS(float);
        float n = 3.7f;

        bench_opaque(n);
        bench_loop(b) {
                BENCH_REPEAT10(IN_EIGHT_CHAINS(DIVIDE));
        }
}

/* ---- square root: in assembly, since the compiler adds a check for errno. The sum keeps the numbers from ending at 1. */

#define SQUARE_ROOT(x)                                                                                                 \
 __extension__({                                                                                                       \
x += y;                                                                                                                     \
__asm__ volatile("sqrtsd %0, %0" : "+x"(x));                                                                                \
 })

BENCH(square_root_latency, .about = "limited by the latency of the divider, and an addition") {
        double x = 2, y = 1.7;

        bench_opaque(y);
        bench_loop(b) {
                BENCH_REPEAT10(SQUARE_ROOT(x));
        }
}

BENCH(square_root_throughput, .ops = 8, .about = "limited by the divider, which is not fully pipelined") {
        EIGHT_CHAINS(double);
        double y = 1.7;

        bench_opaque(y);
        bench_loop(b) {
                BENCH_REPEAT10(IN_EIGHT_CHAINS(SQUARE_ROOT));
        }
}

/* ---- conversion */

#define CONVERT(x)                                                                                                     \
 __extension__({                                                                                                       \
int64_t whole = (int64_t)x;                                                                                                 \
bench_opaque(whole);                                                                                                        \
x = (double)whole;                                                                                                          \
bench_opaque(x);                                                                                                            \
 })

BENCH(convert_latency, .about = "to a whole number and back: limited by the latency of two conversions") {
        double x = 12345;

        bench_loop(b) {
                BENCH_REPEAT10(CONVERT(x));
        }
}

/* ---- several numbers in a register; the upper parts are left clean, as the code around expects them */

#define ADD_128(x)          __extension__({ __asm__ volatile("addpd %1, %0" : "+x"(x) : "x"(y)); })
#define ADD_256(x)          __extension__({ __asm__ volatile("vaddpd %t1, %t0, %t0" : "+x"(x) : "x"(y)); })
#define FMA_256(x)          __extension__({ __asm__ volatile("vfmadd213pd %t2, %t1, %t0" : "+x"(x) : "x"(y), "x"(z)); })
#define ADD_512(x)          __extension__({ __asm__ volatile("vaddpd %g1, %g0, %g0" : "+x"(x) : "x"(y)); })
#define CLEAN_UPPER_PARTS() __asm__ volatile("vzeroupper")

BENCH(packed_add_128_throughput, .hidden = 1, .ops = 8, .about = "2 doubles (SSE2): limited by the number of adders") {
        EIGHT_CHAINS(double);
        double y = 3;

        bench_loop(b) {
                BENCH_REPEAT10(IN_EIGHT_CHAINS(ADD_128));
        }
}

BENCH(packed_add_256_throughput, .ops = 8, .about = "4 doubles (AVX): limited by the number of adders") {
        EIGHT_CHAINS(double);
        double y = 3;

        if (!__builtin_cpu_supports("avx"))
                bench_skip(b, "the processor has no AVX");
        bench_loop(b) {
                BENCH_REPEAT10(IN_EIGHT_CHAINS(ADD_256));
                CLEAN_UPPER_PARTS();
        }
}

BENCH(packed_fma_256_throughput, .ops = 8,
                .about = "4 doubles (FMA): limited by the number of fused multipliers and adders") {
        EIGHT_CHAINS(double);
        double y = 1, z = 1;

        if (!__builtin_cpu_supports("fma"))
                bench_skip(b, "the processor has no FMA");
        bench_loop(b) {
                BENCH_REPEAT10(IN_EIGHT_CHAINS(FMA_256));
                CLEAN_UPPER_PARTS();
        }
}

BENCH(packed_add_512_throughput, .ops = 8,
                .about = "8 doubles (AVX-512): limited by the number of adders, and by the core's frequency for them") {
        EIGHT_CHAINS(double);
        double y = 3;

        if (!__builtin_cpu_supports("avx512f"))
                bench_skip(b, "the processor has no AVX-512");
        bench_loop(b) {
                BENCH_REPEAT10(IN_EIGHT_CHAINS(ADD_512));
                CLEAN_UPPER_PARTS();
        }
}
