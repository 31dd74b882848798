/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Pace: how many iterations the next batch has, and its purpose. Pure: ticks of the last batch in, the next step out. The length of a
 * batch is its timed part, within the budget; warm-up and budget are in elapsed time, including pauses, prepared inputs and the clock
 * itself.
 *
 * First comes a single first call. Then warm-up: batches are doubled until they are near the target, then set to its length, and repeated
 * until their times are steady (two groups of medians within 1 %, of batches that had the core alone) and the minimum time is over, or
 * until the maximum time is. Once times are steady, the last batches of the warm-up are samples already, up to half of the wanted number.
 * Then the rest of the samples: fewer if the budget is short, but at least three; and more, up to a limit, until enough of them had the
 * core alone.
 *
 * A slow body is not warmed up: if the first batch took over 1 s there are three samples, if it took over 10 s it is the only sample. A
 * batch is never shorter than a thousand quanta of the clock.
 *
 * This is RUNNER_PACE_SETTLED. The other paces are those of older harnesses.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/block.h"
#include "ops/runner-plan.h"

/* A pace's decision after a batch: what the next one is, and whether the last one counts. */
typedef struct PaceStep {
        RunnerPhase phase; /* FIRST_CALL, WARMUP, SAMPLING, or TEARDOWN: no further batch */
        uint64_t iterations;
        bool record; /* the last batch is a sample */
        bool fresh;  /* ... and earlier samples no longer count */
} PaceStep;

/*
 * The paces of older harnesses: how many iterations the next batch has, and whether it is a sample. Pure.
 *
 * FIXED: the count is given. SEARCH: the count is multiplied until one batch takes longer than the target; that batch
 * is not a sample. LAST_STEP and ALL_STEPS (Sestoft's Mark5 to Mark8): each count gets as many batches as samples are
 * wanted, and is multiplied until the last of them takes the target.
 *
 * None of them checks that times are steady, or drops a sample. The budget bounds them: a count is not multiplied if
 * its batches, including pauses, would exceed it, and sampling ends when it is used up, but with at least three
 * samples.
 */

typedef struct PaceOlder {
        uint32_t kind; /* RunnerPace */
        uint32_t growth;
        uint32_t samples; /* in all, or per step */
        uint64_t iterations;
        uint64_t iterations_last;
        uint64_t iterations_max;
        uint64_t target_ticks;
        uint64_t least_ticks;
        uint64_t long_ticks; /* 0: no first call is long */
        uint64_t warmup_ticks;
        uint64_t budget_ticks;

        RunnerPhase phase;
        uint32_t n_samples; /* so far, in this step */
        uint64_t sampled_ticks;
        uint64_t passed_ticks;      /* elapsed over all batches, including the time between them */
        uint64_t step_passed_ticks; /* ... over the batches of this count */
        uint64_t warmup_spent_ticks;
        uint64_t warmup_batches;
} PaceOlder;

/* @iterations_max bounds every batch, given counts included. */
void pace_older_init(PaceOlder *pace, const RunnerSchedule *schedule, const ClockFacts *clock, uint64_t iterations_max);

/* As pace_first() and the following. */
PaceStep pace_older_first(PaceOlder *pace);
PaceStep pace_older_first_unprimed(PaceOlder *pace);
PaceStep pace_older_next(PaceOlder *pace, uint64_t ticks, uint64_t passed_ticks);

#define PACE_GROUP 8u

/* The time of an iteration at each count, as batches get longer: if it rises, iterations leave work to later ones. */
typedef struct PaceLadder {
        double lowest; /* of counts whose batch lasts at least some steps of the clock */
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
        uint64_t quiet_ticks; /* the most that sampling may take to get quiet samples */

        RunnerPhase phase;
        uint64_t iterations;
        uint64_t warmup_ticks; /* spent, including the first call */
        uint64_t warmup_batches;
        uint64_t n_shared;       /* of them */
        bool begun;              /* the first batch has ended */
        uint32_t long_enough;    /* batches in a row that lasted the target, or could not be longer */
        bool crowded;            /* the last one could not: samples will be shorter than the target */
        bool still;              /* the warm-up's latest groups agreed, so its batches are samples now */
        bool stale;              /* earlier samples no longer count */
        uint32_t n_samples;      /* so far */
        uint64_t sampling_ticks; /* spent on them */
        PaceLadder ladder;
        uint64_t group[2 * PACE_GROUP]; /* latest warm-up batches of this length that had the core alone */
        size_t n_group;
        bool is_older;
        PaceOlder older;
} Pace;

/* @iterations_max bounds every batch, given counts included. */
void pace_init(Pace *pace, const RunnerSchedule *schedule, const ClockFacts *clock, uint64_t iterations_max);

/* The first step: the first call, alone. */
PaceStep pace_first(Pace *pace);

/*
 * ... or, if no separate first call is wanted, an ordinary batch: of the warm-up, or, with a given count and no
 * warm-up, a sample.
 */
PaceStep pace_first_unprimed(Pace *pace);

/* The last batch. */
typedef struct PaceBatch {
        uint64_t ticks;        /* without its own cost */
        uint64_t passed_ticks; /* elapsed since the one before */
        bool shared;           /* another hardware thread used the core beside it */
        uint32_t n_quiet;      /* earlier samples that were not shared, as far as known */
} PaceBatch;

PaceStep pace_next(Pace *pace, const PaceBatch *batch);

/* The time of an iteration at the last count, relative to the quickest, if it rose from count to count; else 0. */
double pace_rise(const Pace *pace);
