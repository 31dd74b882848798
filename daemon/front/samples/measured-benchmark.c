/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/samples/measured-benchmark.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "front/samples/quantity.h"
#include "front/samples/runner-block.h"
#include "front/samples/sample.h"
#include "stats/comparison.h"
#include "util/cleanup.h"
#include "util/error.h"

static void measured_benchmark_drop_samples(MeasuredBenchmark *benchmark) {
        for (size_t i = 0; i < RUNNER_SIDES_MAX; i++) {
                benchmark->estimates[i] = estimate_free(benchmark->estimates[i]);
                kept_samples_deinit(&benchmark->kept[i]);
        }
        benchmark->n_kept = 0;
}

void measured_benchmark_clear(MeasuredBenchmark *benchmark) {
        measured_benchmark_drop_samples(benchmark);
        benchmark->failure = (free(benchmark->failure), NULL);
        benchmark->memory = (free(benchmark->memory), NULL);
        benchmark->uncounted = (free(benchmark->uncounted), NULL);
        benchmark->output = (free(benchmark->output), NULL);
        benchmark->steps = (free(benchmark->steps), NULL);
        benchmark->runs = (free(benchmark->runs), NULL);
}

void measured_benchmark_deinit(MeasuredBenchmark *benchmark) {
        measured_benchmark_clear(benchmark);
        paired_ratios_clear(&benchmark->ratios);
        paired_ratios_clear(&benchmark->quiet_ratios);
        paired_ratios_clear(&benchmark->mean_ratios);
}

bool measured_benchmark_is_over(const MeasuredBenchmark *benchmark) {
        return benchmark->failed ||
               (benchmark->n_done == benchmark->processes && benchmark->counted == benchmark->counts);
}

/* ---- samples */

/* Takes the steps or the runs, if its method shows them, and leaves the samples of the last in @ret_last, to be freed. */
static int measured_benchmark_take_steps(MeasuredBenchmark *benchmark, const PlanBenchmark *planned,
                const SampleBlock *block, const ClockFacts *clock, SampleBlock **ret_last) {
        MethodSteps last;
        int r;

        r = method_steps_copy_last(block, ret_last);
        if (r == 0)
                r = method_steps_of(*ret_last, clock, &last);
        if (r)
                return error_trace(r);
        if (planned->schedule.pace == RUNNER_PACE_ALL_STEPS) {
                benchmark->steps = malloc(sizeof *benchmark->steps);
                if (!benchmark->steps)
                        return error_origin(-ENOMEM);
                r = method_steps_of(block, clock, benchmark->steps);
                if (r)
                        return error_trace(r);
        }
        if (planned->method->shows_runs) {
                benchmark->runs = malloc(sizeof *benchmark->runs);
                if (!benchmark->runs)
                        return error_origin(-ENOMEM);
                method_runs_of(block, clock, benchmark->runs);
        }
        benchmark->method_findings =
                        method_findings(planned->method, &planned->schedule, *ret_last, clock, last.rows[0].mean_ns);
        return 0;
}

/* Adds the ratio of both sides. */
static int measured_benchmark_add_turns(MeasuredBenchmark *benchmark, const SampleBlock *blocks,
                const ClockFacts *clock) {
        PairedRatio ratio;
        int r;

        for (size_t i = 0; i < RUNNER_SIDES_MAX; i++)
                benchmark->loop_addresses[i] = blocks[i].n_links > 1 ? 0 : blocks[i].loop_address;
        benchmark->last_ratio_is_quiet = false;
        r = paired_ratio_of(&blocks[0], &blocks[1], clock, &ratio);
        if (r)
                return r == PAIRED_RATIO_E_NONE ? 0 : error_trace(r);
        r = paired_ratios_add(&benchmark->ratios, ratio.all, blocks, benchmark->round);
        if (r == 0 && isfinite(ratio.quiet) && estimate_last_is_quiet(benchmark->estimates[0]) &&
                        estimate_last_is_quiet(benchmark->estimates[1]))
                r = paired_ratios_add(&benchmark->mean_ratios,
                                log(estimate_last_mean_ns(benchmark->estimates[0]) /
                                                estimate_last_mean_ns(benchmark->estimates[1])),
                                blocks, benchmark->round);
        if (r == 0 && isfinite(ratio.quiet))
                r = paired_ratios_add(&benchmark->quiet_ratios, ratio.quiet, blocks, benchmark->round);
        if (r)
                return error_trace(r);
        benchmark->last_ratio_is_quiet = isfinite(ratio.quiet);
        benchmark->n_turns_not_quiet += ratio.n_not_quiet;
        benchmark->n_turns_company += ratio.n_company;
        benchmark->log_step = fmax(benchmark->log_step, ratio.step);
        return 0;
}

