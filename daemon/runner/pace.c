/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/pace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clock/conversion.h"

#define PACE_QUANTA         1000.0 /* a batch of so many quanta is read to 0.1 % */
#define PACE_STILL          0.01
#define PACE_SAMPLES_MIN    3u
#define PACE_CROWDED        4u /* times the target, beside what is timed */
#define PACE_LONG_NS        1000000000ull
#define PACE_VERY_LONG_NS   10000000000ull
#define PACE_ITERATIONS_MAX (1ull << 40)

static uint64_t least_of(uint64_t a, uint64_t b) {
        return a < b ? a : b;
}

void pace_init(Pace *pace, const RunnerSchedule *schedule, const ClockFacts *clock, uint64_t iterations_max) {
        uint64_t least = clock->quantum_ticks * PACE_QUANTA + 1;
        uint64_t target = ns_to_ticks(schedule->target_ns, clock->hz);

        *pace = (Pace){
                .target_ticks = target > least ? target : least,
                .warmup_min_ticks = ns_to_ticks(schedule->warmup_min_ns, clock->hz),
                .warmup_max_ticks = ns_to_ticks(schedule->warmup_max_ns, clock->hz),
                .budget_ticks = ns_to_ticks(schedule->budget_ns, clock->hz),
                .hz = clock->hz,
                .fixed_iterations = least_of(schedule->iterations, iterations_max),
                .iterations_max = least_of(iterations_max, PACE_ITERATIONS_MAX),
                .wanted_samples = schedule->samples,
                .is_older = schedule->pace != RUNNER_PACE_SETTLED,
        };
        if (pace->is_older)
                older_pace_init(&pace->older, schedule, clock, iterations_max);
}

static PaceStep pace_step(Pace *pace, RunnerPhase phase) {
        pace->phase = phase;
        return (PaceStep){ .phase = phase, .iterations = pace->iterations };
}

PaceStep pace_first(Pace *pace) {
        if (pace->is_older)
                return older_pace_first(&pace->older);
        pace->iterations = 1;
        return pace_step(pace, RUNNER_PHASE_FIRST_CALL);
}

PaceStep pace_first_unprimed(Pace *pace) {
        if (pace->is_older)
                return older_pace_first_unprimed(&pace->older);
        pace->iterations = pace->fixed_iterations > 0 ? pace->fixed_iterations : 1;
        pace->samples_left = pace->wanted_samples;
        return pace_step(pace, pace->fixed_iterations > 0 && pace->warmup_max_ticks == 0 ? RUNNER_PHASE_SAMPLING
                                                                                         : RUNNER_PHASE_WARMUP);
}

/* How many samples fit the budget when one takes @ticks, all in all. */
static uint32_t pace_samples(const Pace *pace, uint64_t ticks) {
        uint64_t fit = ticks > 0 ? pace->budget_ticks / ticks : pace->wanted_samples;

        if (ticks >= ns_to_ticks(PACE_LONG_NS, pace->hz) || fit < PACE_SAMPLES_MIN)
                fit = PACE_SAMPLES_MIN;
        return fit < pace->wanted_samples ? fit : pace->wanted_samples;
}

static PaceStep pace_begin_sampling(Pace *pace, uint64_t ticks) {
        pace->samples_left = pace_samples(pace, ticks);
        return pace_step(pace, RUNNER_PHASE_SAMPLING);
}

static int compare_ticks(const void *a, const void *b) {
        uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

        return (x > y) - (x < y);
}

static double group_median(const uint64_t *group) {
        uint64_t sorted[PACE_GROUP];

        memcpy(sorted, group, sizeof sorted);
        qsort(sorted, PACE_GROUP, sizeof *sorted, compare_ticks);
        return (sorted[PACE_GROUP / 2 - 1] + sorted[PACE_GROUP / 2]) / 2.0;
}

/* Notes a warm-up batch; true once the latest two groups agree. */
static bool pace_holds_still(Pace *pace, uint64_t ticks) {
        double before, after;

        if (pace->n_group == 2 * PACE_GROUP) {
                memmove(pace->group, pace->group + PACE_GROUP, PACE_GROUP * sizeof *pace->group);
                pace->n_group = PACE_GROUP;
        }
        pace->group[pace->n_group++] = ticks;
        if (pace->n_group < 2 * PACE_GROUP)
                return false;
        before = group_median(pace->group);
        after = group_median(pace->group + PACE_GROUP);
        return fabs(after - before) <= PACE_STILL * before;
}

