/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A measurement: numbers from blocks that were made to give known ones; a benchmark that fails takes none of the others
 * with it; each is reported once.
 */

#include "front/measurement.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const ClockFacts clock_facts = { .hz = 2e9, .quantum_ticks = 2, .batch_cost_ticks = 40 };
static const Ending crash = { .code = "crashed", .message = "It crashed.\033[2J" };
static const ModuleOutput silence;

static ListingBlock *listing;
static SampleBlock *block;
static Measurement *measurement;
static Arena *arena;

static int set_up(void **state) {
        listing = calloc(1, sizeof *listing);
        block = calloc(1, sizeof *block);
        return listing && block && arena_new(&arena) == 0 ? 0 : -1;
}

static int tear_down(void **state) {
        measurement = measurement_free(measurement);
        arena = arena_free(arena);
        free(listing);
        free(block);
        return 0;
}

static void make_measurement_of(unsigned n_benchmarks, uint32_t n_processes, bool memory) {
        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;
        RunPlan *plan;

        for (unsigned i = 0; i < n_benchmarks; i++) {
                strcpy(listing->entries[i].area, "area");
                listing->entries[i].name[0] = 'a' + i;
        }
        listing->n_entries = n_benchmarks;
        request.processes = n_processes, request.has_processes = 1;
        request.samples = 3, request.has_samples = 1;
        request.memory = memory, request.has_memory = 1;
        assert_int_equal(run_plan_new(&(PlanInput){ .listing = listing, .threads_max = 1 }, &request, 1, &plan), 0);
        assert_int_equal(measurement_new(plan, &measurement), 0);
}

static void make_measurement(unsigned n_benchmarks, uint32_t n_processes) {
        make_measurement_of(n_benchmarks, n_processes, false);
}

/* Fills the block with samples that take the @ns of an operation that are asked for, to a tick. */
static void fill_block(const double *ns, uint32_t n) {
        memset(block, 0, sizeof *block);
        block->ops_per_iteration = 2;
        block->n_samples = n;
        block->iterations = 1000;
        block->first_call_ticks = 40 + 6000;
        block->warmup_ticks = 4000000;
        block->user_ns = 5;
        block->system_ns = 7;
        for (uint32_t i = 0; i < n; i++) {
                block->samples[i].iterations = 1000;
                block->samples[i].paused_ticks = 100;
                block->samples[i].ticks = 40 + 100 + lround(ns[i] * 1000 * 2 * 2);
        }
}

static Benchd__BenchmarkResult *take(bool partial) {
        Benchd__BenchmarkResult *result;

        assert_int_equal(measurement_take_result(measurement, partial, arena, &result), 0);
        return result;
}

static void note(const double *ns, uint32_t n) {
        assert_non_null(measurement_next(measurement));
        fill_block(ns, n);
        assert_int_equal(measurement_note_complete(measurement, block, &clock_facts, &silence), 0);
}

static bool near(double a, double b) {
        return fabs(a - b) <= 1e-9 * fabs(b);
}

static void numbers_come_out_as_the_samples_went_in(void **state) {
        Benchd__BenchmarkResult *result;

        make_measurement(1, 3);
        note((double[]){ 1, 2, 9 }, 3);
        assert_null(take(false));
        note((double[]){ 3, 4, 5 }, 3);
        block->items_per_iteration = 0;
        note((double[]){ 8, 8, 8 }, 3);
        assert_null(measurement_next(measurement));

        result = take(false);
        assert_non_null(result);
        assert_null(take(false));
        assert_null(result->failed);
        assert_true(near(result->time_ns->point, 4)); /* the cube root of 2 * 4 * 8 */
        /* t of 2 degrees is 4.302653; the logs are ln 2 apart */
        assert_true(near(result->time_ns->low, 4 * exp(-4.302652729911275 * log(2) / sqrt(3))));
        assert_true(near(result->time_ns->high, 4 * exp(4.302652729911275 * log(2) / sqrt(3))));
        assert_int_equal(result->samples, 9);
        assert_int_equal(result->time_ns->raw->samples, 9);
        assert_true(near(result->time_ns->raw->min, 1) && near(result->time_ns->raw->max, 9));
        assert_true(near(result->time_ns->raw->median, 5) && near(result->time_ns->raw->mean, 48 / 9.0));
        assert_true(near(result->first_call_ns, 3000) && near(result->warmup_ms, 2));
        assert_true(near(result->harness_error_ns, 21.0 / 2000));
        assert_int_equal(result->n_processes, 3);
        assert_true(near(result->processes[1]->median_ns, 4));
        assert_int_equal(result->iterations_total, 9000);
        assert_true(near(result->operations_total, 18000) && near(result->iterations_per_sample, 1000));
        assert_int_equal(result->cpu_user_ns, 15);
        assert_int_equal(result->cpu_system_ns, 21);
        assert_int_equal(result->cycles->source, BENCHD__QUANTITY__SOURCE__UNAVAILABLE);
        assert_int_equal(result->n_warnings, 0);
}

