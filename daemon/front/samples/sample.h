/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Samples of a checked block: the class of a sample, by its marks, and its time. A sample is a batch; its time is per operation: (ticks -
 * paused - cost of a batch) / hz / iterations / operations; or the time that the body set. Pure.
 */

#include <stdbool.h>

#include "ops/block.h"

/* From best to worst. The first two are quiet. A program's own page faults are its work, not a disturbance. */
typedef enum SampleClass {
        SAMPLE_CLASS_UNDISTURBED, /* nothing marked it */
        SAMPLE_CLASS_QUIET,       /* had the core alone and without preemption; interrupted, or at another frequency */
        SAMPLE_CLASS_SHARED,      /* a probe beside it says that another hardware thread used the core */
        SAMPLE_CLASS_BESIDE,      /* beside a shared one, or in a lightly shared stretch */
        SAMPLE_CLASS_TAKEN,       /* preempted, migrated or stretched */
        _SAMPLE_CLASS_N,
} SampleClass;

SampleClass sample_class(const Sample *sample);

/* True if another hardware thread used the core during or beside @sample. */
bool sample_has_company(const Sample *sample);

/* The marks of @sample, without MARK_FREQUENCY beside a neighbour, which slows the rulers too. */
uint32_t sample_marks(const Sample *sample);

double sample_ticks_to_ns(double ticks, const ClockFacts *clock);

/* True if the time of @sample does not come from ticks: the body set it, or it is CPU time. */
bool sample_is_manual(const Sample *sample);

/* The ticks of @sample without its pauses and the cost of a batch; of a time set by the body, that time in ticks. */
double sample_net_ticks(const Sample *sample, const ClockFacts *clock);

/* The step in ticks of the clock that timed @sample of @block; 0 for a time set by the body. */
double sample_step_ticks(const SampleBlock *block, const Sample *sample, const ClockFacts *clock);

/* The time per operation of @sample of @block. */
double sample_operation_ns(const SampleBlock *block, const Sample *sample, const ClockFacts *clock);

/* The core's frequency while @sample ran, from the rulers beside it; NaN if unknown, or if the body set the time. */
double sample_core_hz(const Sample *sample, const ClockFacts *clock);

/* The cost of the empty loop per operation; 0 if none was timed. */
typedef struct SampleLoopCost {
        double ns;
        double cycles; /* NaN: not all batches have them */
} SampleLoopCost;

/* The medians over the empty loop's batches in @block. */
SampleLoopCost sample_loop_cost(const SampleBlock *block, const ClockFacts *clock);

/* The time from the start of the first sample to the end of the last one. */
double sample_sequence_ns(const SampleBlock *block, const ClockFacts *clock);
