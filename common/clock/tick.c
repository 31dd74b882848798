/* SPDX-License-Identifier: MIT */
#include "clock/tick.h"

#include <cpuid.h>
#include <time.h>

#define LEAF_EXTENDED_FEATURES 0x80000001u
#define EDX_RDTSCP             (1u << 27)

bool tick_has_rdtscp;

/* Once a process, since CPUID is slow in a guest. */
__attribute__((constructor)) static void tick_find_rdtscp(void) {
        uint32_t eax, ebx, ecx, edx;

        tick_has_rdtscp = __get_cpuid(LEAF_EXTENDED_FEATURES, &eax, &ebx, &ecx, &edx) && (edx & EDX_RDTSCP);
}

uint64_t tick_stopwatch_raw(void) {
        struct timespec now;

        __asm__ volatile("lfence" : : : "memory");
        clock_gettime(CLOCK_MONOTONIC_RAW, &now);
        __asm__ volatile("lfence" : : : "memory");
        return (uint64_t)now.tv_sec * 1000000000u + now.tv_nsec;
}
