/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "ops/block.h"
#include "runner/watch/usage.h"

#include "test.h"

#define BOTH (DETECTOR_CANARY | DETECTOR_RSEQ)

TEST(what_a_detector_did_not_see_where_it_was_timed_was_in_a_pause) {
        static const struct {
                uint32_t detectors, flags;
                uint64_t preempted; /* beside one fault and one wait */
                uint64_t faults_left, blocked_left, preempted_left;
        } rows[] = {
                { BOTH, 0, 1, 0, 0, 0 },
                { BOTH, MARK_INTERRUPTED, 1, 1, 0, 0 },
                { BOTH, MARK_PREEMPTED, 0, 0, 1, 0 },
                { BOTH, MARK_PREEMPTED, 1, 0, 0, 1 }, /* which explains the flag */
                { BOTH, MARK_INTERRUPTED | MARK_PREEMPTED, 0, 1, 1, 0 },
                { DETECTOR_CANARY, 0, 1, 0, 1, 1 },
                { DETECTOR_RSEQ, 0, 1, 1, 0, 0 },
                { 0, 0, 1, 1, 1, 1 },
        };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                Usage usage = { .faults = 1,
                        .blocked = 1,
                        .preempted = rows[i].preempted,
                        .waited = true,
                        .switched = true,
                        .output_bytes = 1 };

                usage_forgive_untimed(&usage, rows[i].detectors, rows[i].flags);
                assert_int_equal(usage.faults, rows[i].faults_left);
                assert_int_equal(usage.blocked, rows[i].blocked_left);
                assert_int_equal(usage.preempted, rows[i].preempted_left);
                assert_true(usage.waited && usage.output_bytes == 1);
                assert_false(usage_is_stolen(&usage, 1e9)); /* the CPU was another's */
        }
}

TEST(time_that_nobody_charged_the_thread_with_was_stolen) {
        static const struct {
                Usage usage;
                double batch_ns;
                bool stolen;
        } rows[] = {
                { { .cpu_ns = 100000 }, 100000, false },
                { { .cpu_ns = 102000 }, 100000, false }, /* the readings around it are charged too */
                { { .cpu_ns = 100000 }, 110000, false }, /* finer than the accounts are */
                { { .cpu_ns = 100000 }, 150000, true },
                { { .cpu_ns = 100000, .switched = true }, 150000, false },
        };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
                assert_int_equal(usage_is_stolen(&rows[i].usage, rows[i].batch_ns), rows[i].stolen);
}

TEST(its_flags_are_what_is_left) {
        assert_int_equal(usage_flags(&(Usage){ .blocked = 1, .waited = true }), 0);
        assert_int_equal(usage_flags(&(Usage){ .faults = 1 }), MARK_FAULTED);
        assert_int_equal(usage_flags(&(Usage){ .preempted = 1 }), MARK_PREEMPTED);
}

#define ALL (COUNTER_CYCLES | COUNTER_INSTRUCTIONS | COUNTER_BRANCH_MISSES | COUNTER_CACHE_MISSES)

/*
 * Not read from a core, since none was at hand, but in the form of perf_event_open(2): number, times in ns, then a count each.
 * A loop of 100 us at 3 GHz, whose group was created a little before the first reading.
 */
static const uint64_t at_start[] = { 4, 1040512, 1040512, 2205310, 3120977, 1406, 92 };
static const uint64_t at_stop[] = { 4, 1141870, 1141870, 2505874, 4021265, 1409, 92 };

static UsagePmu parse(uint32_t counters, const uint64_t *words, size_t n_bytes) {
        UsagePmu reading;

        usage_pmu_parse(counters, words, n_bytes, &reading);
        return reading;
}

static UsagePmu difference(UsagePmu before, UsagePmu after) {
        UsagePmu between;

        usage_pmu_difference(&before, &after, &between);
        return between;
}

