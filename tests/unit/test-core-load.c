/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/lease/core-load.h"

#include <sched.h>

#include "ops/runner-plan.h"
#include "test.h"

#define READINGS 300u

/* A core of 2 cycles a tick. */
static const ClockFacts facts = {
        .hz = 2e9,
        .quantum_ticks = 20,
        .branch_cycles = 2090,
        .ports_cycles = 2140,
        .port_chains = 4,
        .ruler_turns = 50,
        .ruler_cost_ticks = 30,
};

static const CoreLoadReading alone = { 2530, { 1045, 1070 }, 5500 };
static const CoreLoadReading beside = { 2570, { 2100, 1500 }, 7000 };  /* a busy hardware thread */
static const CoreLoadReading away = { 2530, { 1045, 1070 }, 8000000 }; /* somebody else had the CPU for 4 ms */
static const CoreLoadReading stretched = { 8000000, { 1045, 1070 }, 8004000 };

static CoreLoadReading readings[READINGS];

/* One in @every is @other. */
static double share_of(const CoreLoadReading *other, size_t every) {
        for (size_t i = 0; i < READINGS; i++)
                readings[i] = i % every == every - 1 ? *other : alone;
        return core_load_slow_share(&facts, readings, READINGS);
}

TEST(a_core_of_its_own_is_slow_for_none_of_the_time) {
        assert_true(share_of(&alone, 1) == 0);
}

TEST(a_neighbour_counts_by_its_time) {
        assert_true(share_of(&beside, 1) == 1);
        assert_float_equal(share_of(&beside, 2), 7000.0 / 12500, 1e-9);
}

TEST(who_takes_the_cpu_away_once_in_a_while_has_it_for_most_of_the_time) {
        assert_true(share_of(&away, 100) > 0.9);
        assert_true(share_of(&stretched, 100) > 0.9);
}

TEST(at_any_frequency_it_is_the_same) {
        for (size_t i = 0; i < READINGS; i++) {
                const double slower = 1 + i / 100.0;

                readings[i] = (CoreLoadReading){ 30 + 2500 * slower, { 1045 * slower, 1070 * slower }, 5500 * slower };
        }
        assert_true(core_load_slow_share(&facts, readings, 50) == 0);
}

TEST(without_readings_nothing_is_quiet) {
        assert_true(core_load_slow_share(&facts, readings, 0) == 1);
}

static void no_child_is_left(void) {
        assert_int_equal(waitpid(-1, NULL, 0), -1);
        assert_int_equal(errno, ECHILD);
}

static int some_cpu(void) {
        cpu_set_t set;

        assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
        for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
                if (CPU_ISSET(cpu, &set))
                        return cpu;
        return -1;
}

/* How busy it is, is not for a test to say. */
TEST(a_cpu_that_may_be_used_is_probed_and_this_process_stays_where_it_was) {
        cpu_set_t before, after;
        double share;

        assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
        share = core_load_probe(&facts, some_cpu());
        assert_true(share >= 0 && share <= 1);
        assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
        assert_true(CPU_EQUAL(&before, &after));
        no_child_is_left();
}

TEST(what_cannot_be_probed_is_told_apart) {
        ClockFacts other = facts;

        assert_true(core_load_probe(&facts, CPU_SETSIZE - 1) < 0);
        assert_true(core_load_probe(&facts, -1) < 0);
        other.port_chains = 0;
        assert_true(core_load_probe(&other, some_cpu()) < 0);
        other = facts;
        other.source = CLOCK_SOURCE_RAW;
        assert_true(core_load_probe(&other, some_cpu()) < 0);
        no_child_is_left();
}
