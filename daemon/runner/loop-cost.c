/* SPDX-License-Identifier: GPL-3.0-or-later */
#define BENCH_NO_MODULE
#include "runner/loop-cost.h"

#include <benchd/bench.h>

#include <stdbool.h>

#include "clock/conversion.h"
#include "runner/now.h"
#include "runner/record.h"
#include "runner/report.h"
#include "runner/team.h"
#include "runner/window.h"
#include "util/cleanup.h"

#define LOOP_COST_FIRST 3u   /* batches that find their code and their branches, and are not kept */
#define LOOP_COST_TRIES 120u /* batches, for as many as are kept to have the core alone */
#define LOOP_COST_BATCH_NS                                                                                             \
 1000000u /* at most, however long a batch is wanted: a quantum of a coarse clock is still lost in it */

DEFINE_CLEANUP(Team *, team_free)

static void loop_cost_body(struct bench *b) {
        bench_loop(b) {
        }
}

const struct bench_descriptor *loop_cost_descriptor(void) {
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

/* Runs a batch of @team; @expected_ticks of the last one become those of this one. */
static BodyState loop_cost_step(const RunnerPlan *plan, Team *team, Window *window, TeamBatch *batch,
                uint64_t *expected_ticks) {
        uint64_t began_ticks;
        BodyState state;

        batch->adjacent = window_ensure(window, ticks_to_ns(*expected_ticks, plan->clock.hz)) && *expected_ticks > 0;
        began_ticks = now_ticks(&plan->clock);
        state = team_run_batch(team, batch);
        *expected_ticks = now_ticks(&plan->clock) - began_ticks;
        return state;
}

/* A branch a cycle is what a neighbour slows most: the loop beside one is kept only where no more than @tries are left. */
static void loop_cost_keep(const RunnerPlan *plan, const Team *team, uint32_t tries, SampleBlock *block) {
        const bool probed = block->probes == SAMPLE_PROBES_ON;
        const Sample sample = record_sample(plan, team, 0, 0, probed);
        const bool shared = (sample.flags & MARK_SHARED) || (probed && team_stretch_is_slow(team, BESIDE_STRETCH));

        if (!shared || tries <= RUNNER_LOOP_SAMPLES_MAX - block->n_loop_samples)
                block->loop_samples[block->n_loop_samples++] = sample;
}

void loop_cost_measure(const RunnerPlan *plan, Window *window, Trace *trace, SampleBlock *block) {
        _cleanup_(team_freep) Team *team = NULL;
        uint64_t expected_ticks = 0;
        TeamBatch batch = { .iterations = loop_cost_iterations(plan, block), .sample = true };

        if (!loop_cost_is_wanted(plan, block) ||
                        team_new(loop_cost_descriptor(), plan, 0, BODY_STACK_ASIDE, &block->head, &team))
                return;
        report_phase(&block->head, RUNNER_PHASE_LOOP);
        trace_phase(trace, RUNNER_PHASE_LOOP, window);
        team_start(team);
        for (uint32_t i = 0; i < LOOP_COST_FIRST + LOOP_COST_TRIES && block->n_loop_samples < RUNNER_LOOP_SAMPLES_MAX;
                        i++) {
                if (loop_cost_step(plan, team, window, &batch, &expected_ticks) != BODY_WAITS)
                        return;
                trace_batch(trace, team);
                if (i >= LOOP_COST_FIRST)
                        loop_cost_keep(plan, team, LOOP_COST_FIRST + LOOP_COST_TRIES - i, block);
        }
        team_finish(team);
}
