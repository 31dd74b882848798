/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Loops whose time hangs on where they lie within a cache line, built several times with PAD_BYTES of nops before all code: builds
 * that differ in nothing else.
 */

#include <benchd/bench.h>

#include <stddef.h>
#include <stdint.h>

#define TEXT_BYTES 256u

__asm__(".text\n\t.p2align 4\n\t.rept " PAD_BYTES "\n\tnop\n\t.endr\n");

/* to no more than clang would: by 32, as gcc would, two of the four places would be left */
static char text[TEXT_BYTES] __attribute__((aligned(16)));
static uint32_t numbers[64] __attribute__((aligned(16)));

static void fill(void) {
        for (size_t i = 0; i < TEXT_BYTES; i++)
                text[i] = i % 7 == 3 ? ' ' : 'a' + i % 26;
        text[TEXT_BYTES - 1] = 0;
        for (size_t i = 0; i < 64; i++)
                numbers[i] = 3 * i;
}

static __attribute__((noinline)) size_t count_words(const char *at) {
        size_t n = 0;

        for (; *at; at++)
                n += *at == ' ' && at[1] != ' ';
        return n;
}

static __attribute__((noinline)) size_t length(const char *text_) {
        const char *at = text_;

        while (*at)
                at++;
        return at - text_;
}

static __attribute__((noinline)) size_t search(uint32_t wanted) {
        size_t low = 0, high = 64;

        while (low < high) {
                size_t middle = (low + high) / 2;

                if (numbers[middle] < wanted)
                        low = middle + 1;
                else
                        high = middle;
        }
        return low;
}

static __attribute__((noinline)) uint32_t greatest_divisor(uint32_t a, uint32_t b) {
        while (a != b) {
                if (a > b)
                        a -= b;
                else
                        b -= a;
        }
        return a;
}

static __attribute__((noinline)) uint32_t checksum(const char *at) {
        uint32_t a = 1, b = 0;

        for (; *at; at++) {
                a = (a + (unsigned char)*at) & 0xffff;
                b += a ^ (b >> 3);
        }
        return a ^ b;
}

static __attribute__((noinline)) uint32_t steps(uint32_t n) {
        uint32_t i = 0;

        do
                __asm__ volatile("" : "+r"(i));
        while (++i < n);
        return i;
}

#define PADDED_BENCH(name_, call_)                                                                                     \
 BENCH(name_, .area = "padded") {                                                                                      \
  fill();                                                                                                              \
  bench_loop(b)                                                                                                        \
   bench_use(call_);                                                                                                   \
 }

PADDED_BENCH(count_words, count_words(text))
PADDED_BENCH(length, length(text))
PADDED_BENCH(search, search(100) + search(7) + search(180))
PADDED_BENCH(greatest_divisor, greatest_divisor(1071, 462))
PADDED_BENCH(checksum, checksum(text))
PADDED_BENCH(steps, steps(100))
