/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Samples of a block that is checked: the class of one, by what marked it, and its time. A sample is a batch; its time is that of
 * one operation: (ticks - paused - cost of a batch) / hz / iterations / operations; or what the body told. Pure.
 */

#include <stdbool.h>

#include "ops/block.h"

/* From the best. The first two are quiet. A program's own faults are its work. */
typedef enum SampleClass {
        SAMPLE_CLASS_UNDISTURBED, /* nothing marked it */
        SAMPLE_CLASS_QUIET,       /* had the core alone and at one go; interrupted, or at another frequency */
        SAMPLE_CLASS_SHARED,      /* another hardware thread used the core, by a probe beside it */
        SAMPLE_CLASS_BESIDE,      /* beside one that was shared, or in a stretch that was lightly so */
        SAMPLE_CLASS_TAKEN,       /* preempted, migrated or stretched */
        _SAMPLE_CLASS_N,
} SampleClass;

SampleClass sample_class(const Sample *sample);

/* True if another hardware thread used the core, then or beside it. */
bool sample_has_company(const Sample *sample);

/* Its marks. A neighbour slows the rulers too: that is no other frequency then. */
uint32_t sample_marks(const Sample *sample);

double sample_ticks_to_ns(double ticks, const ClockFacts *clock);

/* True if the time of @sample is not of ticks: the body told it itself, or it is CPU time. */
bool sample_is_manual(const Sample *sample);

/* The ticks of @sample without its pauses and the cost of a batch; as many as the body's own time has. */
double sample_net_ticks(const Sample *sample, const ClockFacts *clock);

/* The step of the clock that timed @sample, one of @block, in ticks; 0 of a time that the body told. */
double sample_step_ticks(const SampleBlock *block, const Sample *sample, const ClockFacts *clock);

/* The time of one operation of @sample, one of @block. */
double sample_operation_ns(const SampleBlock *block, const Sample *sample, const ClockFacts *clock);

/* The core's frequency while @sample ran, by the rulers beside it; NaN if they cannot tell, or its time is the body's own. */
double sample_core_hz(const Sample *sample, const ClockFacts *clock);

/* The cost of the empty loop, an operation; 0 if none was timed. */
typedef struct SampleLoopCost {
        double ns;
        double cycles; /* NaN: not all of its batches have them */
} SampleLoopCost;

/* The medians over the empty loop's batches in @block. */
SampleLoopCost sample_loop_cost(const SampleBlock *block, const ClockFacts *clock);

/* The time from the first sample's start to the last one's end. */
double sample_sequence_ns(const SampleBlock *block, const ClockFacts *clock);
