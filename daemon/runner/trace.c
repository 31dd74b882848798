/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/trace.h"

#include <string.h>

#include "runner/now.h"
#include "runner/team.h"
#include "runner/window.h"

static void trace_end_phase(Trace *trace, const Window *window) {
        TracePhase *phase;

        if (trace->n == 0)
                return;
        phase = &trace->phases[trace->n - 1];
        phase->end_ticks = now_ticks(trace->clock);
        phase->windows_asked = window->n_fifo + window->n_other - trace->asked_before;
        phase->windows_fifo = window->n_fifo - trace->fifo_before;
        phase->window_wait_ns = window->wait_ns - trace->wait_before_ns;
}

void trace_phase(Trace *trace, RunnerPhase phase, const Window *window) {
        if ((trace->n > 0 && trace->phases[trace->n - 1].phase == phase) || trace->n == RUNNER_TRACE_MAX)
                return;
        trace_end_phase(trace, window);
        trace->asked_before = window->n_fifo + window->n_other;
        trace->fifo_before = window->n_fifo;
        trace->wait_before_ns = window->wait_ns;
        trace->phases[trace->n++] = (TracePhase){ .phase = phase, .start_ticks = now_ticks(trace->clock) };
}

void trace_batch(Trace *trace, const Team *team) {
        TracePhase *phase = &trace->phases[trace->n - 1];

        phase->batches++;
        for (size_t i = 0; i < team_size(team); i++) {
                const BodyBatch *batch = team_batch(team, i);

                phase->iterations += batch->iterations;
                phase->interrupted += (batch->flags & MARK_INTERRUPTED) != 0;
                phase->preempted += (batch->flags & MARK_PREEMPTED) != 0;
        }
}

void trace_tell(Trace *trace, const Window *window, SampleBlock *block) {
        trace_end_phase(trace, window);
        memcpy(block->trace, trace->phases, trace->n * sizeof *trace->phases);
        block->n_trace = trace->n;
}
