/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A measurement under way in a test, told of processes whose samples took what the test says. Each test has one of its own,
 * from set_up() to tear_down().
 */

#include "front/samples/measurement.h"
#include "listing.h"

static const ClockFacts clock_facts = { .hz = 2e9, .quantum_ticks = 2, .batch_cost_ticks = 40, .port_chains = 4 };
static const ProcessEnd crash = { .code = "crashed", .message = "It crashed.\033[2J" };
static const RunnerOutput silence;

static ListingBlock *listing;
static SampleBlock *block;
static Measurement *measurement;
static Arena *arena;

static inline int set_up(void **state) {
        listing = calloc(1, sizeof *listing);
        block = calloc(1, sizeof *block);
        return listing && block && arena_new(&arena) == 0 ? 0 : -1;
}

static inline int tear_down(void **state) {
        measurement = measurement_free(measurement);
        arena = arena_free(arena);
        free(listing);
        free(block);
        return 0;
}

TEST_EACH(set_up, tear_down)

/* Makes a measurement of @n_benchmarks, as @request says, with three samples a process; in place of the one before. */
static inline void make_measurement_for(unsigned n_benchmarks, Benchd__RunRequest *request) {
        listing->n_entries = 0;
        for (unsigned i = 0; i < n_benchmarks; i++)
                add_entry(listing, "area", (char[]){ 'a' + i, 0 });
        request->samples = 3, request->has_samples = 1;
        measurement = measurement_free(measurement);
        assert_int_equal(measurement_new(make_plan(listing, request, 1), &measurement), 0);
}

static inline void make_measurement(unsigned n_benchmarks, uint32_t n_processes) {
        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;

        request.processes = n_processes, request.has_processes = 1;
        make_measurement_for(n_benchmarks, &request);
}

/* Plans to count what is allocated, too. */
static inline void make_counting_measurement(unsigned n_benchmarks, uint32_t n_processes) {
        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;

        request.processes = n_processes, request.has_processes = 1;
        request.memory = request.has_memory = 1;
        make_measurement_for(n_benchmarks, &request);
}

/* Fills the block with samples that take the @ns of an operation that are asked for, to a tick. */
static inline void fill_block(const double *ns, uint32_t n) {
        memset(block, 0, sizeof *block);
        block->n_threads = 1;
        block->probes = SAMPLE_PROBES_ON;
        block->threads[0].ops_per_iteration = 2;
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

static inline Benchd__BenchmarkResult *take(bool partial) {
        Benchd__BenchmarkResult *result;

        assert_int_equal(measurement_take_result(measurement, partial, arena, &result), 0);
        return result;
}

/* The next process gave what the block says. */
static inline void note_block(void) {
        assert_non_null(measurement_next(measurement));
        assert_int_equal(measurement_note_complete(measurement, block, &clock_facts, &silence), 0);
}

static inline void note(const double *ns, uint32_t n) {
        fill_block(ns, n);
        note_block();
}

static inline bool near(double a, double b) {
        return fabs(a - b) <= 1e-9 * fabs(b);
}

/* How many warnings have these words. */
static inline size_t count_warnings(const Benchd__BenchmarkResult *result, const char *words) {
        size_t n = 0;

        for (size_t i = 0; i < result->n_warnings; i++)
                n += strstr(result->warnings[i], words) != NULL;
        return n;
}

/* The next process gave three samples of @ns, one after the other. */
static inline void note_in_a_row(double ns) {
        fill_block((double[]){ ns, ns, ns }, 3);
        for (unsigned i = 0; i < 3; i++)
                block->samples[i].start_ticks = 1000 + i * block->samples[i].ticks;
        note_block();
}
