/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "arena.h"
#include "front/samples/core-counts.h"

#define ALL (COUNTER_CYCLES | COUNTER_INSTRUCTIONS | COUNTER_BRANCH_MISSES | COUNTER_CACHE_MISSES)

static SampleBlock block;
static const ClockFacts clock_facts = { .hz = 3e9, .counters = ALL, .counter_cost = { 310, 620, 1.5, 0.25 } };

/* Ten samples of 1000 iterations with two operations each, of @cycles an operation and twice the instructions. */
static void fill(double cycles, uint32_t counters) {
        block = (SampleBlock){ .n_samples = 10, .n_threads = 1, .threads = { { .ops_per_iteration = 2 } } };
        for (uint32_t i = 0; i < 10; i++)
                block.samples[i] = (Sample){
                        .iterations = 1000,
                        .ticks = 1,
                        .counters = counters,
                        .counts = { 310 + 2000 * cycles, 620 + 4000 * cycles, 1.5 + 20.5, 5 },
                };
}

static bool near(double a, double b) {
        return fabs(a - b) <= 1e-9 * fabs(b);
}

static Benchd__Pmu *report(CoreCounts *counts) {
        Benchd__Pmu *message = NULL;

        assert_int_equal(core_counts_report(counts, arena, &message), 0);
        return message;
}

TEST(counts_are_an_operations_less_an_empty_batchs) {
        CoreCounts counts = {};
        Benchd__Pmu *message;

        for (unsigned i = 0; i < 3; i++) {
                fill(3 + i, ALL);
                assert_int_equal(core_counts_add(&counts, &block, &clock_facts, &(QuantityConditions){}), 0);
        }
        assert_non_null(core_counts_cycles(&counts));
        assert_true(near(core_counts_cycles(&counts)->processes[2].quiet, 5));
        message = report(&counts);
        assert_true(near(message->instructions, 8) && near(message->ipc, 2));
        assert_true(near(message->branch_misses, 20.5 / 2000));
        assert_true(near(message->cache_misses, 4.75 / 2000));
        core_counts_deinit(&counts);
}

TEST(a_machine_that_counts_nothing_has_no_message) {
        CoreCounts counts = {};

        fill(3, 0);
        assert_int_equal(core_counts_add(&counts, &block, &clock_facts, &(QuantityConditions){}), 0);
        assert_null(core_counts_cycles(&counts));
        assert_null(report(&counts));
        core_counts_deinit(&counts);
}

TEST(what_one_process_lacks_the_result_lacks) {
        CoreCounts counts = {};
        Benchd__Pmu *message;

        fill(3, ALL);
        assert_int_equal(core_counts_add(&counts, &block, &clock_facts, &(QuantityConditions){}), 0);
        fill(3, ALL & ~COUNTER_CACHE_MISSES);
        assert_int_equal(core_counts_add(&counts, &block, &clock_facts, &(QuantityConditions){}), 0);
        message = report(&counts);
        assert_true(message->has_branch_misses);
        assert_false(message->has_cache_misses);
        core_counts_deinit(&counts);
}

TEST(a_process_is_counted_where_half_of_its_samples_are) {
        CoreCounts counts = {};

        fill(3, ALL);
        for (unsigned i = 0; i < 5; i++)
                block.samples[i].counters = 0;
        assert_int_equal(core_counts_add(&counts, &block, &clock_facts, &(QuantityConditions){}), 0);
        assert_non_null(core_counts_cycles(&counts));
        assert_true(near(core_counts_cycles(&counts)->processes[0].quiet, 3));
        block.samples[9].counters = 0;
        assert_int_equal(core_counts_add(&counts, &block, &clock_facts, &(QuantityConditions){}), 0);
        assert_null(core_counts_cycles(&counts));
        core_counts_deinit(&counts);
}
