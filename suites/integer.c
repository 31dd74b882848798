/* SPDX-License-Identifier: MIT */

/*
 * integer: an operation's latency, the time until its result can be used, apart from its throughput, the time until the next one
 * can begin.
 *
 * Latency is that of a chain in which each operation needs the result of the one before. Throughput is that of eight such chains side by
 * side, enough to fill the units that the processor has for the operation. bench_opaque() keeps the compiler from computing a chain
 * in one step, and costs nothing.
 */

#include <benchd/bench.h>

BENCH_AREA(integer, .about = "operations on whole numbers, latency and throughput apart");
BENCH_EMBED_SOURCE;

#define EIGHT_CHAINS(type)    type c0 = 1, c1 = 2, c2 = 3, c3 = 4, c4 = 5, c5 = 6, c6 = 7, c7 = 8
#define IN_EIGHT_CHAINS(STEP) (STEP(c0), STEP(c1), STEP(c2), STEP(c3), STEP(c4), STEP(c5), STEP(c6), STEP(c7))

/* ---- addition */

#define ADD(x) (x += y, bench_opaque(x))

BENCH(add_latency, .about = "limited by the latency of the adder") {
        uint64_t x = 1, y = 3;

        bench_opaque(y);
        bench_loop(b) {
                BENCH_REPEAT10(ADD(x));
        }
}

BENCH(add_throughput, .ops = 8, .about = "limited by the number of adders") {
        EIGHT_CHAINS(uint64_t);
        uint64_t y = 3;

        bench_opaque(y);
        bench_loop(b) {
                BENCH_REPEAT10(IN_EIGHT_CHAINS(ADD));
        }
}

BENCH(add_five_latency, .hidden = 1, .about = "five additions in a chain: five times add_latency") {
        uint64_t x = 1, y = 3;

        bench_opaque(y);
        bench_loop(b) {
                BENCH_REPEAT10(ADD(x); ADD(x); ADD(x); ADD(x); ADD(x));
        }
}

/* ---- multiplication */

#define MULTIPLY(x) (x *= y, bench_opaque(x))

BENCH(multiply_latency, .about = "limited by the latency of the multiplier") {
        uint64_t x = 1, y = 3;

        bench_opaque(y);
        bench_loop(b) {
                BENCH_REPEAT10(MULTIPLY(x));
        }
}

BENCH(multiply_throughput, .ops = 8, .about = "limited by the number of multipliers, most often one") {
        EIGHT_CHAINS(uint64_t);
        uint64_t y = 3;

        bench_opaque(y);
        bench_loop(b) {
                BENCH_REPEAT10(IN_EIGHT_CHAINS(MULTIPLY));
        }
}

__extension__ typedef unsigned __int128 Wide;

#define MULTIPLY_HIGH(x) (x = (uint64_t)((Wide)x * y >> 64), bench_opaque(x))

BENCH(multiply_high_latency, .about = "the upper half of 128 bits: limited by the latency of the wide multiplier") {
        uint64_t x = UINT64_MAX, y = UINT64_MAX;

        bench_opaque(y);
        bench_loop(b) {
                BENCH_REPEAT10(MULTIPLY_HIGH(x));
        }
}

/* ---- division: n / (n / x) is about x, so the numbers stay as long as they are */

#define DIVIDE(x) (x = n / x, bench_opaque(x))

BENCH(divide_32_latency, .about = "by a variable: limited by the latency of the divider") {
        uint32_t x = 12345, n = 4000000007;

        bench_opaque(n);
        bench_loop(b) {
                BENCH_REPEAT10(DIVIDE(x));
        }
}

BENCH(divide_32_throughput, .ops = 8, .about = "by a variable: limited by the divider, which is not fully pipelined") {
        EIGHT_CHAINS(uint32_t);
        uint32_t n = 4000000007;

        bench_opaque(n);
        bench_loop(b) {
                BENCH_REPEAT10(IN_EIGHT_CHAINS(DIVIDE));
        }
}

BENCH(divide_64_latency, .about = "by a variable: limited by the latency of the divider") {
        uint64_t x = 1234567890, n = 8000000000000000007;

        bench_opaque(n);
        bench_loop(b) {
                BENCH_REPEAT10(DIVIDE(x));
        }
}

BENCH(divide_64_throughput, .ops = 8, .about = "by a variable: limited by the divider, which is not fully pipelined") {
        EIGHT_CHAINS(uint64_t);
        uint64_t n = 8000000000000000007;

        bench_opaque(n);
        bench_loop(b) {
                BENCH_REPEAT10(IN_EIGHT_CHAINS(DIVIDE));
        }
}

