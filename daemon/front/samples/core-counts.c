/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/samples/core-counts.h"

#include <math.h>
#include <stdlib.h>

#include "front/base/message.h"
#include "front/samples/sample.h"
#include "stats/quantile.h"
#include "util/cleanup.h"
#include "util/error.h"

/* Places in arrays of counters. */
enum {
        PMU_CYCLES,
        PMU_INSTRUCTIONS,
        PMU_BRANCH_MISSES,
        PMU_CACHE_MISSES,
};

void core_counts_deinit(CoreCounts *counts) {
        for (size_t i = 0; i < RUNNER_COUNTERS_MAX; i++)
                quantity_deinit(&counts->quantities[i]);
}

static double sample_count(const SampleBlock *block, const Sample *sample, size_t counter, const ClockFacts *clock) {
        double count = (double)sample->counts[counter] - clock->counter_cost[counter];

        return count / sample->iterations / sample_block_ops(block, sample);
}

/* A sample has a count if its bit is set. */
static bool sample_has_count(const Sample *sample, size_t counter) {
        return (sample->counters >> counter) & 1;
}

static int core_counts_add_counter(Quantity *quantity, size_t counter, const SampleBlock *block,
                const ClockFacts *clock, const QuantityConditions *conditions) {
        QuantityProcess process;
        uint32_t n_counted = 0;
        bool enough;
        int r;

        r = quantity_reserve(quantity, block->n_samples, block->n_loop_samples);
        if (r)
                return error_trace(r);
        for (uint32_t i = 0; i < block->n_samples; i++)
                n_counted += sample_has_count(&block->samples[i], counter);
        enough = 2 * n_counted >= block->n_samples;
        for (uint32_t i = 0; enough && i < block->n_samples; i++) {
                const Sample *sample = &block->samples[i];

                if (sample_has_count(sample, counter))
                        quantity_add(quantity, sample_count(block, sample, counter, clock), sample_class(sample));
        }
        for (uint32_t i = 0; enough && i < block->n_loop_samples; i++)
                if (sample_has_count(&block->loop_samples[i], counter))
                        quantity_add_loop(quantity, sample_count(block, &block->loop_samples[i], counter, clock),
                                        sample_class(&block->loop_samples[i]));
        return error_trace(quantity_end_process(quantity, conditions, &process));
}

int core_counts_add(CoreCounts *counts, const SampleBlock *block, const ClockFacts *clock,
                const QuantityConditions *conditions) {
        int r = 0;

        for (size_t i = 0; r == 0 && i < RUNNER_COUNTERS_MAX; i++)
                r = core_counts_add_counter(&counts->quantities[i], i, block, clock, conditions);
        return error_trace(r);
}

Quantity *core_counts_cycles(CoreCounts *counts) {
        Quantity *cycles = &counts->quantities[PMU_CYCLES];

        return quantity_is_known(cycles) ? cycles : NULL;
}

/* The median over the processes; NaN unless each has one. */
static int quantity_median(const Quantity *quantity, double *ret_median) {
        _cleanup_(freep) double *medians = NULL;

        if (!quantity_is_known(quantity)) {
                *ret_median = NAN;
                return 0;
        }
        medians = malloc(quantity->n_processes * sizeof *medians);
        if (!medians)
                return error_origin(-ENOMEM);
        *ret_median = quantile_median(medians, quantity_medians(quantity, medians, NULL));
        return 0;
}

int core_counts_report(const CoreCounts *counts, Arena *arena, Benchd__Pmu **ret_message) {
        double medians[RUNNER_COUNTERS_MAX];
        Benchd__Pmu *message;
        int r;

        for (size_t i = 0; i < RUNNER_COUNTERS_MAX; i++) {
                r = quantity_median(&counts->quantities[i], &medians[i]);
                if (r)
                        return error_trace(r);
        }
        if (!isfinite(medians[PMU_CYCLES]))
                return 0;
        message = message_new(arena, Benchd__Pmu, benchd__pmu);
        if (!message)
                return error_origin(-ENOMEM);
        message_set_finite(message, instructions, medians[PMU_INSTRUCTIONS]);
        if (medians[PMU_CYCLES] > 0)
                message_set_finite(message, ipc, medians[PMU_INSTRUCTIONS] / medians[PMU_CYCLES]);
        message_set_finite(message, branch_misses, medians[PMU_BRANCH_MISSES]);
        message_set_finite(message, cache_misses, medians[PMU_CACHE_MISSES]);
        *ret_message = message;
        return 0;
}
