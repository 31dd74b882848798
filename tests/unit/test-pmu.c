/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "runner/pmu.h"
#include "test.h"

#define ALL (COUNTER_CYCLES | COUNTER_INSTRUCTIONS | COUNTER_BRANCH_MISSES | COUNTER_CACHE_MISSES)

/*
 * Not read from a core, since none was at hand, but in the form of perf_event_open(2): number, times in ns, then a count each.
 * A loop of 100 us at 3 GHz, whose group was created a little before the first reading.
 */
static const uint64_t at_start[] = { 4, 1040512, 1040512, 2205310, 3120977, 1406, 92 };
static const uint64_t at_stop[] = { 4, 1141870, 1141870, 2505874, 4021265, 1409, 92 };

static PmuReading parse(uint32_t counters, const uint64_t *words, size_t n_bytes) {
        PmuReading reading;

        pmu_parse(counters, words, n_bytes, &reading);
        return reading;
}

static PmuReading difference(PmuReading before, PmuReading after) {
        PmuReading between;

        pmu_difference(&before, &after, &between);
        return between;
}

TEST(a_difference_is_what_was_counted_between_two_readings) {
        PmuReading between = difference(parse(ALL, at_start, sizeof at_start), parse(ALL, at_stop, sizeof at_stop));

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
        PmuReading reading = parse(COUNTER_CYCLES | COUNTER_BRANCH_MISSES, words, sizeof words);

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
        PmuReading start = parse(ALL, at_start, sizeof at_start);

        assert_int_equal(difference(start, start).counters, 0);
}

/* This process was born with none: its descriptors are its own. */
TEST(without_counters_there_is_nothing_to_read) {
        PmuReading reading;

        assert_int_equal(pmu_find(), 0);
        pmu_read(0, &reading);
        assert_int_equal(reading.counters, 0);
        pmu_read(ALL, &reading);
        assert_int_equal(reading.counters, 0);
}
