/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Ticks to nanoseconds and back by the calibrated frequency. Differences only, never absolute stamps.
 */

#include <stdint.h>

/* @ticks may have a fraction, since costs are taken off as means. @hz is positive. */
static inline double ticks_to_ns(double ticks, double hz) {
        return ticks * 1e9 / hz;
}

/* The least whole number of ticks that last @ns. */
static inline uint64_t ns_to_ticks(uint64_t ns, double hz) {
        double ticks = (double)ns * hz / 1e9;
        uint64_t whole = (uint64_t)ticks;

        return whole + (whole < ticks);
}