/* Notes processes of three samples of @ns until none is left; returns how many. */
static unsigned note_all(double ns) {
        unsigned n = 0;

        for (; measurement_next(measurement); n++) {
                fill_block((double[]){ ns, ns, ns }, 3);
                for (unsigned i = 0; i < 3; i++)
                        block->samples[i].start_ticks = 1000 + i * block->samples[i].ticks;
                assert_int_equal(measurement_note_complete(measurement, block, &clock_facts, &silence), 0);
        }
        return n;
}

/* A sample is of 2000 operations, so that 3 of 100 us an operation take 0.6 s, of a budget of 3 s. */
static void a_budget_that_ends_takes_processes_away_but_never_the_third(void **state) {
        static const struct {
                double ns;
                unsigned n_processes;
        } rows[] = { { 1000, 10 }, { 49000, 10 }, { 100000, 4 }, { 125001, 3 }, { 1e9, 3 } };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                const bool fewer = rows[i].n_processes < 10;
                Benchd__BenchmarkResult *result;

                make_measurement(1, 10);
                assert_int_equal(note_all(rows[i].ns), rows[i].n_processes);
                assert_int_equal(measurement_count(measurement).processes, rows[i].n_processes);
                assert_int_equal(measurement_was_shortened(measurement), fewer);
                result = take(false);
                assert_non_null(result);
                assert_int_equal(result->n_processes, rows[i].n_processes);
                assert_int_equal(result->n_warnings, fewer);
                if (fewer)
                        assert_non_null(strstr(result->warnings[0], "of the 10 planned"));
                measurement = measurement_free(measurement);
        }
}

static void two_processes_that_were_asked_for_stay_two(void **state) {
        make_measurement(1, 2);
        assert_int_equal(note_all(1e9), 2);
        assert_false(measurement_was_shortened(measurement));
}

static void what_the_loop_took_and_what_was_traced_are_told_for_each_process(void **state) {
        Benchd__BenchmarkResult *result;

        make_measurement(1, 3);
        for (uint32_t i = 0; i < 3; i++) {
                fill_block((double[]){ 5, 5, 5 }, 3);
                block->loop_address = 64 * 77 + 16 * i;
                block->n_loop_samples = 2;
                block->loop_samples[0] = block->loop_samples[1] =
                                (Sample){ .iterations = 100, .ticks = 40 + (2 + i) * 100 * 2 * 2 };
                block->n_trace = 1;
                block->trace[0] = (TracePhase){ .phase = RUNNER_PHASE_LOOP, .start_ticks = 5, .batches = 9 + i };
                assert_non_null(measurement_next(measurement));
                assert_int_equal(measurement_note_complete(measurement, block, &clock_facts, &silence), 0);
        }
        result = take(false);
        assert_int_equal(result->time_ns->loop->samples, 6);
        assert_true(near(result->time_ns->loop->min, 2) && near(result->time_ns->loop->max, 4));
        assert_true(near(result->time_ns->net->point, 2));
        assert_false(result->within_loop_cost);
        for (uint32_t i = 0; i < 3; i++) {
                assert_int_equal(result->processes[i]->loop_offset, 16 * i);
                assert_int_equal(result->processes[i]->n_trace, 1);
                assert_int_equal(result->processes[i]->trace[0]->phase, BENCHD__TRACE_PHASE__PHASE__LOOP);
                assert_int_equal(result->processes[i]->trace[0]->start_ticks, 5);
                assert_int_equal(result->processes[i]->trace[0]->batches, 9 + i);
        }
}

static void throughput_and_counters_are_of_the_headline(void **state) {
        Benchd__BenchmarkResult *result;

        make_measurement(1, 2);
        for (int i = 0; i < 2; i++) {
                fill_block((double[]){ 5, 5, 5 }, 3);
                block->items_per_iteration = 100;
                block->bytes_per_iteration = 800;
                block->n_counters = 1;
                strcpy(block->counters[0].name, "depth");
                block->counters[0].value = 3 + 2 * i;
                assert_non_null(measurement_next(measurement));
                assert_int_equal(measurement_note_complete(measurement, block, &clock_facts, &silence), 0);
        }
        result = take(false);
        assert_true(near(result->throughput->items_per_second, 100 / 10e-9)); /* 2 operations of 5 ns an iteration */
        assert_true(near(result->throughput->bytes_per_second, 800 / 10e-9));
        assert_int_equal(result->n_counters, 1);
        assert_string_equal(result->counters[0]->name, "depth");
        assert_true(near(result->counters[0]->value, 4));
        assert_false(result->time_ns->has_low);
        assert_int_equal(result->n_warnings, 1); /* no interval of two */
}

