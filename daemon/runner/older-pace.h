/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The paces of older harnesses: how many iterations the next batch has, and whether it is a sample. Pure, as
 * runner/pace.h.
 *
 * FIXED: the count is given. SEARCH: it is multiplied until one batch takes over the target, which is not a sample yet.
 * LAST_STEP and ALL_STEPS (Sestoft's Mark5 to Mark8): as many batches of each count as there are to be samples, and the
 * count multiplied until the last of them takes the target.
 *
 * None of them looks whether times hold still, or leaves anything out. The budget bounds them: no count is multiplied whose
 * batches, pauses included, would outlast it, and when it is over sampling ends, though not under three samples.
 */

#include <stdbool.h>
#include <stdint.h>

#include "runner/pace-step.h"

typedef struct ClockFacts ClockFacts;
typedef struct RunnerSchedule RunnerSchedule;

typedef struct OlderPace {
        uint32_t kind; /* RunnerPace */
        uint32_t growth;
        uint32_t samples; /* in all, or of a step */
        uint64_t iterations;
        uint64_t iterations_last;
        uint64_t iterations_max;
        uint64_t target_ticks;
        uint64_t least_ticks;
        uint64_t long_ticks; /* 0: no first call is long */
        uint64_t warmup_ticks;
        uint64_t budget_ticks;

        RunnerPhase phase;
        uint32_t n_samples; /* so far; of this step */
        uint64_t sampled_ticks;
        uint64_t passed_ticks;      /* of all batches, with what lay between them */
        uint64_t step_passed_ticks; /* ... of those of this count */
        uint64_t warmup_spent_ticks;
        uint64_t warmup_batches;
} OlderPace;

/* @iterations_max bounds every batch, given counts included. */
void older_pace_init(OlderPace *pace, const RunnerSchedule *schedule, const ClockFacts *clock, uint64_t iterations_max);

/* Each as of runner/pace.h. */
PaceStep older_pace_first(OlderPace *pace);
PaceStep older_pace_first_unprimed(OlderPace *pace);
PaceStep older_pace_next(OlderPace *pace, uint64_t ticks, uint64_t passed_ticks);