static int measured_benchmark_add_samples(MeasuredBenchmark *benchmark, const PlanBenchmark *planned, uint32_t n_sides,
                const SampleBlock *blocks, const ClockFacts *clock) {
        int r = 0;

        for (uint32_t i = 0; i < n_sides; i++) {
                if (!benchmark->estimates[i]) {
                        r = estimate_new(&benchmark->estimates[i]);
                        if (r)
                                return error_trace(r);
                        if (planned->method->takes_off_loop)
                                estimate_take_off_loop(benchmark->estimates[i]);
                        estimate_set_long_batch(benchmark->estimates[i],
                                        method_long_batch(planned->method, &planned->schedule));
                        if (planned->options & RUNNER_OPTION_NOTHING)
                                estimate_be_nothing(benchmark->estimates[i]);
                }
                r = estimate_add(benchmark->estimates[i], &blocks[i], clock);
                if (r == 0 && benchmark->keeps)
                        r = kept_samples_add(&benchmark->kept[i], &blocks[i], kept_samples_origin(blocks, n_sides),
                                        planned->method->takes_off_loop, clock);
                if (r)
                        return error_trace(r);
                /* A row that the client gets too, of 20 to 24 bytes, is counted as two more. */
                benchmark->n_kept += blocks[i].n_samples * (benchmark->keeps ? 3 : 1) + blocks[i].n_loop_samples;
        }
        if (n_sides > 1)
                r = measured_benchmark_add_turns(benchmark, blocks, clock);
        if (r)
                return error_trace(r);
        behaviour_add_batches(&benchmark->batches, blocks->samples, blocks->n_samples, planned->threads);
        benchmark->sampling_ns += sample_sequence_ns(blocks, clock);
        benchmark->n_samples += blocks->n_samples;
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

/* As the headline's (quantity.h): the ratio while shared is another measurand. */
static bool ratios_are_alone(const MeasuredBenchmark *benchmark) {
        const size_t n_quiet = benchmark->quiet_ratios.n;

        return n_quiet > 0 && (n_quiet >= COMPARISON_N_MIN || n_quiet == benchmark->ratios.n);
}

const PairedRatios *measured_benchmark_ratios(const MeasuredBenchmark *benchmark) {
        return ratios_are_alone(benchmark) ? &benchmark->quiet_ratios : &benchmark->ratios;
}

bool measured_benchmark_is_shared(const MeasuredBenchmark *benchmark) {
        return !ratios_are_alone(benchmark) && benchmark->n_turns_company > 0 &&
               2 * benchmark->n_turns_company >= benchmark->n_turns_not_quiet;
}

SequencePoint measured_benchmark_sequence(const MeasuredBenchmark *benchmark, double margin) {
        return (SequencePoint){
                .n = benchmark->n_looks,
                .look = benchmark->look,
                .margin = margin,
                .step = benchmark->log_step,
        };
}

/* Ratios beside a neighbour, and too few of them, have no verdict: more processes may have one. */
SequenceOutcome measured_benchmark_look(const MeasuredBenchmark *benchmark, double margin, size_t n_rows) {
        const PairedRatios *ratios = measured_benchmark_ratios(benchmark);
        const SequencePoint at = measured_benchmark_sequence(benchmark, margin);
        Comparison comparison;

        if (measured_benchmark_is_shared(benchmark) ||
                        sequence_compare(ratios->logs, ratios->places, ratios->n, &at, &comparison) != 0)
                return at.look + 1 < at.n ? SEQUENCE_GOES_ON : SEQUENCE_LAST;
        return sequence_outcome(&comparison, &at, n_rows);
}

static int ratios_values(const PairedRatios *ratios, EstimateMedians *ret_values) {
        EstimateMedians values = {
                .values = malloc((ratios->n + 1) * sizeof *values.values),
                .places = malloc((ratios->n + 1) * sizeof *values.places),
                .n = ratios->n,
        };

        if (!values.values || !values.places) {
                estimate_medians_clear(&values);
                return error_origin(-ENOMEM);
        }
        for (size_t i = 0; i < ratios->n; i++) {
                values.values[i] = exp(ratios->logs[i]);
                values.places[i] = ratios->places[i];
        }
        *ret_values = values;
        return 0;
}

int measured_benchmark_values(const MeasuredBenchmark *benchmark, uint32_t n_sides, EstimateMedians *ret_values) {
        if (n_sides == 1)
                return error_trace(estimate_medians_ns(benchmark->estimates[0], ret_values));
        return error_trace(ratios_values(measured_benchmark_ratios(benchmark), ret_values));
}

bool measured_benchmark_last_is_quiet(const MeasuredBenchmark *benchmark, uint32_t n_sides) {
        return n_sides == 1 ? estimate_last_is_quiet(benchmark->estimates[0]) : benchmark->last_ratio_is_quiet;
}

bool measured_benchmark_had_company(const MeasuredBenchmark *benchmark) {
        return estimate_had_company(benchmark->estimates[0]);
}

/* ---- output, failure and allocations */

int measured_benchmark_keep_output(MeasuredBenchmark *benchmark, const RunnerOutput *output) {
        benchmark->output_cut |= output->cut;
        if (benchmark->output || output->n == 0)
                return 0;
        benchmark->output = malloc(output->n);
        if (!benchmark->output)
                return error_origin(-ENOMEM);
        memcpy(benchmark->output, output->text, output->n);
        benchmark->n_output = output->n;
        benchmark->n_printed = output->n_printed;
        return 0;
}

static void *copy_of(const void *bytes, size_t n) {
        void *copy = malloc(n);

        return copy ? memcpy(copy, bytes, n) : NULL;
}

int measured_benchmark_fail(MeasuredBenchmark *benchmark, const ProcessEnd *end, const RunnerOutput *output) {
        benchmark->failure = copy_of(end, sizeof *end);
        if (!benchmark->failure)
                return error_origin(-ENOMEM);
        benchmark->failed = true;
        measured_benchmark_drop_samples(benchmark);
        benchmark->output = (free(benchmark->output), NULL);
        return error_trace(measured_benchmark_keep_output(benchmark, output));
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
