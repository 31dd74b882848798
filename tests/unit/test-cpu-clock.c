/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The clock of CPU time: what an empty batch and a pause cost by it, found with clocks that are made up; and what the kernel's stands for.
 */

#include "runner/cpu-clock.h"

#include "test.h"

static uint64_t now;
static uint64_t coarse_ns;

/* Each reading takes 50 ns. */
static uint64_t reading_of_50(void) {
        return now += 50;
}

/* Each takes 7, which a stopwatch beside it costs too. */
static uint64_t reading_of_7(void) {
        return now += 7;
}

/* Advances by 4000 at once, every tenth time. */
static uint64_t coarse(void) {
        if (++now % 10 == 0)
                coarse_ns += 4000;
        return coarse_ns;
}

TEST(an_empty_batch_costs_a_reading_and_the_stopwatch_within_it) {
        const CpuClockCost cost = cpu_clock_cost(reading_of_50, reading_of_7);

        assert_true(cost.batch_ns == 50 + 2 * 7);
        assert_true(cost.pause_ns == 50);
        assert_true(cost.step_ns == 1);
}

TEST(a_coarse_clock_is_known_by_its_step) {
        assert_true(cpu_clock_cost(coarse, reading_of_7).step_ns == 4000);
}

TEST(the_process_is_charged_what_its_thread_is_at_least) {
        const uint64_t thread = cpu_clock_thread();

        assert_true(thread > 0);
        assert_true(cpu_clock_process() >= thread);
        assert_true(cpu_clock_thread() >= thread);
}
