/* SPDX-License-Identifier: GPL-3.0-or-later */
#define BENCH_NO_MODULE
#include "runner/time/measure.h"

#include <benchd/bench.h>

#include <stdbool.h>
#include <string.h>

#include "clock/conversion.h"
#include "ops/window.h"
#include "runner/time/lockstep.h"
#include "runner/time/now.h"
#include "runner/time/pace.h"
#include "runner/time/record.h"
#include "runner/time/side.h"
#include "runner/time/team.h"
#include "runner/time/window.h"
#include "runner/watch/conduct.h"
#include "runner/watch/report.h"
#include "util/cleanup.h"

#define LOOP_COST_FIRST 3u   /* batches that warm up code and branches, and are not kept */
#define LOOP_COST_TRIES 120u /* batches, until all kept ones had the core alone */
#define LOOP_COST_BATCH_NS                                                                                             \
 1000000u /* at most, whatever the target: a quantum of a coarse clock is still negligible in it */

static void loop_cost_body(struct bench *b) {
        bench_loop(b) {
        }
}

const struct bench_descriptor *measure_empty_descriptor(void) {
        static const struct bench_descriptor descriptor = { .run = loop_cost_body };

        return &descriptor;
}

static uint64_t least_of(uint64_t a, uint64_t b) {
        return a < b ? a : b;
}

static bool loop_cost_is_wanted(const RunnerPlan *plan, const SampleBlock *block) {
        return plan->n_threads == 1 && block->n_samples > 0 && block->samples[0].manual_ns == 0 &&
               (block->iterations > 1 || (plan->options & RUNNER_OPTION_COLD));
}

static uint64_t loop_cost_iterations(const RunnerPlan *plan, const SampleBlock *block) {
        uint64_t wanted_ns = least_of(plan->schedule.target_ns, LOOP_COST_BATCH_NS);

        return least_of(block->iterations, ns_to_ticks(wanted_ns, plan->clock.hz) + 1);
}

/* Runs a batch of @team, and updates @expected_ticks from the last batch to this one. */
static BodyState loop_cost_step(const RunnerPlan *plan, Team *team, Window *window, LockstepBatch *batch,
                uint64_t *expected_ticks) {
        uint64_t began_ticks;
        BodyState state;

        batch->adjacent = window_ensure(window, ticks_to_ns(*expected_ticks, plan->clock.hz)) && *expected_ticks > 0;
        began_ticks = now_ticks(&plan->clock);
        state = team_run_batch(team, batch);
        *expected_ticks = now_ticks(&plan->clock) - began_ticks;
        return state;
}

/*
 * A neighbour slows a loop of one branch per cycle most: batches beside one are kept only if at most @tries are left.
 */
static void loop_cost_keep(const RunnerPlan *plan, const Team *team, uint32_t tries, SampleBlock *block) {
        const bool probed = block->probes == SAMPLE_PROBES_ON;
        const Sample sample = record_sample(plan, team, 0, 0, probed);
        const bool shared = (sample.flags & MARK_SHARED) || (probed && team_stretch_is_slow(team, BESIDE_STRETCH));

        if (!shared || tries <= RUNNER_LOOP_SAMPLES_MAX - block->n_loop_samples)
                block->loop_samples[block->n_loop_samples++] = sample;
}

/* Measures the empty loop for the samples in @block, into it; without memory the block has none. */
static void loop_cost_measure(const RunnerPlan *plan, Window *window, RecordTrace *trace, SampleBlock *block) {
        _cleanup_(team_freep) Team *team = NULL;
        uint64_t expected_ticks = 0;
        LockstepBatch batch = { .iterations = loop_cost_iterations(plan, block), .sample = true };

        if (!loop_cost_is_wanted(plan, block) ||
                        team_new(measure_empty_descriptor(), plan, 0, BODY_STACK_ASIDE, &block->head, &team))
                return;
        report_phase(&block->head, RUNNER_PHASE_LOOP);
        record_trace_phase(trace, RUNNER_PHASE_LOOP, window);
        team_start(team);
        for (uint32_t i = 0; i < LOOP_COST_FIRST + LOOP_COST_TRIES && block->n_loop_samples < RUNNER_LOOP_SAMPLES_MAX;
                        i++) {
                if (loop_cost_step(plan, team, window, &batch, &expected_ticks) != BODY_WAITS)
                        return;
                record_trace_batch(trace, team);
                if (i >= LOOP_COST_FIRST)
                        loop_cost_keep(plan, team, LOOP_COST_FIRST + LOOP_COST_TRIES - i, block);
        }
        team_finish(team);
}

