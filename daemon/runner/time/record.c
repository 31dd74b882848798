/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/time/record.h"

#include <string.h>

#include "clock/conversion.h"
#include "clock/ruler.h"
#include "runner/time/now.h"
#include "runner/time/team.h"
#include "runner/time/window.h"
#include "runner/watch/detect.h"

/* The paused time, including the cost of pausing. */
static uint64_t record_paused_ticks(const BodyBatch *batch, double pause_cost_ticks) {
        double paused = batch->paused_ticks + batch->n_pauses * pause_cost_ticks;
        uint64_t ticks = batch->stop_ticks - batch->start_ticks;

        return paused < ticks ? paused : ticks;
}

/* The cost of a pause in ticks changes with the core's frequency since calibration, because it is mostly cycles. */
static double record_pause_cost(const ClockFacts *clock, const Sample *sample) {
        /* the quicker: an interrupt may have stretched the other */
        const double ruler_ticks = sample->ruler_before_ticks < sample->ruler_after_ticks ? sample->ruler_before_ticks
                                                                                          : sample->ruler_after_ticks;

        if (!(clock->pause_cycles_per_tick > 0) || clock->ruler_turns == 0 || sample->ruler_before_ticks == 0 ||
                        sample->ruler_after_ticks == 0 || !(ruler_ticks > clock->ruler_cost_ticks))
                return clock->pause_cost_ticks;
        return clock->pause_cost_ticks * clock->pause_cycles_per_tick /
               ruler_cycles_per_tick(clock->ruler_turns, ruler_ticks, clock->ruler_cost_ticks);
}

/* The time inside the batch: between the clock's two readings, without pauses and the cost of reading and calling. */
static uint64_t record_net_ticks(const RunnerPlan *plan, const BodyBatch *batch) {
        uint64_t ticks = batch->stop_ticks - batch->start_ticks -
                         record_paused_ticks(batch, plan->clock.pause_cost_ticks);

        return ticks > plan->clock.batch_cost_ticks ? ticks - plan->clock.batch_cost_ticks : 0;
}

/*
 * Uses only the time-stamp counter, since another clock may itself come from the hypervisor. Starts where the kernel's
 * account begins.
 */
static uint32_t record_stolen(const RunnerPlan *plan, const BodyBatch *batch) {
        const double lasted_ns = ticks_to_ns(batch->stop_ticks - batch->began_ticks, plan->clock.hz);

        return plan->clock.source == CLOCK_SOURCE_TSC && usage_is_stolen(&batch->usage, lasted_ns) ? MARK_STOLEN : 0;
}

/*
 * With CPUs for the body's own threads, the scheduler may move the measured thread among them: that is no disturbance.
 */
static uint32_t record_migrated(const RunnerPlan *plan, const BodyBatch *batch) {
        if (batch->cpu_start == batch->cpu_stop)
                return 0;
        for (uint32_t i = 0; plan->own_cpus > 0 && i < runner_plan_n_cpus(plan); i++)
                if ((uint32_t)plan->cpus[i] == batch->cpu_stop)
                        return 0;
        return MARK_MIGRATED;
}

/* The marks by which a thread knows itself to be disturbed. */
static uint32_t record_marks(const RunnerPlan *plan, const BodyBatch *batch, uint32_t switched_off) {
        if (plan->options & RUNNER_OPTION_COMMANDS)
                return 0;
        return (batch->flags & ~detect_flags(switched_off)) | usage_flags(&batch->usage) | record_stolen(plan, batch) |
               record_migrated(plan, batch);
}

Sample record_sample(const RunnerPlan *plan, const Team *team, size_t member, uint32_t switched_off, bool probed) {
        const BodyBatch *batch = team_batch(team, member);
        Sample sample = {
                .start_ticks = batch->start_ticks,
                .ticks = batch->stop_ticks - batch->start_ticks,
                .iterations = batch->iterations,
                .cpu_start = batch->cpu_start,
                .cpu_stop = batch->cpu_stop,
                .flags = record_marks(plan, batch, switched_off) | (batch->led ? SAMPLE_FLAG_LED : 0),
                .thread = member,
                .manual_ns = batch->manual_ns,
        };

        /*
         * The core's counters also count in a pause and outside of times that a body reports: such batches have none.
         */
        sample.counters = batch->n_pauses == 0 && batch->manual_ns == 0 ? batch->usage.pmu.counters : 0;
        memcpy(sample.counts, batch->usage.pmu.counts, sizeof sample.counts);
        team_fill(team, member, probed, &sample);
        sample.paused_ticks = record_paused_ticks(batch, record_pause_cost(&plan->clock, &sample));
        return sample;
}

void record_counts(const BodyBatch *batch, SampleBlock *block) {
        if (block->n_samples >= SAMPLE_BLOCK_COUNTED_MAX)
                return;
        for (uint32_t i = 0; i < batch->n_counted; i++)
                block->counts[block->n_samples][i] = batch->counts[i] / (double)batch->iterations;
}

uint64_t record_longest_ticks(const RunnerPlan *plan, const Team *team) {
        uint64_t longest = 0;

        for (size_t i = 0; i < team_size(team); i++) {
                uint64_t ticks = record_net_ticks(plan, team_batch(team, i));

                longest = ticks > longest ? ticks : longest;
        }
        return longest;
}

static void trace_end_phase(RecordTrace *trace, const Window *window) {
        SampleTracePhase *phase;

        if (trace->n == 0)
                return;
        phase = &trace->phases[trace->n - 1];
        phase->end_ticks = now_ticks(trace->clock);
        phase->windows_asked = window->n_fifo + window->n_other - trace->asked_before;
        phase->windows_fifo = window->n_fifo - trace->fifo_before;
        phase->window_wait_ns = window->wait_ns - trace->wait_before_ns;
}

void record_trace_phase(RecordTrace *trace, RunnerPhase phase, const Window *window) {
        if ((trace->n > 0 && trace->phases[trace->n - 1].phase == phase) || trace->n == RUNNER_TRACE_MAX)
                return;
        trace_end_phase(trace, window);
        trace->asked_before = window->n_fifo + window->n_other;
        trace->fifo_before = window->n_fifo;
        trace->wait_before_ns = window->wait_ns;
        trace->phases[trace->n++] = (SampleTracePhase){ .phase = phase, .start_ticks = now_ticks(trace->clock) };
}

void record_trace_batch(RecordTrace *trace, const Team *team) {
        SampleTracePhase *phase = &trace->phases[trace->n - 1];

        phase->batches++;
        for (size_t i = 0; i < team_size(team); i++) {
                const BodyBatch *batch = team_batch(team, i);

                phase->iterations += batch->iterations;
                phase->interrupted += (batch->flags & MARK_INTERRUPTED) != 0;
                phase->preempted += (batch->flags & MARK_PREEMPTED) != 0;
        }
}

void record_trace_tell(RecordTrace *trace, const Window *window, SampleBlock *block) {
        trace_end_phase(trace, window);
        memcpy(block->trace, trace->phases, trace->n * sizeof *trace->phases);
        block->n_trace = trace->n;
}
