/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * From a batch that was run to the sample that is kept of it, and to the time that it took without what it cost to time.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/block.h"

typedef struct Team Team;
typedef struct Window Window;

/*
 * The sample of the last batch of @member of @team, without what the detectors that are @switched_off (DETECTOR_*) say, and what the probes
 * say unless they are @probed.
 */
Sample record_sample(const RunnerPlan *plan, const Team *team, size_t member, uint32_t switched_off, bool probed);

/* The time inside the last batch of the member that took longest: without pauses, and the cost of a batch. */
uint64_t record_longest_ticks(const RunnerPlan *plan, const Team *team);

/*
 * The course of a process: start and end of each phase from set-up on, and the counts between. Always noted, so
 * that a run that is traced is the run that is not; copied to the block when the burst is over, if the plan wants it.
 */

typedef struct RecordTrace {
        const ClockFacts *clock;
        uint32_t n;
        SampleTracePhase phases[RUNNER_TRACE_MAX];
        uint32_t asked_before; /* the window's own counts when the phase began */
        uint32_t fifo_before;
        uint64_t wait_before_ns;
} RecordTrace;

/* @phase begins, and with it the last one ends, unless it is the one under way. */
void record_trace_phase(RecordTrace *trace, RunnerPhase phase, const Window *window);

/* A batch of the phase under way ended. */
void record_trace_batch(RecordTrace *trace, const Team *team);

/* Ends the last phase and copies all into @block. */
void record_trace_tell(RecordTrace *trace, const Window *window, SampleBlock *block);
