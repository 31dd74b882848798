/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * How busy the core of a CPU is before the CPU is lent: with work on its other hardware thread, which the probes detect (clock/probe.h),
 * and with work on the CPU itself, which runs whenever the CPU is yielded.
 *
 * A child is pinned there for about a millisecond, and not the launcher itself: a task at SCHED_FIFO there would keep the launcher from
 * ending the windows of runners.
 */

#include <stddef.h>
#include <stdint.h>

#include "clock/probe.h"

typedef struct ClockFacts ClockFacts;

/* A ruler and both probes in one go, after a yield. */
typedef struct CoreLoadReading {
        uint64_t ruler_ticks;
        ProbeReading probe;
        uint64_t ticks; /* from the end of the last reading */
} CoreLoadReading;

/* The share of the time of @n @readings that is slow, from 0 to 1, by the levels of @clock; 1 where @n is 0. Pure. */
double core_load_slow_share(const ClockFacts *clock, const CoreLoadReading *readings, size_t n);

/*
 * Measures that share on @cpu, with the facts @clock. 1 if a child does not get the CPU within some milliseconds; negative if it cannot
 * be measured: there are no probes, or this process may not use @cpu.
 */
double core_load_probe(const ClockFacts *clock, int cpu);
