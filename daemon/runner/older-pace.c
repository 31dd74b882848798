/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/older-pace.h"

#include "clock/conversion.h"
#include "ops/runner-plan.h"

#define OLDER_SAMPLES_MIN 3u

static uint64_t least_of(uint64_t a, uint64_t b) {
        return a < b ? a : b;
}

void older_pace_init(OlderPace *pace, const RunnerSchedule *schedule, const ClockFacts *clock,
                uint64_t iterations_max) {
        *pace = (OlderPace){
                .kind = schedule->pace,
                .growth = schedule->growth,
                .samples = schedule->samples,
                .iterations = least_of(schedule->iterations, iterations_max),
                .iterations_last = schedule->iterations_last,
                .iterations_max = iterations_max,
                .target_ticks = ns_to_ticks(schedule->target_ns, clock->hz),
                .least_ticks = ns_to_ticks(schedule->least_ns, clock->hz),
                .long_ticks = ns_to_ticks(schedule->long_ns, clock->hz),
                .warmup_ticks = ns_to_ticks(schedule->warmup_min_ns, clock->hz),
                .budget_ticks = ns_to_ticks(schedule->budget_ns, clock->hz),
        };
}

static PaceStep older_step(OlderPace *pace, RunnerPhase phase, uint64_t iterations) {
        pace->phase = phase;
        return (PaceStep){ .phase = phase, .iterations = iterations };
}

PaceStep older_pace_first(OlderPace *pace) {
        return older_step(pace, RUNNER_PHASE_FIRST_CALL, 1);
}

PaceStep older_pace_first_unprimed(OlderPace *pace) {
        bool warms_up = pace->warmup_ticks > 0 || pace->kind == RUNNER_PACE_SEARCH;

        return older_step(pace, warms_up ? RUNNER_PHASE_WARMUP : RUNNER_PHASE_SAMPLING, pace->iterations);
}

static PaceStep older_after_first_call(OlderPace *pace, uint64_t ticks, uint64_t passed_ticks) {
        pace->warmup_spent_ticks = passed_ticks;
        if (pace->long_ticks > 0 && ticks > pace->long_ticks) {
                pace->iterations = 1;
                pace->samples = least_of(pace->samples, OLDER_SAMPLES_MIN);
        }
        return older_pace_first_unprimed(pace);
}

static bool older_budget_is_over(const OlderPace *pace) {
        return pace->passed_ticks >= pace->budget_ticks;
}

/*
 * True if the batches of a multiplied count would not outlast the budget. They are reckoned in the time that passes: pauses are not
 * timed, so a count could be multiplied until its batches last hours.
 */
static bool older_growth_fits(const OlderPace *pace) {
        return pace->passed_ticks + (double)pace->step_passed_ticks * pace->growth < pace->budget_ticks;
}

/* Multiplies the count; false where it is as large as it may be. */
static bool older_grow(OlderPace *pace) {
        uint64_t iterations = least_of(pace->iterations * pace->growth, pace->iterations_max);

        if (pace->iterations >= pace->iterations_last || iterations <= pace->iterations || !older_growth_fits(pace))
                return false;
        pace->iterations = iterations;
        pace->step_passed_ticks = 0;
        return true;
}

static PaceStep older_after_warmup_batch(OlderPace *pace, uint64_t ticks, uint64_t passed_ticks) {
        bool goes_on;

        pace->warmup_spent_ticks += passed_ticks;
        pace->warmup_batches++;
        if (pace->kind == RUNNER_PACE_SEARCH)
                goes_on = ticks <= pace->target_ticks && older_grow(pace);
        else
                goes_on = pace->warmup_spent_ticks < pace->warmup_ticks;
        return older_step(pace, goes_on ? RUNNER_PHASE_WARMUP : RUNNER_PHASE_SAMPLING, pace->iterations);
}

static bool older_has_enough(const OlderPace *pace) {
        if (pace->n_samples >= OLDER_SAMPLES_MIN && older_budget_is_over(pace))
                return true;
        if (pace->n_samples >= RUNNER_SAMPLES_MAX)
                return true;
        return pace->n_samples >= pace->samples && pace->sampled_ticks >= pace->least_ticks;
}

/* After all batches of one count, the last of which took @ticks: whether there is another count. */
static bool older_begin_step(OlderPace *pace, uint64_t ticks) {
        bool steps = pace->kind == RUNNER_PACE_LAST_STEP || pace->kind == RUNNER_PACE_ALL_STEPS;

        if (!steps || ticks >= pace->target_ticks || !older_grow(pace))
                return false;
        pace->n_samples = 0;
        return true;
}

static PaceStep older_after_sample(OlderPace *pace, uint64_t ticks) {
        bool fresh = pace->kind == RUNNER_PACE_LAST_STEP && pace->n_samples == 0;
        PaceStep step;
        bool over;

        pace->n_samples++;
        pace->sampled_ticks += ticks;
        over = older_has_enough(pace) && !older_begin_step(pace, ticks);
        step = older_step(pace, over ? RUNNER_PHASE_TEARDOWN : RUNNER_PHASE_SAMPLING, pace->iterations);
        step.record = true;
        step.fresh = fresh;
        return step;
}

static void older_note_passed(OlderPace *pace, uint64_t passed_ticks) {
        pace->passed_ticks += passed_ticks;
        pace->step_passed_ticks += passed_ticks;
}

/* A warm-up by the clock has a bound of its own, and priming takes one call: neither is of the budget. */
PaceStep older_pace_next(OlderPace *pace, uint64_t ticks, uint64_t passed_ticks) {
        switch (pace->phase) {
        case RUNNER_PHASE_FIRST_CALL:
                return older_after_first_call(pace, ticks, passed_ticks);
        case RUNNER_PHASE_WARMUP:
                if (pace->kind == RUNNER_PACE_SEARCH)
                        older_note_passed(pace, passed_ticks);
                return older_after_warmup_batch(pace, ticks, passed_ticks);
        default:
                older_note_passed(pace, passed_ticks);
                return older_after_sample(pace, ticks);
        }
}
