/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Pace: how many iterations the next batch has, and what for. Pure: ticks of the last batch in, the next step out. How long
 * a batch should be is reckoned in its own time, as far as the budget goes; warm-up and budget in the time that passed, which
 * pauses, prepared inputs and the clock itself are part of.
 *
 * First call, alone. Then warm-up: batches doubled until they last the target, repeated until their times hold still
 * (two groups of medians within 1 %) and the least time is over, or the most time is. Then doubling once more until two
 * in a row last the target, since code that has warmed up is faster. Then the samples, fewer where the budget is short,
 * but not under three.
 *
 * A body that takes long is not warmed up: where the first batch took over 1 s there are three samples, where it took
 * over 10 s it is the only one. A batch is never shorter than a thousand quanta of the clock.
 *
 * That is RUNNER_PACE_SETTLED. All others are those of older harnesses (runner/older-pace.h).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/plan.h"
#include "ops/sample-block.h"
#include "runner/older-pace.h"
#include "runner/pace-step.h"

#define PACE_GROUP 8u

typedef struct Pace {
        uint64_t target_ticks;
        uint64_t warmup_min_ticks;
        uint64_t warmup_max_ticks;
        uint64_t budget_ticks;
        double hz;
        uint64_t fixed_iterations;
        uint64_t iterations_max;
        uint32_t wanted_samples;

        RunnerPhase phase;
        uint64_t iterations;
        uint64_t warmup_ticks; /* spent, the first call included */
        uint64_t warmup_batches;
        bool begun;           /* the first batch has ended */
        uint32_t long_enough; /* batches in a row that lasted the target, or could be no longer */
        bool crowded;         /* the last one could not: the samples will be shorter than wanted */
        uint32_t samples_left;
        uint64_t group[2 * PACE_GROUP]; /* the latest warm-up batches of this length */
        size_t n_group;
        bool is_older;
        OlderPace older;
} Pace;

/* @iterations_max bounds every batch, given counts included. */
void pace_init(Pace *pace, const RunnerSchedule *schedule, const ClockFacts *clock, uint64_t iterations_max);

/* The first step: the first call, alone. */
PaceStep pace_first(Pace *pace);

/* ... or, where that is not wanted apart, a batch as any other: of warm-up, or of a given count without any, a sample. */
PaceStep pace_first_unprimed(Pace *pace);

/* What follows a batch that took @ticks, its own cost taken off, @passed_ticks after the last one. */
PaceStep pace_next(Pace *pace, uint64_t ticks, uint64_t passed_ticks);
