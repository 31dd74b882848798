/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/samples/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clock/ruler.h"
#include "front/samples/estimate-parts.h"
#include "stats/quantile.h"
#include "util/error.h"
#include "util/time.h"

#define ESTIMATE_CYCLES_BATCH_NS (10 * NS_PER_MS) /* over a longer batch two rulers say nothing of the frequency */

int estimate_new(Estimate **ret_estimate) {
        Estimate *estimate;

        estimate = calloc(1, sizeof *estimate);
        if (!estimate)
                return error_origin(-ENOMEM);
        *ret_estimate = estimate;
        return 0;
}

void estimate_take_off_loop(Estimate *estimate) {
        estimate->takes_off_loop = true;
}

Estimate *estimate_free(Estimate *estimate) {
        if (!estimate)
                return NULL;
        quantity_deinit(&estimate->time_ns);
        quantity_deinit(&estimate->cycles);
        spread_deinit(&estimate->spread);
        core_counts_deinit(&estimate->counts);
        free(estimate->processes);
        free(estimate);
        return NULL;
}

int estimate_medians_ns(const Estimate *estimate, double **ret_medians, size_t *ret_n) {
        double *medians = malloc((estimate->n_processes + 1) * sizeof *medians);

        if (!medians)
                return error_origin(-ENOMEM);
        *ret_n = quantity_medians(&estimate->time_ns, medians);
        *ret_medians = medians;
        return 0;
}

double estimate_step(const Estimate *estimate) {
        double step = 0;

        for (size_t i = 0; i < estimate->n_processes; i++)
                step = fmax(step, estimate->processes[i].step_ns / estimate->processes[i].median_ns);
        return step;
}

/* ---- one process */

static int estimate_reserve(Estimate *estimate, const SampleBlock *block) {
        EstimateProcess *processes;
        int r;

        r = quantity_reserve(&estimate->time_ns, block->n_samples, block->n_loop_samples);
        if (r == 0)
                r = quantity_reserve(&estimate->cycles, block->n_samples, block->n_loop_samples);
        if (r)
                return error_trace(r);
        processes = realloc(estimate->processes, (estimate->n_processes + 1) * sizeof *processes);
        if (!processes)
                return error_origin(-ENOMEM);
        estimate->processes = processes;
        return 0;
}

static double ticks_to_ns(double ticks, const ClockFacts *clock) {
        return ticks / clock->hz * NS_PER_S;
}

double estimate_sample_ns(const SampleBlock *block, const Sample *sample, const ClockFacts *clock) {
        double ticks = (double)(sample->ticks - sample->paused_ticks) - clock->batch_cost_ticks;

        return ticks_to_ns(ticks, clock) / sample->iterations / sample_block_ops(block, sample);
}

/* The core's frequency while @sample ran, by the rulers beside it; NaN where they cannot say. */
static double sample_core_hz(const Sample *sample, const ClockFacts *clock) {
        double ticks = ((double)sample->ruler_before_ticks + sample->ruler_after_ticks) / 2;

        if (clock->ruler_turns == 0 || sample->ruler_before_ticks == 0 || sample->ruler_after_ticks == 0 ||
                        ticks <= clock->ruler_cost_ticks ||
                        ticks_to_ns(sample->ticks - sample->paused_ticks, clock) > ESTIMATE_CYCLES_BATCH_NS)
                return NAN;
        return ruler_core_hz(clock->ruler_turns, ticks, clock->ruler_cost_ticks, clock->hz);
}

/* What the empty loop took, in each quantity; 0 where none was timed. */
typedef struct LoopCost {
        double ns;
        double cycles;
} LoopCost;

/* By the medians over its batches; no cycles unless all have them. */
static LoopCost block_loop_cost(const SampleBlock *block, const ClockFacts *clock) {
        double ns[RUNNER_LOOP_SAMPLES_MAX], cycles[RUNNER_LOOP_SAMPLES_MAX];
        bool known = true;
        LoopCost cost = {};

        for (uint32_t i = 0; i < block->n_loop_samples; i++) {
                ns[i] = estimate_sample_ns(block, &block->loop_samples[i], clock);
                cycles[i] = ns[i] * sample_core_hz(&block->loop_samples[i], clock) / NS_PER_S;
                known &= isfinite(cycles[i]);
        }
        if (block->n_loop_samples == 0)
                return cost;
        cost.ns = median_of(ns, block->n_loop_samples);
        cost.cycles = known ? median_of(cycles, block->n_loop_samples) : NAN;
        return cost;
}