TEST(a_difference_is_what_was_counted_between_two_readings) {
        UsagePmu between = difference(parse(ALL, at_start, sizeof at_start), parse(ALL, at_stop, sizeof at_stop));

        assert_int_equal(between.counters, ALL);
        assert_int_equal(between.counts[0], 300564);
        assert_int_equal(between.counts[1], 900288);
        assert_int_equal(between.counts[2], 3);
        assert_int_equal(between.counts[3], 0);
        assert_int_equal(between.enabled_ns, 101358);
}

TEST(a_group_that_shared_the_counters_gives_nothing) {
        uint64_t shared[7];

        memcpy(shared, at_stop, sizeof shared);
        shared[2] -= 1000;
        assert_int_equal(difference(parse(ALL, at_start, sizeof at_start), parse(ALL, shared, sizeof shared)).counters,
                        0);
}

/* It was shared before the first reading, and has had its counters ever since. */
TEST(sharing_that_was_over_before_does_not_count) {
        uint64_t start[7], stop[7];

        memcpy(start, at_start, sizeof start);
        memcpy(stop, at_stop, sizeof stop);
        start[2] -= 700000;
        stop[2] -= 700000;
        assert_int_equal(difference(parse(ALL, start, sizeof start), parse(ALL, stop, sizeof stop)).counters, ALL);
}

TEST(a_count_may_wrap) {
        const uint64_t start[] = { 1, 10, 10, UINT64_MAX - 99 }, stop[] = { 1, 30, 30, 200 };

        assert_int_equal(
                        difference(parse(COUNTER_CYCLES, start, sizeof start), parse(COUNTER_CYCLES, stop, sizeof stop))
                                        .counts[0],
                        300);
}

TEST(an_absent_member_leaves_the_others_in_their_places) {
        const uint64_t words[] = { 2, 10, 10, 500, 7 };
        UsagePmu reading = parse(COUNTER_CYCLES | COUNTER_BRANCH_MISSES, words, sizeof words);

        assert_int_equal(reading.counts[0], 500);
        assert_int_equal(reading.counts[1], 0);
        assert_int_equal(reading.counts[2], 7);
}

TEST(what_is_not_the_group_that_was_opened_gives_nothing) {
        const uint64_t other[] = { 3, 10, 10, 500, 7, 1, 0 };

        assert_int_equal(parse(ALL, other, sizeof other).counters, 0);
        assert_int_equal(parse(ALL, at_start, sizeof at_start - sizeof *at_start).counters, 0);
        assert_int_equal(parse(ALL, at_start, 0).counters, 0);
        assert_int_equal(parse(0, at_start, sizeof at_start).counters, 0);
}

TEST(a_group_that_was_never_on_gives_nothing) {
        UsagePmu start = parse(ALL, at_start, sizeof at_start);

        assert_int_equal(difference(start, start).counters, 0);
}

/* This process was born with none: its descriptors are its own. */
TEST(without_counters_there_is_nothing_to_read) {
        UsagePmu reading;

        assert_int_equal(usage_pmu_find(), 0);
        usage_pmu_read(0, &reading);
        assert_int_equal(reading.counters, 0);
        usage_pmu_read(ALL, &reading);
        assert_int_equal(reading.counters, 0);
}

/*
 * The clock of CPU time: what an empty batch and a pause cost by it, found with clocks that are made up; and what the kernel's stands for.
 */

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
        const UsageClockCost cost = usage_clock_cost(reading_of_50, reading_of_7);

        assert_true(cost.batch_ns == 50 + 2 * 7);
        assert_true(cost.pause_ns == 50);
        assert_true(cost.step_ns == 1);
}

TEST(a_coarse_clock_is_known_by_its_step) {
        assert_true(usage_clock_cost(coarse, reading_of_7).step_ns == 4000);
}

TEST(the_process_is_charged_what_its_thread_is_at_least) {
        const uint64_t thread = usage_clock_thread();

        assert_true(thread > 0);
        assert_true(usage_clock_process() >= thread);
        assert_true(usage_clock_thread() >= thread);
}
