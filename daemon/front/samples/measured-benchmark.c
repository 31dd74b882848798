/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/samples/measured-benchmark.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "front/samples/paired-ratio.h"
#include "front/samples/quantity.h"
#include "front/samples/runner-block.h"
#include "front/samples/sample.h"
#include "stats/comparison.h"
#include "util/cleanup.h"
#include "util/error.h"

void measured_benchmark_clear(MeasuredBenchmark *benchmark) {
        for (size_t i = 0; i < RUNNER_SIDES_MAX; i++)
                benchmark->estimates[i] = estimate_free(benchmark->estimates[i]);
        benchmark->failure = (free(benchmark->failure), NULL);
        benchmark->memory = (free(benchmark->memory), NULL);
        benchmark->uncounted = (free(benchmark->uncounted), NULL);
        benchmark->output = (free(benchmark->output), NULL);
        benchmark->steps = (free(benchmark->steps), NULL);
}

bool measured_benchmark_is_over(const MeasuredBenchmark *benchmark) {
        return benchmark->failed ||
               (benchmark->n_done == benchmark->processes && benchmark->counted == benchmark->counts);
}

/* ---- samples */

static int measured_benchmark_add_steps(MeasuredBenchmark *benchmark, const SampleBlock *block,
                const ClockFacts *clock) {
        benchmark->steps = malloc(sizeof *benchmark->steps);
        if (!benchmark->steps)
                return error_origin(-ENOMEM);
        return error_trace(method_steps_of(block, clock, benchmark->steps));
}

/* The steps, where its method shows them, and what is left when they are told: in @ret_last, to be freed. */
static int measured_benchmark_take_steps(MeasuredBenchmark *benchmark, const PlanBenchmark *planned,
                const SampleBlock *block, const ClockFacts *clock, SampleBlock **ret_last) {
        MethodSteps last;
        int r;

        r = method_steps_copy_last(block, ret_last);
        if (r == 0)
                r = method_steps_of(*ret_last, clock, &last);
        if (r == 0 && planned->schedule.pace == RUNNER_PACE_ALL_STEPS)
                r = measured_benchmark_add_steps(benchmark, block, clock);
        if (r)
                return error_trace(r);
        benchmark->oddities =
                        method_find_oddities(planned->method, &planned->schedule, *ret_last, last.rows[0].mean_ns);
        return 0;
}

static int measured_benchmark_add_side(MeasuredBenchmark *benchmark, size_t side, const Method *method,
                const SampleBlock *block, const ClockFacts *clock) {
        int r;

        if (!benchmark->estimates[side]) {
                r = estimate_new(&benchmark->estimates[side]);
                if (r)
                        return error_trace(r);
                if (method->takes_off_loop)
                        estimate_take_off_loop(benchmark->estimates[side]);
        }
        return error_trace(estimate_add(benchmark->estimates[side], block, clock));
}

static int ratios_add(Ratios *ratios, double log_ratio, uint32_t place) {
        double *logs = reallocarray(ratios->logs, ratios->n + 1, sizeof *logs);
        uint32_t *places;

        if (!logs)
                return error_origin(-ENOMEM);
        ratios->logs = logs;
        places = reallocarray(ratios->places, ratios->n + 1, sizeof *places);
        if (!places)
                return error_origin(-ENOMEM);
        ratios->places = places;
        places[ratios->n] = place;
        logs[ratios->n++] = log_ratio;
        return 0;
}

bool ratios_are_moved(const Ratios *ratios) {
        for (size_t i = 1; i < ratios->n; i++)
                if (ratios->places[i] != ratios->places[0])
                        return true;
        return false;
}

void ratios_clear(Ratios *ratios) {
        free(ratios->logs);
        free(ratios->places);
        *ratios = (Ratios){};
}

/* The number of the two places that the modules have, among all pairs of places. */
static uint32_t blocks_place(const SampleBlock *blocks) {
        static_assert(RUNNER_IMAGE_OFFSETS * RUNNER_IMAGE_OFFSETS <= COMPARISON_STRATA_MAX, "a condition for each two");

        return (blocks[0].image_offset_bytes * RUNNER_IMAGE_OFFSETS + blocks[1].image_offset_bytes) *
               RUNNER_IMAGE_OFFSETS / RUNNER_IMAGE_OFFSET_MAX;
}

/* What the process tells of both sides together. */
static int measured_benchmark_add_turns(MeasuredBenchmark *benchmark, const SampleBlock *blocks,
                const ClockFacts *clock) {
        PairedRatio ratio;
        int r;

        for (size_t i = 0; i < RUNNER_SIDES_MAX; i++)
                benchmark->loop_addresses[i] = blocks[i].loop_address;
        r = paired_ratio(&blocks[0], &blocks[1], clock, &ratio);
        if (r)
                return r == PAIRED_RATIO_E_NONE ? 0 : error_trace(r);
        r = ratios_add(&benchmark->ratios, ratio.all, blocks_place(blocks));
        if (r == 0 && isfinite(ratio.quiet))
                r = ratios_add(&benchmark->quiet_ratios, ratio.quiet, blocks_place(blocks));
        if (r)
                return error_trace(r);
        benchmark->n_turns_not_quiet += ratio.n_not_quiet;
        benchmark->n_turns_company += ratio.n_company;
        benchmark->log_step = fmax(benchmark->log_step, ratio.step);
        return 0;
}

