/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * How busy the core of a CPU is before that is lent: by others on its other hardware thread, whom the probes tell (clock/probe.h), and by
 * others on the CPU itself, who get it whenever it is yielded.
 *
 * A child is pinned there for about a millisecond, and not the launcher: whatever runs there at SCHED_FIFO would keep that from the
 * runners whose windows it has to end.
 */

#include <stddef.h>
#include <stdint.h>

#include "clock/probe.h"

typedef struct ClockFacts ClockFacts;

/* A ruler and both probes in one go, after a yield. */
typedef struct CoreLoadReading {
        uint64_t ruler_ticks;
        ProbeReading probe;
        uint64_t ticks; /* from the end of the one before */
} CoreLoadReading;

/* The share of the time of @n @readings that is slow, from 0 to 1, by the levels of @clock; 1 where @n is 0. Pure. */
double core_load_slow_share(const ClockFacts *clock, const CoreLoadReading *readings, size_t n);

/*
 * The same for this moment on @cpu, of @clock. 1 where a child does not get a word in there within some milliseconds; negative where it
 * cannot be told: there are no probes, or this process may not use @cpu.
 */
double core_load_probe(const ClockFacts *clock, int cpu);
