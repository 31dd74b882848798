/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Reading the time-stamp counter around timed code.
 *
 * A start must let nothing older leak in and nothing younger begin before it: lfence on both sides. A stop must wait for
 * everything older (rdtscp does) and let nothing younger begin before it. A guest whose processor does not announce
 * rdtscp may not execute it, and stops as it starts. CPUID is never used to serialise: it traps in a guest and takes
 * microseconds there. (Intel SDM vol. 2B RDTSC, RDTSCP; AMD APM vol. 3.)
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The processor announces rdtscp. Known before main(), and constant from then on. */
extern bool tick_has_rdtscp;

static inline uint64_t tick_start(void) {
        uint32_t low, high;

        __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
        return (uint64_t)high << 32 | low;
}

static inline uint64_t tick_stop(void) {
        uint32_t low, high;

        if (__builtin_expect(!tick_has_rdtscp, 0))
                return tick_start();
        __asm__ volatile("rdtscp\n\tlfence" : "=a"(low), "=d"(high) : : "rcx", "memory");
        return (uint64_t)high << 32 | low;
}

/*
 * The clock of a batch: the time-stamp counter, or, if its rate follows the core's or the kernel gave it up,
 * CLOCK_MONOTONIC_RAW, whose ticks are nanoseconds. A stopwatch is a function, and NULL for the counter, so that reading
 * the counter stays inline behind one branch that is always foretold.
 */

typedef uint64_t TickStopwatch(void);

/* CLOCK_MONOTONIC_RAW in nanoseconds, with nothing older leaking in and nothing younger beginning before it is read. */
uint64_t tick_stopwatch_raw(void);

static inline uint64_t tick_stopwatch_start(TickStopwatch *stopwatch) {
        return __builtin_expect(!stopwatch, 1) ? tick_start() : stopwatch();
}

static inline uint64_t tick_stopwatch_stop(TickStopwatch *stopwatch) {
        return __builtin_expect(!stopwatch, 1) ? tick_stop() : stopwatch();
}