static int measured_benchmark_add_sides(MeasuredBenchmark *benchmark, uint32_t n_sides, const Method *method,
                const SampleBlock *blocks, const ClockFacts *clock) {
        int r = 0;

        for (uint32_t i = 0; r == 0 && i < n_sides; i++)
                r = measured_benchmark_add_side(benchmark, i, method, &blocks[i], clock);
        if (r == 0 && n_sides > 1)
                r = measured_benchmark_add_turns(benchmark, blocks, clock);
        return error_trace(r);
}

static int measured_benchmark_add_samples(MeasuredBenchmark *benchmark, const PlanBenchmark *planned, uint32_t n_sides,
                const SampleBlock *blocks, const ClockFacts *clock) {
        int r;

        r = measured_benchmark_add_sides(benchmark, n_sides, planned->method, blocks, clock);
        if (r)
                return error_trace(r);
        behaviour_add_batches(&benchmark->batches, blocks->samples, blocks->n_samples, planned->threads);
        benchmark->sampling_ns += sample_sequence_ns(blocks, clock);
        benchmark->n_done++;
        benchmark->shortened |= blocks->n_samples < planned->schedule.samples * planned->threads &&
                                !method_found_long(&planned->schedule, blocks);
        return 0;
}

int measured_benchmark_add(MeasuredBenchmark *benchmark, const PlanBenchmark *planned, uint32_t n_sides,
                const SampleBlock *blocks, const ClockFacts *clock) {
        _cleanup_(freep) SampleBlock *last = NULL;
        int r;

        if (!planned->method->is_older)
                return error_trace(measured_benchmark_add_samples(benchmark, planned, n_sides, blocks, clock));
        r = measured_benchmark_take_steps(benchmark, planned, blocks, clock, &last);
        if (r)
                return error_trace(r);
        return error_trace(measured_benchmark_add_samples(benchmark, planned, n_sides, last, clock));
}

static bool ratios_are_alone(const MeasuredBenchmark *benchmark) {
        return quantity_suffice(benchmark->quiet_ratios.n, benchmark->ratios.n);
}

const Ratios *measured_benchmark_ratios(const MeasuredBenchmark *benchmark) {
        return ratios_are_alone(benchmark) ? &benchmark->quiet_ratios : &benchmark->ratios;
}

bool measured_benchmark_is_shared(const MeasuredBenchmark *benchmark) {
        return !ratios_are_alone(benchmark) && benchmark->n_turns_company > 0 &&
               2 * benchmark->n_turns_company >= benchmark->n_turns_not_quiet;
}

int measured_benchmark_values(const MeasuredBenchmark *benchmark, uint32_t n_sides, double **ret_values,
                size_t *ret_n) {
        const Ratios *ratios = measured_benchmark_ratios(benchmark);
        double *values;

        if (n_sides == 1)
                return error_trace(estimate_medians_ns(benchmark->estimates[0], ret_values, ret_n));
        values = malloc((ratios->n + 1) * sizeof *values);
        if (!values)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < ratios->n; i++)
                values[i] = exp(ratios->logs[i]);
        *ret_values = values;
        *ret_n = ratios->n;
        return 0;
}

/* ---- all else */

int measured_benchmark_keep_output(MeasuredBenchmark *benchmark, const ModuleOutput *output) {
        benchmark->output_cut |= output->cut;
        if (benchmark->output || output->n == 0)
                return 0;
        benchmark->output = malloc(output->n);
        if (!benchmark->output)
                return error_origin(-ENOMEM);
        memcpy(benchmark->output, output->text, output->n);
        benchmark->n_output = output->n;
        return 0;
}

static void *copy_of(const void *bytes, size_t n) {
        void *copy = malloc(n);

        return copy ? memcpy(copy, bytes, n) : NULL;
}

int measured_benchmark_fail(MeasuredBenchmark *benchmark, const ProcessEnd *end) {
        benchmark->failure = copy_of(end, sizeof *end);
        if (!benchmark->failure)
                return error_origin(-ENOMEM);
        benchmark->failed = true;
        for (size_t i = 0; i < RUNNER_SIDES_MAX; i++)
                benchmark->estimates[i] = estimate_free(benchmark->estimates[i]);
        return 0;
}

int measured_benchmark_count(MeasuredBenchmark *benchmark, const MemoryBlock *block, const ProcessEnd *end) {
        if (block)
                benchmark->memory = copy_of(block, sizeof *block);
        else
                benchmark->uncounted = copy_of(end, sizeof *end);
        if (!benchmark->memory && !benchmark->uncounted)
                return error_origin(-ENOMEM);
        benchmark->counted = true;
        return 0;
}
