/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* The present time by the plan's clock, in its ticks. */

#include "clock/tick.h"
#include "ops/runner-plan.h"

static inline TickStopwatch *now_stopwatch(const ClockFacts *clock) {
        return clock->source == CLOCK_SOURCE_RAW ? tick_stopwatch_raw : NULL;
}

static inline uint64_t now_ticks(const ClockFacts *clock) {
        return tick_stopwatch_start(now_stopwatch(clock));
}