static void a_benchmark_that_fails_leaves_the_others_alone(void **state) {
        unsigned n_failed = 0, n_measured = 0, n_run = 0;
        const PlanProcess *next;
        Benchd__BenchmarkResult *result;

        make_measurement(3, 4);
        while ((next = measurement_next(measurement))) {
                if (next->benchmark == 1)
                        assert_int_equal(measurement_note_failed(measurement, &crash, &silence), 0);
                else
                        note((double[]){ 1, 1, 1 }, 3);
                n_run++;
                while ((result = take(false))) {
                        n_failed += result->failed != NULL;
                        n_measured += result->time_ns != NULL;
                        assert_true((strcmp(result->name, "b") == 0) == (result->failed != NULL));
                        if (result->failed)
                                assert_string_equal(result->failed->message, "It crashed.\xef\xbf\xbd[2J");
                }
        }
        assert_int_equal(n_run, 9);
        assert_int_equal(n_failed, 1);
        assert_int_equal(n_measured, 2);
        assert_int_equal(measurement_count(measurement).failed, 1);
        assert_int_equal(measurement_count(measurement).measured, 2);
        assert_int_equal(measurement_count(measurement).processes, 8);
        assert_int_equal(measurement_count(measurement).processes_done, 8);
}

static void what_was_measured_before_a_failure_is_not_reported(void **state) {
        Benchd__BenchmarkResult *result;

        make_measurement(1, 3);
        note((double[]){ 1, 1, 1 }, 3);
        assert_non_null(measurement_next(measurement));
        assert_int_equal(measurement_note_failed(measurement, &crash, &silence), 0);
        assert_null(measurement_next(measurement));
        result = take(false);
        assert_non_null(result->failed);
        assert_null(result->time_ns);
        assert_int_equal(measurement_count(measurement).measured, 0);
}

static void a_cancelled_one_tells_what_it_has(void **state) {
        Benchd__BenchmarkResult *result;

        make_measurement(2, 5);
        note((double[]){ 1, 1, 1 }, 3);
        assert_null(take(false));
        result = take(true);
        assert_non_null(result->time_ns);
        assert_int_equal(result->n_processes, 1);
        assert_string_equal(result->warnings[result->n_warnings - 1], "cancelled after 1 of 5 processes");
        assert_null(take(true));
}

static void output_is_kept_cleaned_and_said_to_be_cut(void **state) {
        static const ModuleOutput output = { .text = "one\ntwo\033[31m", .n = 12, .cut = true };
        Benchd__BenchmarkResult *result;

        make_measurement(1, 2);
        note((double[]){ 1, 1, 1 }, 3);
        assert_non_null(measurement_next(measurement));
        assert_int_equal(measurement_note_failed(measurement, &crash, &output), 0);
        result = take(false);
        assert_string_equal(result->output, "one\ntwo\xef\xbf\xbd[31m");
        assert_int_equal(result->n_warnings, 1);
        assert_non_null(strstr(result->warnings[0], "64 KiB"));
}

static void a_time_below_that_of_an_empty_batch_is_shown_as_it_is(void **state) {
        Benchd__BenchmarkResult *result;

        make_measurement(1, 3);
        for (int i = 0; i < 3; i++) {
                fill_block((double[]){ 1, 1, 1 }, 3);
                for (int j = 0; j < 3; j++)
                        block->samples[j].ticks = 120; /* 100 of them paused, 40 the cost of a batch */
                assert_non_null(measurement_next(measurement));
                assert_int_equal(measurement_note_complete(measurement, block, &clock_facts, &silence), 0);
        }
        result = take(false);
        assert_true(near(result->time_ns->point, -10.0 / 2000));
        assert_true(result->below_noise_floor);
}

static void fewer_samples_than_planned_are_said(void **state) {
        Benchd__BenchmarkResult *result;

        make_measurement(1, 1);
        note((double[]){ 1, 1 }, 2);
        result = take(false);
        assert_true(measurement_was_shortened(measurement));
        assert_non_null(strstr(result->warnings[0], "no interval"));
        assert_non_null(strstr(result->warnings[1], "fewer than 3 samples"));
}

