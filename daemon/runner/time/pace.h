/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Pace: how many iterations the next batch has, and what for. Pure: ticks of the last batch in, the next step out. How long
 * a batch should be is reckoned in its own time, as far as the budget goes; warm-up and budget in the time that passed, which
 * pauses, prepared inputs and the clock itself are part of.
 *
 * First call, alone. Then warm-up: batches doubled until they are near the target and then made as long, repeated until their times hold
 * still (two groups of medians within 1 %, of batches that had the core alone) and the least time is over, or the most time is. Batches of
 * the last part of the warm-up, once they hold still, are samples already, for up to half of those wanted. Then the rest of the samples,
 * fewer where the budget is short, but not under three; and more, within a bound, until enough of them had the core alone.
 *
 * A body that takes long is not warmed up: where the first batch took over 1 s there are three samples, where it took
 * over 10 s it is the only one. A batch is never shorter than a thousand quanta of the clock.
 *
 * That is RUNNER_PACE_SETTLED. All others are those of older harnesses.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/block.h"
#include "ops/runner-plan.h"

/* A pace's answer when a batch has ended: the next one, and the fate of the last. */
typedef struct PaceStep {
        RunnerPhase phase; /* FIRST_CALL, WARMUP, SAMPLING, or TEARDOWN: no further batch */
        uint64_t iterations;
        bool record; /* the batch that just ended is a sample */
        bool fresh;  /* ... and what was recorded before it no longer counts */
} PaceStep;

/*
 * The paces of older harnesses: how many iterations the next batch has, and whether it is a sample. Pure.
 *
 * FIXED: the count is given. SEARCH: it is multiplied until one batch takes over the target, which is not a sample yet.
 * LAST_STEP and ALL_STEPS (Sestoft's Mark5 to Mark8): as many batches of each count as there are to be samples, and the
 * count multiplied until the last of them takes the target.
 *
 * None of them looks whether times hold still, or leaves anything out. The budget bounds them: no count is multiplied whose
 * batches, pauses included, would outlast it, and when it is over sampling ends, though not under three samples.
 */

typedef struct PaceOlder {
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
} PaceOlder;

/* @iterations_max bounds every batch, given counts included. */
void pace_older_init(PaceOlder *pace, const RunnerSchedule *schedule, const ClockFacts *clock, uint64_t iterations_max);

/* Each as of the pace. */
PaceStep pace_older_first(PaceOlder *pace);
PaceStep pace_older_first_unprimed(PaceOlder *pace);
PaceStep pace_older_next(PaceOlder *pace, uint64_t ticks, uint64_t passed_ticks);

#define PACE_GROUP 8u

/* The time of an iteration from count to count, as batches are made longer: where it rises, one iteration leaves work to the next. */
typedef struct PaceLadder {
        double lowest; /* of those whose batch lasts some steps of the clock */
        double last;
        uint64_t iterations; /* the latest count */
        unsigned n_steps;
        unsigned n_rises;
} PaceLadder;

typedef struct Pace {
        uint64_t target_ticks;
        uint64_t warmup_min_ticks;
        uint64_t warmup_max_ticks;
        uint64_t budget_ticks;
        double hz;
        double quantum_ticks;
        uint64_t fixed_iterations;
        uint64_t iterations_max;
        uint32_t wanted_samples;
        uint32_t wanted_quiet;
        uint32_t samples_most;
        uint64_t quiet_ticks; /* that sampling may take for quiet samples */

        RunnerPhase phase;
        uint64_t iterations;
        uint64_t warmup_ticks; /* spent, the first call included */
        uint64_t warmup_batches;
        uint64_t n_shared;       /* of them */
        bool begun;              /* the first batch has ended */
        uint32_t long_enough;    /* batches in a row that lasted the target, or could be no longer */
        bool crowded;            /* the last one could not: the samples will be shorter than wanted */
        bool still;              /* the warm-up's latest groups agreed, and its batches are samples since */
        bool stale;              /* some were recorded that no longer count */
        uint32_t n_samples;      /* so far */
        uint64_t sampling_ticks; /* spent on them */
        PaceLadder ladder;
        uint64_t group[2 * PACE_GROUP]; /* the latest warm-up batches of this length that had the core alone */
        size_t n_group;
        bool is_older;
        PaceOlder older;
} Pace;

/* @iterations_max bounds every batch, given counts included. */
void pace_init(Pace *pace, const RunnerSchedule *schedule, const ClockFacts *clock, uint64_t iterations_max);

/* The first step: the first call, alone. */
PaceStep pace_first(Pace *pace);

/* ... or, where that is not wanted apart, a batch as any other: of warm-up, or of a given count without any, a sample. */
PaceStep pace_first_unprimed(Pace *pace);

/* The batch that ended. */
typedef struct PaceBatch {
        uint64_t ticks;        /* its own cost taken off */
        uint64_t passed_ticks; /* since the last one */
        bool shared;           /* another hardware thread used the core beside it */
        uint32_t n_quiet;      /* samples before it that were not: all that are known by now */
} PaceBatch;

PaceStep pace_next(Pace *pace, const PaceBatch *batch);

/* How many times as long an iteration took at the last count as at the quickest, where it rose from count to count; else 0. */
double pace_rise(const Pace *pace);
