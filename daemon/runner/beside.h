/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The readings beside a batch, on the thread that runs it, and what they tell of the batch: the rulers outside, and
 * between them and the clock's own readings the probes (clock/probe.h), which the body runs (runner/body.h), since
 * nothing but iterations of its own may come between them and the batch. The ruler after a batch is the one before the next, if nothing came
 * between them.
 */

#include <stdbool.h>
#include <stdint.h>

typedef struct BodyBatch BodyBatch;
typedef struct ClockFacts ClockFacts;
typedef struct ProbeReading ProbeReading;
typedef struct Sample Sample;

typedef struct Beside {
        const ClockFacts *clock;
        uint64_t before_ticks; /* of the rulers; 0: none was run */
        uint64_t after_ticks;
        uint32_t after_flags; /* what disturbed the ruler itself */
} Beside;

/* The rulers. @adjacent: nothing came between the last batch and this one. */
void beside_begin(Beside *beside, bool adjacent);
void beside_end(Beside *beside);

/* Tells whether @reading, at @cycles_per_tick, took longer than what @clock says it takes alone. */
bool beside_is_slow(const ClockFacts *clock, const ProbeReading *reading, double cycles_per_tick);

/* Which of the probes of a batch were slow. */
typedef struct BesideProbes {
        bool before;
        bool after;
} BesideProbes;

/* False for both where no probes or no rulers were run. */
BesideProbes beside_probes(const Beside *beside, const BodyBatch *batch);

/* Adds to @sample of @batch what was read beside it; what the probes say only where they are @probed. */
void beside_fill(const Beside *beside, const BodyBatch *batch, bool probed, Sample *sample);
