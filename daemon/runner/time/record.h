/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* Turns a batch into its sample, and computes its time without the cost of timing. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/block.h"
#include "runner/time/body.h"

typedef struct Team Team;
typedef struct Window Window;

/*
 * The sample of the last batch of @member of @team, without flags of @switched_off detectors (DETECTOR_*), and with the probes' verdict
 * only if @probed.
 */
Sample record_sample(const RunnerPlan *plan, const Team *team, size_t member, uint32_t switched_off, bool probed);

/* Notes what the body counted in @batch as the counts of the next sample of @block, if there is room. */
void record_counts(const BodyBatch *batch, SampleBlock *block);

/* The time inside the last batch of the slowest member, without pauses and the cost of a batch. */
uint64_t record_longest_ticks(const RunnerPlan *plan, const Team *team);

/*
 * The course of a process: start and end of each phase from set-up on, and counts within. Always noted, so that a
 * traced run behaves like any other; copied to the block at the end if the plan wants it.
 */

typedef struct RecordTrace {
        const ClockFacts *clock;
        uint32_t n;
        SampleTracePhase phases[RUNNER_TRACE_MAX];
        uint32_t asked_before; /* the window's own counts when the phase began */
        uint32_t fifo_before;
        uint64_t wait_before_ns;
} RecordTrace;

/* Begins @phase and ends the last one, unless @phase is already under way. */
void record_trace_phase(RecordTrace *trace, RunnerPhase phase, const Window *window);

/* Notes the end of a batch of the present phase. */
void record_trace_batch(RecordTrace *trace, const Team *team);

/* Ends the last phase and copies all into @block. */
void record_trace_tell(RecordTrace *trace, const Window *window, SampleBlock *block);