static void what_is_counted_is_told_for_each_operation(void **state) {
        const MemoryBlock memory = {
                .iterations = 100,
                .allocations = 200,
                .frees = 100,
                .bytes = 6400,
                .retained_bytes = -800,
                .iterations_per_batch = 100,
                .peak_bytes_per_batch = 640,
                .peak_bytes_per_iteration = 32,
                .iterations_counted = 108,
                .leaked_blocks = 1,
                .leaked_bytes = 7,
        };
        Benchd__BenchmarkResult *result;

        make_measurement_of(1, 1, true);
        note((double[]){ 1, 1, 1 }, 3);
        assert_null(take(false));
        assert_true(measurement_next(measurement)->counts);
        assert_int_equal(measurement_note_memory(measurement, &memory, NULL), 0);
        assert_null(measurement_next(measurement));

        result = take(false); /* 2 operations an iteration */
        assert_true(near(result->memory->operations, 200) && near(result->memory->allocations_per_operation, 1));
        assert_true(near(result->memory->frees_per_operation, 0.5) && near(result->memory->bytes_per_operation, 32));
        assert_true(near(result->memory->retained_bytes_per_operation, -4));
        assert_int_equal(result->memory->peak_bytes_per_iteration, 32);
        assert_int_equal(result->memory->peak_bytes_per_batch, 640);
        assert_string_equal(result->warnings[result->n_warnings - 1],
                        "leaks: of what 108 iterations allocated, 1 block of 7 bytes together was never freed");
        assert_int_equal(measurement_count(measurement).processes_done, 2);
}

static void what_could_not_be_counted_is_said_and_the_times_stand(void **state) {
        Benchd__BenchmarkResult *result;

        make_measurement_of(2, 1, true);
        for (int i = 0; i < 2; i++)
                note((double[]){ 1, 1, 1 }, 3);
        assert_int_equal(measurement_note_memory(measurement, NULL, &crash), 0);
        result = take(false);
        assert_null(result->memory);
        assert_null(result->failed);
        assert_true(near(result->time_ns->point, 1));
        assert_non_null(strstr(result->warnings[result->n_warnings - 1], "not counted: It crashed"));

        assert_int_equal(measurement_note_memory(measurement, &(MemoryBlock){ .state = MEMORY_STATE_OWN_MALLOC }, NULL),
                        0);
        result = take(false);
        assert_null(result->memory);
        assert_non_null(strstr(result->warnings[result->n_warnings - 1], "an allocator of its own"));
        assert_int_equal(measurement_count(measurement).measured, 2);
}

static void what_fails_while_timed_is_not_counted(void **state) {
        make_measurement_of(1, 3, true);
        note((double[]){ 1, 1, 1 }, 3);
        assert_int_equal(measurement_note_failed(measurement, &crash, &silence), 0);
        assert_null(measurement_next(measurement));
        assert_int_equal(measurement_count(measurement).processes, 1);
        assert_non_null(take(false)->failed);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(numbers_come_out_as_the_samples_went_in, set_up, tear_down),
                cmocka_unit_test_setup_teardown(a_budget_that_ends_takes_processes_away_but_never_the_third, set_up,
                                tear_down),
                cmocka_unit_test_setup_teardown(two_processes_that_were_asked_for_stay_two, set_up, tear_down),
                cmocka_unit_test_setup_teardown(what_the_loop_took_and_what_was_traced_are_told_for_each_process,
                                set_up, tear_down),
                cmocka_unit_test_setup_teardown(throughput_and_counters_are_of_the_headline, set_up, tear_down),
                cmocka_unit_test_setup_teardown(a_benchmark_that_fails_leaves_the_others_alone, set_up, tear_down),
                cmocka_unit_test_setup_teardown(what_was_measured_before_a_failure_is_not_reported, set_up, tear_down),
                cmocka_unit_test_setup_teardown(a_cancelled_one_tells_what_it_has, set_up, tear_down),
                cmocka_unit_test_setup_teardown(output_is_kept_cleaned_and_said_to_be_cut, set_up, tear_down),
                cmocka_unit_test_setup_teardown(a_time_below_that_of_an_empty_batch_is_shown_as_it_is, set_up,
                                tear_down),
                cmocka_unit_test_setup_teardown(fewer_samples_than_planned_are_said, set_up, tear_down),
                cmocka_unit_test_setup_teardown(what_is_counted_is_told_for_each_operation, set_up, tear_down),
                cmocka_unit_test_setup_teardown(what_could_not_be_counted_is_said_and_the_times_stand, set_up,
                                tear_down),
                cmocka_unit_test_setup_teardown(what_fails_while_timed_is_not_counted, set_up, tear_down),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
