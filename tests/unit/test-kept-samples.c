/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Kept samples: each sample's time, its place in time and its marks, as the result has them; and the reply of the largest plan.
 */

#include "front/samples/kept-samples.h"

#include "front/base/message.h"
#include "front/plan/plan.h"
#include "front/samples/sample.h"
#include "proto/frame.h"
#include "test.h"

static const ClockFacts clock_2ghz = { .hz = 2e9, .batch_cost_ticks = 10 };

typedef struct Case {
        SampleBlock blocks[2];
        KeptSamples kept;
        Arena *arena;
} Case;

static int set_up(void **state) {
        Case *made = calloc(1, sizeof *made);

        if (!made || arena_new(&made->arena))
                return -1;
        for (size_t i = 0; i < N_ELEMENTS(made->blocks); i++) {
                made->blocks[i].n_threads = 1;
                made->blocks[i].threads[0].ops_per_iteration = 2;
                made->blocks[i].threads[1].ops_per_iteration = 2;
        }
        *state = made;
        return 0;
}

static int tear_down(void **state) {
        Case *made = *state;

        kept_samples_deinit(&made->kept);
        arena_free(made->arena);
        free(made);
        return 0;
}

TEST_EACH(set_up, tear_down)

static void add_sample(SampleBlock *block, uint64_t start_ticks, uint64_t ticks, uint32_t flags) {
        const uint32_t index = block->n_samples++;

        block->samples[index] = (Sample){
                .start_ticks = start_ticks,
                .iterations = 4,
                .ticks = ticks + 10,
                .flags = flags,
                .thread = index % block->n_threads,
        };
}

static Benchd__BenchmarkResult *report(Case *made, size_t n_processes) {
        Benchd__BenchmarkResult *result = message_new(made->arena, Benchd__BenchmarkResult, benchd__benchmark_result);

        result->processes = arena_zero(made->arena, n_processes * sizeof *result->processes);
        for (size_t i = 0; i < n_processes; i++)
                result->processes[result->n_processes++] =
                                message_new(made->arena, Benchd__ProcessResult, benchd__process_result);
        assert_int_equal(kept_samples_report(&made->kept, made->arena, result), 0);
        return result;
}

TEST(a_sample_has_its_time_and_its_place) {
        Case *made = *state;
        const Benchd__Samples *samples;

        add_sample(made->blocks, 1000, 1600, 0);
        add_sample(made->blocks, 5000, 3200, MARK_INTERRUPTED);
        assert_int_equal(kept_samples_add(&made->kept, made->blocks, 1000, false, &clock_2ghz), 0);
        samples = report(made, 1)->processes[0]->samples;
        assert_int_equal(samples->n_at_ns, 2);
        assert_int_equal(samples->n_time_ns, 2);
        assert_int_equal(samples->n_marks, 2);
        assert_int_equal(samples->n_thread, 0);
        assert_int_equal(samples->at_ns[0], 0);
        assert_int_equal(samples->at_ns[1], 2000);
        assert_true(fabs(samples->time_ns[0] - 100) < 1e-9);
        assert_true(fabs(samples->time_ns[1] - 200) < 1e-9);
        assert_int_equal(samples->marks[0], 0);
        assert_int_equal(samples->marks[1], BENCHD__SAMPLES__MARK__INTERRUPTED);
}

TEST(both_sides_begin_with_the_first_sample_of_either) {
        Case *made = *state;

        add_sample(&made->blocks[0], 3000, 100, 0);
        add_sample(&made->blocks[1], 1000, 100, 0);
        add_sample(&made->blocks[1], 4000, 100, 0);
        assert_int_equal(kept_samples_origin(made->blocks, 2), 1000);
        assert_int_equal(kept_samples_origin(made->blocks, 1), 3000);
}

TEST(of_several_threads_each_sample_names_its_own) {
        Case *made = *state;
        const Benchd__Samples *samples;

        made->blocks->n_threads = 2;
        for (uint64_t i = 0; i < 4; i++)
                add_sample(made->blocks, 1000 * i, 100, 0);
        assert_int_equal(kept_samples_add(&made->kept, made->blocks, 0, false, &clock_2ghz), 0);
        samples = report(made, 1)->processes[0]->samples;
        assert_int_equal(samples->n_thread, 4);
        for (size_t i = 0; i < 4; i++)
                assert_int_equal(samples->thread[i], i % 2);
}

