/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * What a runner tells, which shares its memory with a module: a block that passes its check can be read without further
 * care. The first byte says which block; of samples, what follows the block's head are those of the benchmark and then
 * those of the empty loop.
 */

#include "ops/sample-block.h"

#include <math.h>

#include "front/estimate.h"
#include "front/listing.h"
#include "front/memory-count.h"
#include "front/plan.h"
#include "front/spawn.h"
#include "fuzz.h"

#define PROCESSES       3u
#define PROCESSES_SHOWN 100u /* of a plan, as many are ordered */

static SampleBlock samples;
static ListingBlock listing;
static CalibrationBlock calibration;
static MemoryBlock memory;

/* ---- samples */

static void lay_samples(const uint8_t *data, size_t n_data) {
        size_t n, n_loop;

        fuzz_lay(&samples, offsetof(SampleBlock, samples), data, n_data);
        memset(samples.samples, 0, sizeof samples.samples);
        memset(samples.loop_samples, 0, sizeof samples.loop_samples);
        if (n_data <= offsetof(SampleBlock, samples))
                return;
        data += offsetof(SampleBlock, samples);
        n_data -= offsetof(SampleBlock, samples);
        n = n_data / sizeof(Sample) < RUNNER_SAMPLES_MAX ? n_data / sizeof(Sample) : RUNNER_SAMPLES_MAX;
        n_loop = samples.n_loop_samples < RUNNER_LOOP_SAMPLES_MAX ? samples.n_loop_samples : 0;
        n_loop = n_loop < n ? n_loop : n;
        memcpy(samples.samples, data, (n - n_loop) * sizeof(Sample));
        memcpy(samples.loop_samples, data + (n - n_loop) * sizeof(Sample), n_loop * sizeof(Sample));
}

static void hold_is_in_order(const Benchd__Summary *summary) {
        HOLD(isfinite(summary->min) && isfinite(summary->max));
        HOLD(summary->min <= summary->median && summary->median <= summary->max);
}

static void take_samples(const uint8_t *data, size_t n_data) {
        static const ClockFacts clock = { .hz = 2e9, .quantum_ticks = 2, .batch_cost_ticks = 40 };
        _cleanup_(estimate_freep) Estimate *estimate = NULL;
        _cleanup_(arena_freep) Arena *arena = NULL;
        Benchd__BenchmarkResult result = BENCHD__BENCHMARK_RESULT__INIT;
        TextList warnings = {};

        lay_samples(data, n_data);
        if (sample_block_check(&samples) != 0 || samples.head.end != RUNNER_END_COMPLETE)
                return;
        HOLD(arena_new(&arena) == 0 && estimate_new(&estimate) == 0);
        for (size_t i = 0; i < PROCESSES; i++)
                HOLD(estimate_add(estimate, &samples, &clock) == 0);
        HOLD(estimate_report(estimate, arena, &result, &warnings) == 0);
        HOLD(result.time_ns && protobuf_c_message_check(&result.base));
        hold_is_in_order(result.time_ns->raw);
}

/* ---- the others */

static void take_listing(const uint8_t *data, size_t n_data) {
        static OpsRecord record;
        _cleanup_(run_plan_freep) RunPlan *plan = NULL;
        _cleanup_(arena_freep) Arena *arena = NULL;
        Benchd__RunRequest run = BENCHD__RUN_REQUEST__INIT;
        Benchd__Listing *built;

        fuzz_lay(&listing, sizeof listing, data, n_data);
        if (listing_block_check(&listing) != 0)
                return;
        HOLD(arena_new(&arena) == 0 && listing_build(arena, &listing, &(FilterList){}, &built) == 0);
        HOLD(built->n_benchmarks == listing.n_entries);
        if (run_plan_new(&(PlanInput){ &listing, NULL, 4 }, &run, 1, &plan) != 0)
                return;
        for (size_t i = 0; i < plan->n_processes && i < PROCESSES_SHOWN; i++) {
                spawn_run(&(SpawnJob){ .tickets = { 1 }, .timeout_max_ns = 1 }, plan, &plan->processes[i], &record);
                HOLD(ops_check(&record, 0) == 0);
        }
}

static void take_calibration(const uint8_t *data, size_t n_data) {
        fuzz_lay(&calibration, sizeof calibration, data, n_data);
        if (calibration_block_check(&calibration) == 0 && calibration.head.end == RUNNER_END_COMPLETE)
                HOLD(calibration.clock.hz > 0 && calibration.checks.n <= CLOCK_CHECKS_MAX);
}

static void take_memory(const uint8_t *data, size_t n_data) {
        _cleanup_(arena_freep) Arena *arena = NULL;
        Benchd__BenchmarkResult result = BENCHD__BENCHMARK_RESULT__INIT;
        TextList warnings = {};

        fuzz_lay(&memory, sizeof memory, data, n_data);
        if (memory_block_check(&memory) != 0 || memory.head.end != RUNNER_END_COMPLETE)
                return;
        result.ops_per_iteration = 2;
        HOLD(arena_new(&arena) == 0 && memory_count_report(&memory, arena, &result, &warnings) == 0);
        HOLD(protobuf_c_message_check(&result.base));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_data) {
        static void (*const takes[])(const uint8_t *data, size_t n_data) = { take_samples, take_listing,
                take_calibration, take_memory };

        if (n_data > 0)
                takes[data[0] % N_ELEMENTS(takes)](data + 1, n_data - 1);
        return 0;
}
