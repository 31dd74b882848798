/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/samples/trace.h"

#include "front/base/message.h"
#include "util/error.h"

/* As benchd.proto numbers them. */
static Benchd__TracePhase__Phase trace_phase_name(uint32_t phase) {
        static const Benchd__TracePhase__Phase names[_RUNNER_PHASE_N] = {
                [RUNNER_PHASE_SETUP] = BENCHD__TRACE_PHASE__PHASE__SETUP,
                [RUNNER_PHASE_FIRST_CALL] = BENCHD__TRACE_PHASE__PHASE__FIRST_CALL,
                [RUNNER_PHASE_WARMUP] = BENCHD__TRACE_PHASE__PHASE__WARMUP,
                [RUNNER_PHASE_SAMPLING] = BENCHD__TRACE_PHASE__PHASE__SAMPLING,
                [RUNNER_PHASE_LOOP] = BENCHD__TRACE_PHASE__PHASE__LOOP,
                [RUNNER_PHASE_TEARDOWN] = BENCHD__TRACE_PHASE__PHASE__TEARDOWN,
        };

        return names[phase];
}

static Benchd__TracePhase *trace_report_phase(const TracePhase *of, Arena *arena) {
        Benchd__TracePhase *phase = message_new(arena, Benchd__TracePhase, benchd__trace_phase);

        if (!phase)
                return NULL;
        if (trace_phase_name(of->phase))
                message_set(phase, phase, trace_phase_name(of->phase));
        message_set(phase, start_ticks, of->start_ticks);
        message_set(phase, end_ticks, of->end_ticks);
        message_set(phase, batches, of->batches);
        message_set(phase, iterations, of->iterations);
        message_set(phase, windows_asked, of->windows_asked);
        message_set(phase, windows_fifo, of->windows_fifo);
        message_set(phase, window_wait_ns, of->window_wait_ns);
        message_set(phase, interrupted, of->interrupted);
        message_set(phase, preempted, of->preempted);
        return phase;
}

int trace_report(const TracePhase *phases, uint32_t n, Arena *arena, Benchd__ProcessResult *process) {
        process->trace = arena_zero(arena, RUNNER_TRACE_MAX * sizeof *process->trace);
        if (!process->trace)
                return error_origin(-ENOMEM);
        for (uint32_t i = 0; i < n; i++) {
                process->trace[i] = trace_report_phase(&phases[i], arena);
                if (!process->trace[i])
                        return error_origin(-ENOMEM);
                process->n_trace++;
        }
        return 0;
}
