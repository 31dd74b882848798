/* SPDX-License-Identifier: MIT */
#include "clock/stopwatch.h"

#include <time.h>

uint64_t stopwatch_raw(void) {
        struct timespec now;

        __asm__ volatile("lfence" : : : "memory");
        clock_gettime(CLOCK_MONOTONIC_RAW, &now);
        __asm__ volatile("lfence" : : : "memory");
        return (uint64_t)now.tv_sec * 1000000000u + now.tv_nsec;
}
