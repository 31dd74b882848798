/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/samples/method-runs.h"

#include <math.h>

#include "front/base/message.h"
#include "front/samples/sample.h"
#include "util/error.h"

void method_runs_of(const SampleBlock *block, const ClockFacts *clock, MethodRuns *ret_runs) {
        ret_runs->n = 0;
        for (uint32_t i = 0; i < block->n_samples; i++) {
                const Sample *sample = &block->samples[i];
                const double ticks = sample_net_ticks(sample, clock);

                if (sample->thread == 0)
                        ret_runs->rows[ret_runs->n++] = (MethodRun){
                                .ticks = ticks,
                                .elapsed_ns = sample_ticks_to_ns(ticks, clock),
                                .time_ns = sample_operation_ns(block, sample, clock),
                        };
        }
}

double method_runs_spread(const MethodRuns *runs) {
        double shortest = INFINITY, longest = 0;

        for (size_t i = 0; i < runs->n; i++) {
                shortest = fmin(shortest, runs->rows[i].ticks);
                longest = fmax(longest, runs->rows[i].ticks);
        }
        return runs->n > 1 && shortest > 0 ? (longest - shortest) / shortest : NAN;
}

int method_runs_report(const MethodRuns *runs, Arena *arena, Benchd__BenchmarkResult *result) {
        result->runs = arena_zero(arena, (runs->n + 1) * sizeof *result->runs);
        if (!result->runs)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < runs->n; i++) {
                Benchd__Run *run = message_new(arena, Benchd__Run, benchd__run);

                if (!run)
                        return error_origin(-ENOMEM);
                message_set(run, ticks, llrint(runs->rows[i].ticks));
                message_set_finite(run, elapsed_ns, runs->rows[i].elapsed_ns);
                message_set_finite(run, time_ns, runs->rows[i].time_ns);
                result->runs[result->n_runs++] = run;
        }
        message_set_finite(result, runs_spread, method_runs_spread(runs));
        return 0;
}
