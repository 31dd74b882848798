/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The readings beside a batch, on the thread that runs it, and their verdict on the batch: the rulers outermost, then the probes
 * (clock/probe.h), then the clock. The body runs the probes (runner/time/body.h), since only its own iterations may come between them and
 * the batch. The ruler after a batch is also the one before the next, if nothing ran in between.
 */

#include <stdbool.h>
#include <stdint.h>

#include "clock/probe.h"

typedef struct BodyBatch BodyBatch;
typedef struct ClockFacts ClockFacts;
typedef struct Sample Sample;

#define BESIDE_STRETCH 3u /* a batch, the one before and the one after it */

typedef struct Beside {
        const ClockFacts *clock;
        ProbePair pairs[BESIDE_STRETCH]; /* of the latest batches, the last one at the end */
        uint32_t n_pairs;
        uint64_t before_ticks; /* of the rulers; 0: none was run */
        uint64_t after_ticks;
        uint32_t after_flags; /* what disturbed the ruler itself */
} Beside;

/* Run the rulers before and after @batch. @adjacent: nothing ran between the last batch and this one. */
void beside_begin(Beside *beside, bool adjacent);
void beside_end(Beside *beside, const BodyBatch *batch);

/* True if @reading, at @cycles_per_tick, took longer than it takes alone according to @clock. */
bool beside_is_slow(const ClockFacts *clock, const ProbeReading *reading, double cycles_per_tick);

/* Which of the probes of a batch were slow. */
typedef struct BesideProbes {
        bool before;
        bool after;
} BesideProbes;

/* Returns false for both if no probes or no rulers were run. */
BesideProbes beside_probes(const Beside *beside, const BodyBatch *batch);

/* True if the probes beside the latest @n batches, or fewer if there were fewer, took longer on average than alone. */
bool beside_stretch_is_slow(const Beside *beside, uint32_t n);

/* Adds the readings beside @batch to its @sample; the probes' verdict only if @probed. */
void beside_fill(const Beside *beside, const BodyBatch *batch, bool probed, Sample *sample);