/* Estimates the next step's time for the window, to a factor of two, if the last one, of @iterations, took @ticks. */
static uint64_t measure_expected_ns(const RunnerPlan *plan, uint64_t ticks, uint64_t iterations, const PaceStep *next) {
        return iterations == 0 ? 0 : ticks_to_ns((double)ticks * next->iterations / iterations, plan->clock.hz);
}

/* A run under way: its constants, and the next batch. */
typedef struct Measuring {
        const RunnerPlan *plan;
        Window *window;
        Conduct *conduct;
        RecordTrace *trace;
        BlockHead *head;
        SampleBlock *blocks; /* one per side */
        Side sides[RUNNER_SIDES_MAX];
        Side *ended; /* the side whose end is the process's end */
        Pace pace;
        PaceStep step;
        uint64_t n_turns;
        uint64_t passed_ticks; /* elapsed in the last turn */
        uint64_t iterations;   /* of each batch of the turn */
        uint32_t n_recorded;   /* turns that are samples */
        uint32_t n_quiet;      /* ... that had the core alone */
} Measuring;

/* The side at @place in this turn. The order changes from turn to turn, so that neither side always comes first. */
static Side *measure_side(Measuring *run, uint32_t place) {
        return &run->sides[(run->plan->first_side + run->n_turns + place) % run->plan->n_sides];
}

/* The side of this process. */
static Side *measure_leader(Measuring *run) {
        return &run->sides[run->plan->first_side];
}

/* Sets up each side, in the order of the first turn: the second one gets the memory that the first one left. */
static BodyState measure_start(Measuring *run) {
        BodyState state = BODY_WAITS;

        for (uint32_t i = 0; i < run->plan->n_sides && state == BODY_WAITS; i++) {
                run->ended = measure_side(run, i);
                state = side_start(run->ended);
        }
        return state;
}

/* ---- turns */

static BodyState measure_turn(Measuring *run, const LockstepBatch *batch) {
        BodyState state = BODY_WAITS;

        for (uint32_t i = 0; i < run->plan->n_sides && state == BODY_WAITS; i++) {
                run->ended = measure_side(run, i);
                state = team_run_batch(run->ended->team, batch);
                if (state == BODY_WAITS)
                        record_trace_batch(run->trace, run->ended->team);
        }
        run->n_turns++;
        return state;
}

/* The time inside the shortest side's batch: all batches should last the target. */
static uint64_t measure_least_ticks(const Measuring *run) {
        uint64_t least = UINT64_MAX;

        for (uint32_t i = 0; i < run->plan->n_sides; i++) {
                uint64_t ticks = record_longest_ticks(run->plan, run->sides[i].team);

                least = ticks < least ? ticks : least;
        }
        return least;
}

/* True if no sample of the last turn but @n_back, of any side, has a flag among @flags. */
static bool measure_turn_has_none(const Measuring *run, uint32_t n_back, uint32_t flags) {
        for (uint32_t i = 0; i < run->plan->n_sides; i++)
                if (!side_has_none(&run->sides[i], n_back, flags))
                        return false;
        return true;
}

/* True if the probes beside the last @n turns of any side took longer on average than alone. */
static bool measure_stretch_is_slow(const Measuring *run, uint32_t n) {
        for (uint32_t i = 0; i < run->plan->n_sides; i++)
                if (side_stretch_is_slow(&run->sides[i], n))
                        return true;
        return false;
}

static void measure_mark_next(Measuring *run, uint32_t n_back) {
        for (uint32_t i = 0; i < run->plan->n_sides; i++)
                side_mark_next(&run->sides[i], n_back);
}

/*
 * A neighbour that appeared or vanished within a batch may have escaped the probes on both sides: turns next to a shared one do not count,
 * nor does the middle of three turns whose probes are slow only by their mean. No single probe shows such a turn to be shared, so it does
 * not count as shared, and does not spoil its neighbours. A turn is known to be quiet only after the next one.
 */
static void measure_note_neighbours(Measuring *run) {
        if (run->n_recorded == 1)
                return;
        if (!measure_turn_has_none(run, 1, MARK_SHARED))
                measure_mark_next(run, 0);
        if (!measure_turn_has_none(run, 0, MARK_SHARED) || measure_stretch_is_slow(run, BESIDE_STRETCH))
                measure_mark_next(run, 1);
        run->n_quiet += measure_turn_has_none(run, 1, MARKS_DISTURBED | MARKS_SHARED);
}

