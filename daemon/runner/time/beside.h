/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The readings beside a batch, on the thread that runs it, and what they tell of the batch: the rulers outside, and
 * between them and the clock's own readings the probes (clock/probe.h), which the body runs (runner/time/body.h), since
 * nothing but iterations of its own may come between them and the batch. The ruler after a batch is the one before the next, if nothing came
 * between them.
 */

#include <stdbool.h>
#include <stdint.h>

#include "clock/probe.h"

typedef struct BodyBatch BodyBatch;
typedef struct ClockFacts ClockFacts;
typedef struct Sample Sample;

#define BESIDE_STRETCH 3u /* a batch with the one before and the one after it */

typedef struct Beside {
        const ClockFacts *clock;
        ProbePair pairs[BESIDE_STRETCH]; /* of the latest batches, the last at the end */
        uint32_t n_pairs;
        uint64_t before_ticks; /* of the rulers; 0: none was run */
        uint64_t after_ticks;
        uint32_t after_flags; /* what disturbed the ruler itself */
} Beside;

/* The rulers before and after @batch. @adjacent: nothing came between the last batch and this one. */
void beside_begin(Beside *beside, bool adjacent);
void beside_end(Beside *beside, const BodyBatch *batch);

/* Tells whether @reading, at @cycles_per_tick, took longer than what @clock says it takes alone. */
bool beside_is_slow(const ClockFacts *clock, const ProbeReading *reading, double cycles_per_tick);

/* Which of the probes of a batch were slow. */
typedef struct BesideProbes {
        bool before;
        bool after;
} BesideProbes;

/* False for both where no probes or no rulers were run. */
BesideProbes beside_probes(const Beside *beside, const BodyBatch *batch);

/* Tells whether the probes beside the latest @n batches, or as many as there were, took longer on average than alone. */
bool beside_stretch_is_slow(const Beside *beside, uint32_t n);

/* Adds to @sample of @batch what was read beside it; what the probes say only where they are @probed. */
void beside_fill(const Beside *beside, const BodyBatch *batch, bool probed, Sample *sample);
