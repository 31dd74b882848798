/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "order.h"

#define INSTRUCTION(name, expression)                                                                                  \
 __attribute__((noinline)) static uint64_t name(uint64_t x) {                                                          \
  return (expression);                                                                                                 \
 }

INSTRUCTION(increment, x + 1)
INSTRUCTION(negate, -x)
INSTRUCTION(invert, ~x)
INSTRUCTION(twice, x << 1)
INSTRUCTION(half, x >> 1)
INSTRUCTION(thrice, x * 3)
INSTRUCTION(fold, x ^ x >> 29)
INSTRUCTION(rotate, x << 13 | x >> 51)
INSTRUCTION(swap, __builtin_bswap64(x))
INSTRUCTION(count, x + (uint64_t)__builtin_popcountll(x))
INSTRUCTION(odd, x & 1 ? x * 5 + 1 : x >> 1)
INSTRUCTION(clamp, x > UINT32_MAX ? x ^ UINT32_MAX : x + 7)
INSTRUCTION(lower, x - (x >> 3))
INSTRUCTION(square, x *x)
INSTRUCTION(spread, x * 0x9e3779b97f4a7c15u)
INSTRUCTION(keep, x | 1)

uint64_t order_interpret(const uint8_t *program, size_t n, uint64_t number) {
        static uint64_t (*const instructions[16])(uint64_t) = { increment, negate, invert, twice, half, thrice, fold,
                rotate, swap, count, odd, clamp, lower, square, spread, keep };

        for (size_t i = 0; i < n; i++)
                number = instructions[program[i] % 16](number);
        return number;
}