/* Of the last batch, by the thread that gave the last sample. */
static double block_last_operations(const SampleBlock *block) {
        const Sample *last = &block->samples[block->n_samples - 1];

        return last->iterations * sample_block_ops(block, last);
}

/* The samples of the first thread that the last process is judged by, in the order of time. Returns how many. */
static size_t headline_sequence(const Estimate *estimate, const SampleBlock *block, const ClockFacts *clock,
                double *sequence) {
        const LoopCost off = estimate->takes_off_loop ? block_loop_cost(block, clock) : (LoopCost){};
        size_t n = 0;

        for (uint32_t i = 0; i < block->n_samples; i++) {
                const Sample *sample = &block->samples[i];

                if (sample->thread == 0 && sample_class(sample) <= estimate->time_ns.headline_class)
                        sequence[n++] = estimate_sample_ns(block, sample, clock) - off.ns;
        }
        return n;
}

static int estimate_add_spread(Estimate *estimate, const SampleBlock *block, const ClockFacts *clock) {
        const QuantitySamples *headline = &estimate->time_ns.headline;
        _cleanup_(freep) double *sequence = malloc(block->n_samples * sizeof *sequence);
        double per_batch = block_last_operations(block);
        SpreadSamples samples;

        if (!sequence)
                return error_origin(-ENOMEM);
        samples = (SpreadSamples){
                .sequence = sequence,
                .n_sequence = headline_sequence(estimate, block, clock, sequence),
                .sorted = headline->values,
                .n = headline->n,
                .step = ticks_to_ns(clock->quantum_ticks, clock) / per_batch,
                .quiet = estimate->time_ns.headline_class <= SAMPLE_CLASS_QUIET,
                .place = block->image_offset_bytes * RUNNER_IMAGE_OFFSETS / RUNNER_IMAGE_OFFSET_MAX,
        };
        return error_trace(spread_add(&estimate->spread, &samples));
}

static void estimate_add_samples(Estimate *estimate, const SampleBlock *block, const ClockFacts *clock) {
        /* what sleeps or waits leaves the core to others, or to a lower frequency */
        const bool blocks = 2 * (uint64_t)block->conduct.waiting_samples > block->n_samples;
        const LoopCost off = estimate->takes_off_loop ? block_loop_cost(block, clock) : (LoopCost){};

        for (uint32_t i = 0; i < block->n_samples; i++) {
                const Sample *sample = &block->samples[i];
                double ns = estimate_sample_ns(block, sample, clock);
                double core_hz = blocks ? NAN : sample_core_hz(sample, clock);
                SampleClass class = sample_class(sample);

                quantity_add(&estimate->time_ns, ns - off.ns, class);
                if (isfinite(core_hz) && isfinite(off.cycles))
                        quantity_add(&estimate->cycles, ns * core_hz / NS_PER_S - off.cycles, class);
                estimate->iterations += sample->iterations;
                estimate->operations += sample->iterations * sample_block_ops(block, sample);
                estimate->elapsed_ns += ticks_to_ns(sample->ticks, clock);
        }
}

static void estimate_add_loop_samples(Estimate *estimate, const SampleBlock *block, const ClockFacts *clock) {
        for (uint32_t i = 0; i < block->n_loop_samples; i++) {
                const Sample *sample = &block->loop_samples[i];
                double ns = estimate_sample_ns(block, sample, clock);
                double core_hz = sample_core_hz(sample, clock);

                quantity_add_loop(&estimate->time_ns, ns, sample_class(sample));
                if (isfinite(core_hz))
                        quantity_add_loop(&estimate->cycles, ns * core_hz / NS_PER_S, sample_class(sample));
        }
}