TEST(a_sample_has_the_counts_of_its_body) {
        Case *made = *state;
        SampleBlock *block = made->blocks;
        const Benchd__Samples *samples;

        block->n_counted = 2;
        strcpy(block->counted[0], "user_ns");
        strcpy(block->counted[1], "faults");
        for (uint32_t i = 0; i < 3; i++) {
                add_sample(block, 1000 * i, 100, 0);
                block->counts[i][0] = 10 + i;
                block->counts[i][1] = 20 + i;
        }
        assert_int_equal(kept_samples_add(&made->kept, block, 0, false, &clock_2ghz), 0);
        samples = report(made, 1)->processes[0]->samples;
        assert_int_equal(samples->n_counters, 2);
        assert_string_equal(samples->counters[1]->name, "faults");
        assert_int_equal(samples->counters[0]->n_values, 3);
        for (uint32_t i = 0; i < 3; i++) {
                assert_float_equal(samples->counters[0]->values[i], 10 + i, 0);
                assert_float_equal(samples->counters[1]->values[i], 20 + i, 0);
        }
}

TEST(a_process_with_more_samples_than_counts_has_none) {
        Case *made = *state;

        made->blocks->n_counted = 1;
        strcpy(made->blocks->counted[0], "faults");
        for (uint32_t i = 0; i <= SAMPLE_BLOCK_COUNTED_MAX; i++)
                add_sample(made->blocks, 1000 * i, 100, 0);
        assert_int_equal(kept_samples_add(&made->kept, made->blocks, 0, false, &clock_2ghz), 0);
        assert_int_equal(report(made, 1)->processes[0]->samples->n_counters, 0);
}

TEST(an_empty_loop_that_is_taken_off_is_off_each) {
        Case *made = *state;

        add_sample(made->blocks, 0, 1600, 0);
        made->blocks->n_loop_samples = 1;
        made->blocks->loop_samples[0] = (Sample){ .iterations = 4, .ticks = 170 };
        assert_int_equal(kept_samples_add(&made->kept, made->blocks, 0, true, &clock_2ghz), 0);
        assert_true(fabs(made->kept.processes[0].time_ns[0] - 90) < 1e-9);
}

TEST(another_frequency_beside_a_neighbour_is_the_neighbours) {
        const Sample alone = { .flags = MARK_FREQUENCY };
        const Sample beside = { .flags = MARK_FREQUENCY | MARK_BESIDE_SHARED };

        assert_int_equal(sample_marks(&alone), BENCHD__SAMPLES__MARK__FREQUENCY);
        assert_int_equal(sample_marks(&beside), BENCHD__SAMPLES__MARK__BESIDE_SHARED);
}

/* As the largest numbers take the most bytes: a process of ten minutes, all marks, two threads, all counters with long names. */
static void fill_process(SampleBlock *block, uint32_t n) {
        block->n_samples = 0;
        block->n_threads = 2;
        block->n_counted = SAMPLE_BLOCK_COUNTERS_MAX;
        for (uint32_t i = 0; i < block->n_counted; i++)
                memset(block->counted[i], 'a' + i, RUNNER_NAME_MAX - 1);
        for (uint32_t i = 0; i < n; i++)
                add_sample(block, 1200000000000 / n * i, 100000 + i, 0x1ff);
}

TEST(the_samples_of_the_largest_plan_fit_into_a_reply) {
        const struct {
                uint32_t n_processes;
                uint32_t n_samples;
        } rows[] = {
                { 10, RUNNER_SAMPLES_MAX },
                { PLAN_KEPT_MAX / (SAMPLE_BLOCK_COUNTED_MAX + PLAN_KEPT_BESIDE), SAMPLE_BLOCK_COUNTED_MAX },
                { RUNNER_PROCESSES_MAX, PLAN_KEPT_MAX / RUNNER_PROCESSES_MAX - PLAN_KEPT_BESIDE },
        };
        Case *made = *state;

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                size_t n_bytes;

                assert_true(rows[i].n_processes * (rows[i].n_samples + PLAN_KEPT_BESIDE) <= PLAN_KEPT_MAX);
                for (uint32_t process = 0; process < rows[i].n_processes; process++) {
                        fill_process(made->blocks, rows[i].n_samples);
                        assert_int_equal(kept_samples_add(&made->kept, made->blocks, 0, false, &clock_2ghz), 0);
                }
                n_bytes = benchd__benchmark_result__get_packed_size(report(made, rows[i].n_processes));
                print_message("%u processes of %u samples: %zu bytes\n", rows[i].n_processes, rows[i].n_samples,
                                n_bytes);
                /* all else of a process has at most 500 bytes, with its trace, and of the benchmark 64 KiB */
                assert_true(n_bytes + 500 * rows[i].n_processes + (64 << 10) < FRAME_REPLY_MAX);
                kept_samples_deinit(&made->kept);
        }
}