/*
 * Whether a batch twice as long would leave the budget no room for samples, for what is beside the timed part of it: pauses, or
 * the other side of a comparison.
 */
static bool pace_is_crowded(const Pace *pace, uint64_t ticks, uint64_t passed_ticks) {
        uint64_t beside = passed_ticks > ticks ? passed_ticks - ticks : 0;

        return beside > pace->budget_ticks / (2 * PACE_SAMPLES_MIN) && beside > PACE_CROWDED * pace->target_ticks;
}

/* Doubles what is too short; true once two batches in a row lasted the target, or can be no longer, or the count is given. */
static bool pace_length_found(Pace *pace, uint64_t ticks, uint64_t passed_ticks) {
        if (pace->fixed_iterations > 0) {
                pace->iterations = pace->fixed_iterations;
                return true;
        }
        pace->crowded = ticks < pace->target_ticks && pace_is_crowded(pace, ticks, passed_ticks);
        if (ticks >= pace->target_ticks || pace->crowded || pace->iterations == pace->iterations_max)
                return ++pace->long_enough >= 2;
        pace->iterations = least_of(2 * pace->iterations, pace->iterations_max);
        pace->long_enough = 0;
        pace->n_group = 0;
        return false;
}

static PaceStep pace_after_warmup_batch(Pace *pace, uint64_t ticks, uint64_t passed_ticks) {
        uint64_t iterations = pace->iterations;
        bool found, still, over;

        pace->warmup_ticks += passed_ticks;
        pace->warmup_batches++;
        if (pace->warmup_batches == 1 && ticks >= ns_to_ticks(PACE_LONG_NS, pace->hz))
                return pace_begin_sampling(pace, passed_ticks);
        found = pace_length_found(pace, ticks, passed_ticks);
        still = pace->iterations == iterations && pace_holds_still(pace, ticks);
        over = pace->warmup_ticks >= pace->warmup_max_ticks;

        if (found && (over || (still && pace->warmup_ticks >= pace->warmup_min_ticks)))
                return pace_begin_sampling(pace, passed_ticks);
        return pace_step(pace, RUNNER_PHASE_WARMUP);
}

static PaceStep pace_after_first_call(Pace *pace, uint64_t ticks, uint64_t passed_ticks) {
        pace->warmup_ticks = passed_ticks;
        if (pace->fixed_iterations > 0)
                pace->iterations = pace->fixed_iterations;
        if (ticks >= ns_to_ticks(PACE_LONG_NS, pace->hz))
                return pace_begin_sampling(pace, passed_ticks * pace->iterations);
        return pace_step(pace, RUNNER_PHASE_WARMUP);
}

static PaceStep pace_after_sample(Pace *pace, bool first, uint64_t passed_ticks) {
        PaceStep step;

        if (first)
                pace->samples_left = pace_samples(pace, passed_ticks);
        step = pace_step(pace, --pace->samples_left > 0 ? RUNNER_PHASE_SAMPLING : RUNNER_PHASE_TEARDOWN);
        step.record = true;
        return step;
}

/* What warm-up took is told of any pace in the same place. */
static PaceStep pace_next_older(Pace *pace, uint64_t ticks, uint64_t passed_ticks) {
        PaceStep step = older_pace_next(&pace->older, ticks, passed_ticks);

        pace->warmup_ticks = pace->older.warmup_spent_ticks;
        pace->warmup_batches = pace->older.warmup_batches;
        return step;
}

PaceStep pace_next(Pace *pace, uint64_t ticks, uint64_t passed_ticks) {
        bool first = !pace->begun;

        if (pace->is_older)
                return pace_next_older(pace, ticks, passed_ticks);
        pace->begun = true;
        if (first && ticks >= ns_to_ticks(PACE_VERY_LONG_NS, pace->hz))
                return (PaceStep){ .phase = RUNNER_PHASE_TEARDOWN, .record = true };
        switch (pace->phase) {
        case RUNNER_PHASE_FIRST_CALL:
                return pace_after_first_call(pace, ticks, passed_ticks);
        case RUNNER_PHASE_WARMUP:
                return pace_after_warmup_batch(pace, ticks, passed_ticks);
        default:
                return pace_after_sample(pace, first, passed_ticks);
        }
}