#define MODULO(x) (x = n % x + y, bench_opaque(x))

BENCH(modulo_64_latency, .about = "by a variable: limited by the latency of the divider, and an addition") {
        uint64_t x = 1234567890, n = 8000000000000000007, y = 1 << 30;

        bench_opaque(n);
        bench_opaque(y);
        bench_loop(b) {
                BENCH_REPEAT10(MODULO(x));
        }
}

#define MODULO_CONSTANT(x) (x = x % 1000003 + y, bench_opaque(x))

BENCH(modulo_constant_latency,
                .about = "by a constant: limited by the two multiplications that the compiler makes of it") {
        uint64_t x = 1, y = UINT64_C(1) << 60;

        bench_opaque(y);
        bench_loop(b) {
                BENCH_REPEAT10(MODULO_CONSTANT(x));
        }
}

/* ---- bits */

#define SHIFT(x) (x <<= n, bench_opaque(x))

BENCH(shift_latency, .about = "by a variable count: limited by the latency of the shifter") {
        uint64_t x = 1;
        unsigned n = 3;

        bench_opaque(n);
        bench_loop(b) {
                BENCH_REPEAT10(SHIFT(x));
        }
}

BENCH(shift_throughput, .hidden = 1, .ops = 8,
                .about = "by a variable count: limited by the number of shifters and the steps that the count takes") {
        EIGHT_CHAINS(uint64_t);
        unsigned n = 3;

        bench_opaque(n);
        bench_loop(b) {
                BENCH_REPEAT10(IN_EIGHT_CHAINS(SHIFT));
        }
}

#define ROTATE(x) (x = x << 7 | x >> 57, bench_opaque(x))

BENCH(rotate_latency, .about = "by a constant count: limited by the latency of the shifter") {
        uint64_t x = 1;

        bench_loop(b) {
                BENCH_REPEAT10(ROTATE(x));
        }
}

#define BYTE_SWAP(x) (x = __builtin_bswap64(x), bench_opaque(x))

BENCH(byte_swap_latency, .about = "limited by the latency of the instruction, one or two steps") {
        uint64_t x = 1;

        bench_loop(b) {
                BENCH_REPEAT10(BYTE_SWAP(x));
        }
}

#define BIT_SCAN(x) (x = (uint64_t)__builtin_ctzll(x) | y, bench_opaque(x))

BENCH(bit_scan_latency, .about = "the lowest bit's place: limited by the latency of the scan, a widening and an OR") {
        uint64_t x = 1, y = 64;

        bench_opaque(y);
        bench_loop(b) {
                BENCH_REPEAT10(BIT_SCAN(x));
        }
}

/* Assembly, since the baseline of the architecture lacks the instructions, and the compiler would call a function. */
#define POPCOUNT(x) __extension__({ __asm__ volatile("popcntq %0, %0" : "+r"(x)); })
#define CRC32(x)    __extension__({ __asm__ volatile("crc32q %1, %0" : "+r"(x) : "r"(y)); })

BENCH(popcount_latency, .about = "limited by the latency of the instruction") {
        uint64_t x = 1;

        if (!__builtin_cpu_supports("popcnt"))
                bench_skip(b, "the processor has no popcnt");
        bench_loop(b) {
                BENCH_REPEAT10(POPCOUNT(x));
        }
}

BENCH(popcount_throughput, .ops = 8, .about = "limited by the number of units that have the instruction") {
        EIGHT_CHAINS(uint64_t);

        if (!__builtin_cpu_supports("popcnt"))
                bench_skip(b, "the processor has no popcnt");
        bench_loop(b) {
                BENCH_REPEAT10(IN_EIGHT_CHAINS(POPCOUNT));
        }
}

BENCH(crc32_latency, .about = "eight bytes: limited by the latency of the instruction") {
        uint64_t x = 1, y = 3;

        if (!__builtin_cpu_supports("sse4.2"))
                bench_skip(b, "the processor has no crc32");
        bench_loop(b) {
                BENCH_REPEAT10(CRC32(x));
        }
}

BENCH(crc32_throughput, .ops = 8,
                .about = "eight bytes: limited by the number of units that have the instruction, most often one") {
        EIGHT_CHAINS(uint64_t);
        uint64_t y = 3;

        if (!__builtin_cpu_supports("sse4.2"))
                bench_skip(b, "the processor has no crc32");
        bench_loop(b) {
                BENCH_REPEAT10(IN_EIGHT_CHAINS(CRC32));
        }
}
