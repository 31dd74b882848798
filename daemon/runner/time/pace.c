/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/time/pace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clock/conversion.h"

#define OLDER_SAMPLES_MIN 3u

static uint64_t least_of(uint64_t a, uint64_t b) {
        return a < b ? a : b;
}

void pace_older_init(PaceOlder *pace, const RunnerSchedule *schedule, const ClockFacts *clock,
                uint64_t iterations_max) {
        *pace = (PaceOlder){
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

static PaceStep older_step(PaceOlder *pace, RunnerPhase phase, uint64_t iterations) {
        pace->phase = phase;
        return (PaceStep){ .phase = phase, .iterations = iterations };
}

PaceStep pace_older_first(PaceOlder *pace) {
        return older_step(pace, RUNNER_PHASE_FIRST_CALL, 1);
}

PaceStep pace_older_first_unprimed(PaceOlder *pace) {
        bool warms_up = pace->warmup_ticks > 0 || pace->kind == RUNNER_PACE_SEARCH;

        return older_step(pace, warms_up ? RUNNER_PHASE_WARMUP : RUNNER_PHASE_SAMPLING, pace->iterations);
}

static PaceStep older_after_first_call(PaceOlder *pace, uint64_t ticks, uint64_t passed_ticks) {
        pace->warmup_spent_ticks = passed_ticks;
        if (pace->long_ticks > 0 && ticks > pace->long_ticks) {
                pace->iterations = 1;
                pace->samples = least_of(pace->samples, OLDER_SAMPLES_MIN);
        }
        return pace_older_first_unprimed(pace);
}

/*
 * True if the batches of a multiplied count would fit the budget, in elapsed time: pauses are not timed, so a count could be
 * multiplied until its batches last hours.
 */
static bool older_growth_fits(const PaceOlder *pace) {
        return pace->passed_ticks + (double)pace->step_passed_ticks * pace->growth < pace->budget_ticks;
}

/* Multiplies the count; false if it has reached its limit. */
static bool older_grow(PaceOlder *pace) {
        uint64_t iterations = least_of(pace->iterations * pace->growth, pace->iterations_max);

        if (pace->iterations >= pace->iterations_last || iterations <= pace->iterations || !older_growth_fits(pace))
                return false;
        pace->iterations = iterations;
        pace->step_passed_ticks = 0;
        return true;
}

static PaceStep older_after_warmup_batch(PaceOlder *pace, uint64_t ticks, uint64_t passed_ticks) {
        bool goes_on;

        pace->warmup_spent_ticks += passed_ticks;
        pace->warmup_batches++;
        if (pace->kind == RUNNER_PACE_SEARCH)
                goes_on = ticks <= pace->target_ticks && older_grow(pace);
        else
                goes_on = pace->warmup_spent_ticks < pace->warmup_ticks;
        return older_step(pace, goes_on ? RUNNER_PHASE_WARMUP : RUNNER_PHASE_SAMPLING, pace->iterations);
}

static bool older_has_enough(const PaceOlder *pace) {
        if (pace->n_samples >= OLDER_SAMPLES_MIN && pace->passed_ticks >= pace->budget_ticks)
                return true;
        if (pace->n_samples >= RUNNER_SAMPLES_MAX)
                return true;
        return pace->n_samples >= pace->samples && pace->sampled_ticks >= pace->least_ticks;
}

/* Call it after all batches of one count, the last of which took @ticks. True if there is another count. */
static bool older_begin_step(PaceOlder *pace, uint64_t ticks) {
        bool steps = pace->kind == RUNNER_PACE_LAST_STEP || pace->kind == RUNNER_PACE_ALL_STEPS;

        if (!steps || ticks >= pace->target_ticks || !older_grow(pace))
                return false;
        pace->n_samples = 0;
        return true;
}

static PaceStep older_after_sample(PaceOlder *pace, uint64_t ticks) {
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

static void older_note_passed(PaceOlder *pace, uint64_t passed_ticks) {
        pace->passed_ticks += passed_ticks;
        pace->step_passed_ticks += passed_ticks;
}

/* The budget covers neither a warm-up by the clock, which has its own limit, nor priming, which is one call. */
PaceStep pace_older_next(PaceOlder *pace, uint64_t ticks, uint64_t passed_ticks) {
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

#define PACE_QUANTA         1000.0 /* a batch of so many quanta is read to 0.1 % */
#define PACE_STILL          0.01
#define PACE_LONG_ENOUGH    0.8 /* of the target: a batch that was slowed when its length was found is shorter later */
#define PACE_ROOM           1.1
#define PACE_PATIENCE       2u /* times the least warm-up */
#define PACE_SAMPLES_MIN    3u
#define PACE_LADDER_QUANTA  20.0 /* a shorter batch is read too coarsely */
#define PACE_LADDER_STEP    1.25 /* from one count to the next */
#define PACE_LADDER_RISES   2u
#define PACE_LADDER_RISE    3.0 /* from the lowest time to the last */
#define PACE_CROWDED        4u  /* times the target, outside the timed part */
#define PACE_LONG_NS        1000000000ull
#define PACE_VERY_LONG_NS   10000000000ull
#define PACE_ITERATIONS_MAX (1ull << 40)

/*
 * A sample is known to be quiet after the next one, and this function learns it one batch later: it never waits for the
 * last two.
 */
static void pace_want_quiet(Pace *pace, uint32_t quiet) {
        pace->wanted_quiet = least_of(quiet, pace->wanted_samples > 2 ? pace->wanted_samples - 2 : 0);
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
                .quantum_ticks = clock->quantum_ticks,
                .fixed_iterations = least_of(schedule->iterations, iterations_max),
                .iterations_max = least_of(iterations_max, PACE_ITERATIONS_MAX),
                .wanted_samples = schedule->samples,
                .samples_most = schedule->samples_most > schedule->samples ? schedule->samples_most : schedule->samples,
                .quiet_ticks = ns_to_ticks(schedule->quiet_ns, clock->hz),
                .is_older = schedule->pace != RUNNER_PACE_SETTLED,
        };
        pace_want_quiet(pace, schedule->quiet_samples);
        if (pace->is_older)
                pace_older_init(&pace->older, schedule, clock, iterations_max);
}

static PaceStep pace_step(Pace *pace, RunnerPhase phase) {
        pace->phase = phase;
        return (PaceStep){ .phase = phase, .iterations = pace->iterations };
}

PaceStep pace_first(Pace *pace) {
        if (pace->is_older)
                return pace_older_first(&pace->older);
        pace->iterations = 1;
        return pace_step(pace, RUNNER_PHASE_FIRST_CALL);
}

/* True if no count has to be found and no time has to pass. */
static bool pace_has_no_warmup(const Pace *pace) {
        return pace->fixed_iterations > 0 && pace->warmup_max_ticks == 0;
}

PaceStep pace_first_unprimed(Pace *pace) {
        if (pace->is_older)
                return pace_older_first_unprimed(&pace->older);
        pace->iterations = pace->fixed_iterations > 0 ? pace->fixed_iterations : 1;
        return pace_step(pace, pace_has_no_warmup(pace) ? RUNNER_PHASE_SAMPLING : RUNNER_PHASE_WARMUP);
}

/* Reduces the samples, to three at least, if at @ticks each they would exceed the budget. */
static void pace_fit_budget(Pace *pace, uint64_t ticks) {
        uint64_t fit = ticks > 0 ? pace->budget_ticks / ticks : pace->wanted_samples;

        if (ticks >= ns_to_ticks(PACE_LONG_NS, pace->hz) || fit < PACE_SAMPLES_MIN)
                fit = PACE_SAMPLES_MIN;
        pace->wanted_samples = least_of(fit, pace->wanted_samples);
        pace_want_quiet(pace, pace->wanted_quiet);
}

/*
 * True if there are enough samples and enough of them had the core alone, or a limit on their number or time is
 * reached.
 */
static bool pace_has_enough(const Pace *pace, uint32_t n_quiet) {
        return pace->n_samples >= pace->wanted_samples &&
               (n_quiet >= pace->wanted_quiet || pace->n_samples >= pace->samples_most ||
                               pace->sampling_ticks >= pace->quiet_ticks);
}

/* Records the last batch as a sample, in the sampling phase (@sampling) or still in the warm-up. */
static PaceStep pace_record(Pace *pace, const PaceBatch *batch, bool sampling) {
        PaceStep step;

        pace->n_samples++;
        pace->sampling_ticks += batch->passed_ticks;
        step = pace_step(pace, !sampling                               ? RUNNER_PHASE_WARMUP
                               : pace_has_enough(pace, batch->n_quiet) ? RUNNER_PHASE_TEARDOWN
                                                                       : RUNNER_PHASE_SAMPLING);
        step.record = true;
        step.fresh = pace->stale;
        pace->stale = false;
        return step;
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

/*
 * True if a batch twice as long would leave the budget no room for samples, because of the time beside its timed part:
 * pauses, or the other side of a comparison.
 */
static bool pace_is_crowded(const Pace *pace, uint64_t ticks, uint64_t passed_ticks) {
        uint64_t beside = passed_ticks > ticks ? passed_ticks - ticks : 0;

        return beside > pace->budget_ticks / (2 * PACE_SAMPLES_MIN) && beside > PACE_CROWDED * pace->target_ticks;
}

/* Times are not, or no longer, steady: the warm-up goes on, and its samples no longer count. */
static void pace_unsettle(Pace *pace) {
        pace->stale |= pace->n_samples > 0;
        pace->still = false;
        pace->n_samples = 0;
        pace->sampling_ticks = 0;
}

/* Notes a warm-up batch; checks whether times are steady each time a group is full. */
static void pace_watch_stillness(Pace *pace, uint64_t ticks) {
        double before, after;

        if (pace->n_group == 2 * PACE_GROUP) {
                memmove(pace->group, pace->group + PACE_GROUP, PACE_GROUP * sizeof *pace->group);
                pace->n_group = PACE_GROUP;
        }
        pace->group[pace->n_group++] = ticks;
        if (pace->n_group < 2 * PACE_GROUP)
                return;
        before = group_median(pace->group);
        after = group_median(pace->group + PACE_GROUP);
        if (fabs(after - before) <= PACE_STILL * before)
                pace->still = true;
        else
                pace_unsettle(pace);
}

/* Changes the length of batches: what was learnt about the last length is void. */
static void pace_lengthen(Pace *pace, double factor) {
        const uint64_t longer = pace->iterations * factor + 1;

        pace->iterations = least_of(longer, pace->iterations_max);
        pace->long_enough = 0;
        pace->n_group = 0;
        pace_unsettle(pace);
}

/*
 * Doubles a batch that is far too short, and sets a longer one to the target; true once two batches in a row were long enough, or
 * cannot be longer, or the count is given.
 */
static bool pace_length_found(Pace *pace, uint64_t ticks, uint64_t passed_ticks) {
        if (pace->fixed_iterations > 0) {
                pace->iterations = pace->fixed_iterations;
                return true;
        }
        pace->crowded = ticks < pace->target_ticks && pace_is_crowded(pace, ticks, passed_ticks);
        if (ticks >= PACE_LONG_ENOUGH * pace->target_ticks || pace->crowded || pace->iterations == pace->iterations_max)
                return ++pace->long_enough >= 2;
        pace_lengthen(pace, 2 * ticks < PACE_ROOM * pace->target_ticks ? 2 : PACE_ROOM * pace->target_ticks / ticks);
        return false;
}

/* True if too few batches have the core alone to check steadiness; then the clock ends the warm-up. */
static bool pace_cannot_tell(const Pace *pace) {
        return pace->n_group < 2 * PACE_GROUP && pace->warmup_ticks >= PACE_PATIENCE * pace->warmup_min_ticks &&
               pace->n_shared > pace->warmup_batches / 2;
}

/* True if the rest of the warm-up takes no more batches than may be samples. */
static bool pace_may_record(const Pace *pace, uint64_t passed_ticks) {
        return pace->warmup_ticks + passed_ticks * (pace->wanted_samples / 2) >= pace->warmup_min_ticks &&
               pace->n_samples < pace->samples_most;
}

/*
 * Notes the first batch of each count. Cold code gets quicker from count to count, which restarts the ladder. A
 * neighbour that appears meanwhile raises the time by at most a factor of two.
 */
static void pace_climb(Pace *pace, const PaceBatch *batch, uint64_t iterations) {
        const double of_one = (double)batch->ticks / iterations;
        PaceLadder *ladder = &pace->ladder;

        if (iterations == ladder->iterations || batch->ticks < PACE_LADDER_QUANTA * pace->quantum_ticks)
                return;
        if (ladder->lowest == 0 || of_one < ladder->lowest) {
                ladder->lowest = of_one;
                ladder->n_steps = ladder->n_rises = 0;
        } else {
                ladder->n_steps++;
                ladder->n_rises += of_one > PACE_LADDER_STEP * ladder->last;
        }
        ladder->last = of_one;
        ladder->iterations = iterations;
}

double pace_rise(const Pace *pace) {
        const PaceLadder *ladder = &pace->ladder;

        if (ladder->n_rises < PACE_LADDER_RISES || 4 * ladder->n_rises < 3 * ladder->n_steps ||
                        ladder->last < PACE_LADDER_RISE * ladder->lowest)
                return 0;
        return ladder->last / ladder->lowest;
}

static PaceStep pace_after_warmup_batch(Pace *pace, const PaceBatch *batch) {
        uint64_t iterations = pace->iterations;
        bool found, over;

        pace->warmup_ticks += batch->passed_ticks;
        pace->warmup_batches++;
        pace->n_shared += batch->shared;
        if (pace->warmup_batches == 1 && batch->ticks >= ns_to_ticks(PACE_LONG_NS, pace->hz)) {
                pace_fit_budget(pace, batch->passed_ticks);
                return pace_step(pace, RUNNER_PHASE_SAMPLING);
        }
        found = pace_length_found(pace, batch->ticks, batch->passed_ticks);
        pace_climb(pace, batch, iterations);
        if (pace->iterations == iterations && !batch->shared)
                pace_watch_stillness(pace, batch->ticks);
        over = pace->warmup_ticks >= pace->warmup_max_ticks || pace_cannot_tell(pace) ||
               (pace->still && pace->warmup_ticks >= pace->warmup_min_ticks);
        over &= found;
        if (over)
                pace_fit_budget(pace, batch->passed_ticks);
        if (found && pace->still && pace_may_record(pace, batch->passed_ticks))
                return pace_record(pace, batch, over);
        return pace_step(pace, over ? RUNNER_PHASE_SAMPLING : RUNNER_PHASE_WARMUP);
}

static PaceStep pace_after_first_call(Pace *pace, const PaceBatch *batch) {
        pace->warmup_ticks = batch->passed_ticks;
        if (pace->fixed_iterations > 0)
                pace->iterations = pace->fixed_iterations;
        if (batch->ticks < ns_to_ticks(PACE_LONG_NS, pace->hz))
                return pace_step(pace, pace_has_no_warmup(pace) ? RUNNER_PHASE_SAMPLING : RUNNER_PHASE_WARMUP);
        pace_fit_budget(pace, batch->passed_ticks * pace->iterations);
        return pace_step(pace, RUNNER_PHASE_SAMPLING);
}

/* Without a warm-up the first sample is the first to show the time of one; a first call may take longer. */
static PaceStep pace_after_sample(Pace *pace, const PaceBatch *batch) {
        if (pace->warmup_batches == 0 && pace->n_samples == 0)
                pace_fit_budget(pace, batch->passed_ticks);
        return pace_record(pace, batch, true);
}

/* The warm-up time of every pace is reported in the same field. */
static PaceStep pace_next_older(Pace *pace, const PaceBatch *batch) {
        PaceStep step = pace_older_next(&pace->older, batch->ticks, batch->passed_ticks);

        pace->warmup_ticks = pace->older.warmup_spent_ticks;
        pace->warmup_batches = pace->older.warmup_batches;
        return step;
}

PaceStep pace_next(Pace *pace, const PaceBatch *batch) {
        bool first = !pace->begun;

        if (pace->is_older)
                return pace_next_older(pace, batch);
        pace->begun = true;
        if (first && batch->ticks >= ns_to_ticks(PACE_VERY_LONG_NS, pace->hz))
                return (PaceStep){ .phase = RUNNER_PHASE_TEARDOWN, .record = true };
        switch (pace->phase) {
        case RUNNER_PHASE_FIRST_CALL:
                return pace_after_first_call(pace, batch);
        case RUNNER_PHASE_WARMUP:
                return pace_after_warmup_batch(pace, batch);
        default:
                return pace_after_sample(pace, batch);
        }
}
