/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "order.h"

int order_compare(const uint32_t *a, const uint32_t *b) {
        return (*a > *b) - (*a < *b);
}

__attribute__((noinline)) static uint64_t add(uint64_t sum, uint64_t word) {
        return sum + word * 0x100000001b3u;
}

__attribute__((noinline)) static uint64_t cross(uint64_t sum, uint64_t word) {
        return (sum ^ word) * 0x9e3779b97f4a7c15u;
}

__attribute__((noinline)) static uint64_t turn(uint64_t sum, uint64_t word) {
        return (sum << 7 | sum >> 57) ^ word;
}

__attribute__((noinline)) static uint64_t pass(uint64_t sum, uint64_t word) {
        return word % 3 == 0 ? sum + 1 : sum ^ word >> 5;
}

uint64_t order_mix(const uint64_t *words, size_t n) {
        uint64_t sum = n;

        for (size_t i = 0; i < n; i++)
                switch (words[i] % 4) {
                case 0:
                        sum = add(sum, words[i]);
                        break;
                case 1:
                        sum = cross(sum, words[i]);
                        break;
                case 2:
                        sum = turn(sum, words[i]);
                        break;
                default:
                        sum = pass(sum, words[i]);
                }
        return sum;
}