static EstimateProcess *estimate_add_process(Estimate *estimate, const SampleBlock *block, const ClockFacts *clock) {
        double per_batch = block_last_operations(block);
        double first_ticks = block->first_call_ticks - clock->batch_cost_ticks;
        EstimateProcess *process = &estimate->processes[estimate->n_processes++];

        *process = (EstimateProcess){
                .first_call_ns = block->first_call_ticks > 0 ? ticks_to_ns(first_ticks, clock) : NAN,
                .warmup_ms = ticks_to_ns(block->warmup_ticks, clock) / NS_PER_MS,
                .error_ns = ticks_to_ns(clock->quantum_ticks + clock->batch_cost_ticks, clock) / per_batch,
                .step_ns = ticks_to_ns(clock->quantum_ticks, clock) / per_batch,
                .iterations = block->iterations,
                .stack_offset_bytes = block->stack_offset_bytes,
                .environment_bytes = block->environment_bytes,
                .loop_offset = block->loop_address % ESTIMATE_LINE_BYTES,
                .image_offset_bytes = block->image_offset_bytes,
                .n_trace = block->n_trace,
        };
        memcpy(process->trace, block->trace, sizeof process->trace);
        return process;
}

static int estimate_end_process(Estimate *estimate, EstimateProcess *process) {
        QuantityProcess time_ns, cycles;
        int r;

        r = quantity_end_process(&estimate->time_ns, &time_ns);
        if (r == 0)
                r = quantity_end_process(&estimate->cycles, &cycles);
        if (r)
                return error_trace(r);
        process->quiet = isfinite(time_ns.quiet);
        process->median_ns = process->quiet ? time_ns.quiet : time_ns.all;
        process->median_cycles = process->quiet ? cycles.quiet : cycles.all;
        process->core_hz = process->median_ns > 0 ? process->median_cycles / process->median_ns * NS_PER_S : NAN;
        return 0;
}

static int estimate_add_throughput(Estimate *estimate, const SampleBlock *block, const ClockFacts *clock) {
        const LoopCost off = estimate->takes_off_loop ? block_loop_cost(block, clock) : (LoopCost){};
        _cleanup_(freep) double *ns = malloc(block->n_samples * sizeof *ns);

        if (!ns)
                return error_origin(-ENOMEM);
        for (uint32_t i = 0; i < block->n_samples; i++)
                ns[i] = estimate_sample_ns(block, &block->samples[i], clock) - off.ns;
        return error_trace(throughput_add(&estimate->throughput, block, ns, estimate->time_ns.headline_class));
}

static void estimate_add_counter(Estimate *estimate, const SampleCounter *counter) {
        EstimateCounter *mine = NULL;

        for (size_t i = 0; i < estimate->n_counters && !mine; i++)
                if (strcmp(estimate->counters[i].name, counter->name) == 0)
                        mine = &estimate->counters[i];
        if (!mine && estimate->n_counters == SAMPLE_BLOCK_COUNTERS_MAX)
                return;
        if (!mine) {
                mine = &estimate->counters[estimate->n_counters++];
                memcpy(mine->name, counter->name, sizeof mine->name);
        }
        mine->sum += counter->value;
        mine->n++;
}

int estimate_add(Estimate *estimate, const SampleBlock *block, const ClockFacts *clock) {
        EstimateProcess *process;
        int r;

        r = estimate_reserve(estimate, block);
        if (r)
                return error_trace(r);
        estimate_add_samples(estimate, block, clock);
        if (!estimate->takes_off_loop)
                estimate_add_loop_samples(estimate, block, clock);
        process = estimate_add_process(estimate, block, clock);
        r = estimate_end_process(estimate, process);
        if (r)
                return error_trace(r);
        r = estimate_add_spread(estimate, block, clock);
        if (r == 0)
                r = core_counts_add(&estimate->counts, block, clock);
        if (r == 0)
                r = estimate_add_throughput(estimate, block, clock);
        if (r)
                return error_trace(r);
        process->shares = disturbance_add_process(&estimate->disturbance, block, clock, process->median_ns);
        conduct_add(&estimate->conduct, block);
        for (uint32_t i = 0; i < block->n_counters; i++)
                estimate_add_counter(estimate, &block->counters[i]);

        estimate->ops_per_iteration = block->threads[0].ops_per_iteration;
        estimate->user_ns += block->user_ns;
        estimate->system_ns += block->system_ns;
        estimate->crowded |= block->crowded != 0;
        estimate->rise = block->rise > 0 ? block->rise : estimate->rise;
        estimate->n_rises += block->rise > 0;
        estimate->long_batches |= block->long_batches != 0 && block->other_windows == 0;
        if (block->inputs_max > 0 && block->iterations == block->inputs_max)
                estimate->inputs_max = block->inputs_max;
        return 0;
}
