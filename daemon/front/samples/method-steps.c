/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/samples/method-steps.h"

#include <stdlib.h>
#include <string.h>

#include "front/base/message.h"
#include "front/samples/sample.h"
#include "stats/pool.h"
#include "util/cleanup.h"
#include "util/error.h"

/* The end of the samples that have the count of the one at @first. */
static uint32_t step_end(const SampleBlock *block, uint32_t first) {
        uint32_t end = first;

        while (end < block->n_samples && block->samples[end].iterations == block->samples[first].iterations)
                end++;
        return end;
}

static int method_steps_add(MethodSteps *steps, const SampleBlock *block, uint32_t first, uint32_t end,
                const ClockFacts *clock) {
        double values[RUNNER_SAMPLES_MAX];
        PoolSummary summary;
        int r;

        for (uint32_t i = first; i < end; i++)
                values[i - first] = sample_operation_ns(block, &block->samples[i], clock);
        r = pool_summarize_values(values, end - first, &summary);
        if (r)
                return error_fold(r);
        steps->rows[steps->n++] = (MethodStep){
                .iterations = block->samples[first].iterations,
                .samples = end - first,
                .mean_ns = summary.mean,
                .stddev_ns = summary.stddev,
        };
        return 0;
}

int method_steps_of(const SampleBlock *block, const ClockFacts *clock, MethodSteps *ret_steps) {
        MethodSteps steps = {};
        int r = 0;

        for (uint32_t first = 0, end; first < block->n_samples && steps.n < METHOD_STEPS_MAX && r == 0; first = end) {
                end = step_end(block, first);
                r = method_steps_add(&steps, block, first, end, clock);
        }
        if (r)
                return error_trace(r);
        *ret_steps = steps;
        return 0;
}

int method_steps_copy_last(const SampleBlock *block, SampleBlock **ret_last) {
        SampleBlock *last = malloc(sizeof *last);
        uint32_t first = 0;

        if (!last)
                return error_origin(-ENOMEM);
        while (step_end(block, first) < block->n_samples)
                first = step_end(block, first);
        memcpy(last, block, sizeof *last);
        last->n_samples -= first;
        memmove(last->samples, last->samples + first, last->n_samples * sizeof *last->samples);
        *ret_last = last;
        return 0;
}

int method_steps_report(const MethodSteps *steps, Arena *arena, Benchd__BenchmarkResult *result) {
        result->steps = arena_zero(arena, (steps->n + 1) * sizeof *result->steps);
        if (!result->steps)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < steps->n; i++) {
                Benchd__Step *step = message_new(arena, Benchd__Step, benchd__step);

                if (!step)
                        return error_origin(-ENOMEM);
                message_set(step, iterations, steps->rows[i].iterations);
                message_set(step, samples, steps->rows[i].samples);
                message_set_finite(step, mean_ns, steps->rows[i].mean_ns);
                message_set_finite(step, stddev_ns, steps->rows[i].stddev_ns);
                result->steps[result->n_steps++] = step;
        }
        return 0;
}
