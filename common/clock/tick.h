/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Reading the time-stamp counter around timed code.
 *
 * A start must let nothing older leak in and nothing younger begin before it: lfence on both sides. A stop must wait for
 * everything older (rdtscp does) and let nothing younger begin before it. CPUID is never used to serialise: it traps in a
 * guest and takes microseconds there. (Intel SDM vol. 2B RDTSC, RDTSCP; AMD APM vol. 3.)
 */

#include <stdint.h>

static inline uint64_t tick_start(void) {
        uint32_t low, high;

        __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
        return (uint64_t)high << 32 | low;
}

/* @ret_aux receives TSC_AUX, in which Linux keeps the CPU's number in the low 12 bits. */
static inline uint64_t tick_stop(uint32_t *ret_aux) {
        uint32_t low, high, aux;

        __asm__ volatile("rdtscp\n\tlfence" : "=a"(low), "=d"(high), "=c"(aux) : : "memory");
        *ret_aux = aux;
        return (uint64_t)high << 32 | low;
}

static inline uint32_t tick_aux_cpu(uint32_t aux) {
        return aux & 0xfff;
}
