/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The clock of a batch: the time-stamp counter, or, if its rate follows the core's or the kernel gave it up,
 * CLOCK_MONOTONIC_RAW, whose ticks are nanoseconds. A stopwatch is a function, and NULL for the counter, so that reading
 * the counter stays inline behind one branch that is always foretold.
 */

#include <stddef.h>
#include <stdint.h>

#include "clock/tick.h"

typedef uint64_t StopwatchFunction(void);

/* CLOCK_MONOTONIC_RAW in nanoseconds, with nothing older leaking in and nothing younger beginning before it is read. */
uint64_t stopwatch_raw(void);

static inline uint64_t stopwatch_start(StopwatchFunction *stopwatch) {
        return __builtin_expect(!stopwatch, 1) ? tick_start() : stopwatch();
}

static inline uint64_t stopwatch_stop(StopwatchFunction *stopwatch) {
        return __builtin_expect(!stopwatch, 1) ? tick_stop() : stopwatch();
}
