/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * What a runner tells, which shares its memory with a module: a block that passes its check can be read without further
 * care. The first byte says which block. Of samples, words of 64 bits follow for the fields in the tables below (new ones go to
 * the end, so that what was found stays what it was); of the others, the block as it lies in memory.
 */

#include "ops/block.h"

#include <math.h>
#include <stdbool.h>

#include "choose.h"
#include "front/jobs/spawn.h"
#include "front/plan/plan.h"
#include "front/report/listing.h"
#include "front/samples/estimate.h"
#include "front/samples/memory-count.h"
#include "fuzz.h"

#define PROCESSES       3u
#define PROCESSES_SHOWN 100u /* of a plan, as many are ordered */

static SampleBlock samples;
static ListingBlock listing;
static CalibrationBlock calibration;
static MemoryBlock memory;

/* ---- samples */

typedef struct Field {
        size_t offset, size;
} Field;

#define FIELD(type, member)                                                                                            \
 { offsetof(type, member), sizeof(((type *)NULL)->member) }

/* clang-format off */
static const Field block_fields[] = {
        FIELD(SampleBlock, head.end), FIELD(SampleBlock, first_call_ticks), FIELD(SampleBlock, warmup_ticks),
        FIELD(SampleBlock, warmup_batches), FIELD(SampleBlock, iterations), FIELD(SampleBlock, user_ns),
        FIELD(SampleBlock, system_ns), FIELD(SampleBlock, loop_address), FIELD(SampleBlock, fifo_windows),
        FIELD(SampleBlock, other_windows), FIELD(SampleBlock, long_batches), FIELD(SampleBlock, inputs_max),
        FIELD(SampleBlock, memory_lock), FIELD(SampleBlock, n_trace), FIELD(SampleBlock, n_counters),
        FIELD(SampleBlock, n_samples), FIELD(SampleBlock, n_loop_samples), FIELD(SampleBlock, n_threads),
        FIELD(SampleBlock, threads[0].ops_per_iteration), FIELD(SampleBlock, threads[0].items_per_iteration),
        FIELD(SampleBlock, threads[0].bytes_per_iteration), FIELD(SampleBlock, threads[1].ops_per_iteration),
        FIELD(SampleBlock, threads[1].items_per_iteration), FIELD(SampleBlock, threads[1].bytes_per_iteration),
        FIELD(SampleBlock, counters[0].value), FIELD(SampleBlock, conduct.changed),
        FIELD(SampleBlock, conduct.others_permille), FIELD(SampleBlock, conduct.threads),
        FIELD(SampleBlock, conduct.writing_samples), FIELD(SampleBlock, conduct.blocking_samples),
        FIELD(SampleBlock, conduct.waiting_samples), FIELD(SampleBlock, conduct.switched_off),
        FIELD(SampleBlock, conduct.n_blocked),
};

static const Field sample_fields[] = {
        FIELD(Sample, start_ticks), FIELD(Sample, ticks), FIELD(Sample, iterations), FIELD(Sample, paused_ticks),
        FIELD(Sample, ruler_before_ticks), FIELD(Sample, ruler_after_ticks), FIELD(Sample, cpu_start),
        FIELD(Sample, cpu_stop), FIELD(Sample, flags), FIELD(Sample, thread), FIELD(Sample, counters),
        FIELD(Sample, counts[0]), FIELD(Sample, counts[1]), FIELD(Sample, counts[2]), FIELD(Sample, counts[3]),
        FIELD(Sample, manual_ns),
};
/* clang-format on */

/* The words of @data into the fields of @record, as far as they reach. Returns the bytes of all the fields' words. */
static size_t lay_words(void *record, const Field *fields, size_t n_fields, const uint8_t *data, size_t n_data) {
        for (size_t i = 0; i < n_fields && (i + 1) * sizeof(uint64_t) <= n_data; i++)
                memcpy((char *)record + fields[i].offset, data + i * sizeof(uint64_t), fields[i].size);
        return n_fields * sizeof(uint64_t);
}

static void lay_samples(const uint8_t *data, size_t n_data) {
        size_t n;

        samples = (SampleBlock){
                .head = { .magic = SAMPLE_BLOCK_MAGIC, .version = SAMPLE_BLOCK_VERSION, .phase = RUNNER_PHASE_DONE }
        };
        for (size_t i = 0; i < RUNNER_THREADS_MAX; i++)
                samples.threads[i].ops_per_iteration = 1;
        for (size_t i = 0; i < SAMPLE_BLOCK_COUNTERS_MAX; i++)
                strcpy(samples.counters[i].name, "answer");
        n = lay_words(&samples, block_fields, N_ELEMENTS(block_fields), data, n_data);
        for (size_t i = 0; n < n_data && i < RUNNER_SAMPLES_MAX + RUNNER_LOOP_SAMPLES_MAX; i++) {
                bool of_loop = i >= samples.n_samples;
                size_t place = of_loop ? i - samples.n_samples : i;

                if (place >= (of_loop ? RUNNER_LOOP_SAMPLES_MAX : RUNNER_SAMPLES_MAX))
                        return;
                n += lay_words(of_loop ? &samples.loop_samples[place] : &samples.samples[place], sample_fields,
                                N_ELEMENTS(sample_fields), data + n, n_data - n);
        }
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
        WarningList warnings = {};

        lay_samples(data, n_data);
        if (sample_block_check(&samples) != 0 || samples.head.end != RUNNER_END_COMPLETE)
                return;
        HOLD(arena_new(&arena) == 0 && estimate_new(&estimate) == 0);
        for (size_t i = 0; i < PROCESSES; i++)
                HOLD(estimate_add(estimate, &samples, &clock) == 0);
        HOLD(estimate_report(estimate, PROCESSES, arena, &result, &warnings) == 0);
        HOLD(result.time_ns && protobuf_c_message_check(&result.base));
        hold_is_in_order(result.time_ns->raw);
}

/* ---- the others */

static void take_listing(const uint8_t *data, size_t n_data) {
        static OpsRecord record;
        _cleanup_(chosen_freep) Chosen *chosen = NULL;
        _cleanup_(plan_freep) Plan *plan = NULL;
        _cleanup_(arena_freep) Arena *arena = NULL;
        Benchd__RunRequest run = BENCHD__RUN_REQUEST__INIT;
        Benchd__Listing *built;

        fuzz_lay(&listing, sizeof listing, data, n_data);
        if (listing_block_check(&listing) != 0)
                return;
        chosen = choose(&(ChosenWish){ .listing = &listing, .lists = true, .of_hidden = true });
        HOLD(chosen && arena_new(&arena) == 0 && listing_build(arena, &listing, chosen, &built) == 0);
        HOLD(built->n_benchmarks == listing.n_entries);
        chosen = chosen_free(chosen);
        chosen = choose(&(ChosenWish){ .listing = &listing });
        if (!chosen || plan_new(&(PlanInput){ &listing, NULL, 4, chosen, NULL }, &run, 1, &plan) != 0)
                return;
        for (size_t i = 0; i < plan->n_processes && i < PROCESSES_SHOWN; i++) {
                spawn_run(&(SpawnJob){ .tickets = { 1 }, .timeout_max_ns = 1, .run = &run }, plan, &plan->processes[i],
                                &record);
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
        WarningList warnings = {};

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