/* No turn follows the last sample. */
static void measure_note_last(Measuring *run) {
        if (run->n_recorded > 0 && measure_stretch_is_slow(run, BESIDE_STRETCH - 1))
                measure_mark_next(run, 0);
}

static bool measure_waits(const Measuring *run) {
        for (uint32_t i = 0; i < run->plan->n_sides; i++)
                if (side_waits(&run->sides[i]))
                        return true;
        return false;
}

/* Notes the last turn, by its purpose. A first call that is a sample may have outlasted its window. */
static void measure_note(Measuring *run, RunnerPhase phase) {
        for (uint32_t i = 0; i < run->plan->n_sides; i++) {
                if (phase != RUNNER_PHASE_SAMPLING && (!run->step.record || run->step.fresh))
                        side_note_unsampled(&run->sides[i], phase);
                if (run->step.record)
                        side_note_sample(&run->sides[i], run->step.fresh);
        }
        run->window->unwanted = measure_waits(run);
        if (!run->step.record)
                return;
        if (run->step.fresh)
                run->n_recorded = run->n_quiet = 0;
        run->n_recorded++;
        measure_note_neighbours(run);
        run->window->too_long |= ticks_to_ns(run->passed_ticks, run->plan->clock.hz) > WINDOW_LENGTH_NS;
}

static bool measure_is_shared(const Measuring *run) {
        bool shared = false;

        for (uint32_t i = 0; i < run->plan->n_sides; i++)
                shared |= side_is_shared(&run->sides[i]);
        return shared;
}

/* Runs the turn of the present step, and gets the next step. */
static BodyState measure_step(Measuring *run) {
        LockstepBatch batch = { .iterations = run->step.iterations,
                .sample = run->step.phase != RUNNER_PHASE_FIRST_CALL };
        RunnerPhase phase = run->step.phase;
        uint64_t began_ticks;
        BodyState state;

        report_phase(run->head, phase);
        record_trace_phase(run->trace, phase, run->window);
        batch.adjacent = window_ensure(run->window, measure_expected_ns(run->plan, run->passed_ticks, run->iterations,
                                                                    &run->step)) &&
                         run->plan->n_sides == 1;
        began_ticks = now_ticks(&run->plan->clock);
        state = measure_turn(run, &batch);
        if (state != BODY_WAITS)
                return state;
        run->passed_ticks = now_ticks(&run->plan->clock) - began_ticks;
        if (conduct_left_thread(run->conduct)) {
                report_end(run->head, RUNNER_END_THREAD_LEFT, "%s", "");
                return BODY_ENDED;
        }
        run->iterations = batch.iterations;
        run->step = pace_next(&run->pace, &(PaceBatch){
                                                          .ticks = measure_least_ticks(run),
                                                          .passed_ticks = run->passed_ticks,
                                                          .shared = measure_is_shared(run),
                                                          .n_quiet = run->n_quiet,
                                          });
        measure_note(run, phase);
        return state;
}

/* The empty loop, which comes next, is timed at SCHED_FIFO even if the body is not. */
static void measure_tell_window(Measuring *run) {
        for (uint32_t i = 0; i < run->plan->n_sides; i++)
                run->blocks[i].left_fifo = run->window->unwanted && !run->window->alone;
        run->window->unwanted = false;
}

/* Runs turns until the pace has enough or a body ends; then, within the same windows, the empty loop. */
static BodyState measure_turns(Measuring *run) {
        BodyState state;

        do
                state = measure_step(run);
        while (state == BODY_WAITS && run->step.phase != RUNNER_PHASE_TEARDOWN);
        if (state == BODY_WAITS) {
                measure_note_last(run);
                measure_tell_window(run);
        }
        if (state == BODY_WAITS && run->plan->n_sides == 1)
                loop_cost_measure(run->plan, run->window, run->trace, run->blocks);
        window_close(run->window);
        report_await_children();
        return state;
}

static uint64_t measure_iterations_max(const Measuring *run) {
        uint64_t least = UINT64_MAX;

        for (uint32_t i = 0; i < run->plan->n_sides; i++) {
                uint64_t max = team_iterations_max(run->sides[i].team);

                least = max < least ? max : least;
        }
        return least;
}

static void measure_tell_turns(Measuring *run) {
        conduct_end(run->conduct, &measure_leader(run)->block->conduct);
        for (uint32_t i = 0; i < run->plan->n_sides; i++) {
                SampleBlock *block = &run->blocks[i];

                block->warmup_ticks = run->pace.warmup_ticks;
                block->warmup_batches = run->pace.warmup_batches;
                block->fifo_windows = run->window->n_fifo;
                block->other_windows = run->window->n_other;
                block->long_batches = run->window->too_long;
                block->crowded = run->pace.crowded;
                block->rise = pace_rise(&run->pace);
        }
}

/*
 * With cold caches or state that is reset, a batch is one iteration: a second one is not cold, and state would grow
 * within the batch.
 */
static RunnerSchedule measure_schedule(const Measuring *run) {
        RunnerSchedule schedule = run->plan->schedule;

        for (uint32_t i = 0; i < run->plan->n_sides; i++)
                if ((run->plan->options & RUNNER_OPTION_COLD) || (run->sides[i].resets && schedule.iterations == 0))
                        schedule.iterations = 1;
        return schedule;
}

static bool measure_is_primed(const Measuring *run) {
        for (uint32_t i = 0; i < run->plan->n_sides; i++)
                if (run->sides[i].unprimed)
                        return false;
        return !(run->plan->options & RUNNER_OPTION_NO_PRIME);
}

/*
 * The first call has no SCHED_FIFO: with it a short sleep is over before the kernel counts it, and would go unnoticed. SCHED_FIFO is
 * requested all the same, to find out whether it is available.
 */
static void measure_begin_windows(Measuring *run) {
        (void)window_ensure(run->window, 0);
        run->window->unwanted = measure_is_primed(run);
}

static BodyState measure_loop(Measuring *run) {
        const RunnerSchedule schedule = measure_schedule(run);
        BodyState state;

        pace_init(&run->pace, &schedule, &run->plan->clock, measure_iterations_max(run));
        run->step = measure_is_primed(run) ? pace_first(&run->pace) : pace_first_unprimed(&run->pace);
        measure_begin_windows(run);
        state = measure_turns(run);
        measure_tell_turns(run);
        return state;
}

/* ---- from set-up to tear-down, or as far as the bodies come */

static void measure_bodies(Measuring *run) {
        Side *leader = measure_leader(run);

        report_phase(run->head, RUNNER_PHASE_SETUP);
        record_trace_phase(run->trace, RUNNER_PHASE_SETUP, run->window);
        if (measure_start(run) != BODY_WAITS)
                return;
        side_after_setup(leader, run->conduct, !run->window->alone);
        if (measure_loop(run) != BODY_WAITS)
                return;
        if (!run->window->alone) /* --here reports only times */
                side_tell_memory(leader);
        report_phase(run->head, RUNNER_PHASE_TEARDOWN);
        record_trace_phase(run->trace, RUNNER_PHASE_TEARDOWN, run->window);
        for (uint32_t i = 0; i < run->plan->n_sides; i++) {
                run->ended = &run->sides[i];
                if (team_finish(run->ended->team) != BODY_COMPLETE)
                        return;
        }
        run->ended = leader;
}

static bool measure_make_sides(Measuring *run, const struct bench_descriptor *descriptor) {
        for (uint32_t i = 0; i < run->plan->n_sides; i++) {
                Side *side = &run->sides[i];

                side->block = &run->blocks[i];
                if (i == run->plan->first_side ? !side_init(side, run->plan, i, descriptor, run->head)
                                               : !side_init_other(side, run->plan, i,
                                                                 lockstep_page(run->plan, run->blocks), run->head))
                        return false;
        }
        return true;
}

/* The other process reports on itself, and on its own body's end. */
static void measure_tell(Measuring *run) {
        if (run->plan->options & RUNNER_OPTION_TRACE)
                record_trace_tell(run->trace, run->window, run->blocks);
        for (uint32_t i = 0; i < run->plan->n_sides; i++)
                side_tell(&run->sides[i]);
        team_report_end(run->ended->team);
}

void measure_run(const RunnerPlan *plan, const struct bench_descriptor *descriptor, Conduct *conduct,
                SampleBlock *blocks) {
        Window window = { .alone = plan->options & RUNNER_OPTION_HERE };
        RecordTrace trace = { .clock = &plan->clock };
        Measuring run = {
                .plan = plan,
                .window = &window,
                .conduct = conduct,
                .trace = &trace,
                .head = &blocks[plan->first_side].head,
                .blocks = blocks,
        };

        if (measure_make_sides(&run, descriptor)) {
                measure_bodies(&run);
                window_close(&window);
                measure_tell(&run);
        }
        for (uint32_t i = 0; i < plan->n_sides; i++)
                side_clear(&run.sides[i]);
}
