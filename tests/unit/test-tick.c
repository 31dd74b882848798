/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Either clock is read through the same calls; the one that is chosen is the one that is read. */

#include "clock/tick.h"
#include "test.h"

static uint64_t counted;

static uint64_t count(void) {
        return ++counted;
}

static uint64_t raw_now(void) {
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC_RAW, &now);
        return (uint64_t)now.tv_sec * 1000000000u + now.tv_nsec;
}

TEST(the_clock_that_is_given_is_read) {
        counted = 41;
        assert_int_equal(tick_stopwatch_start(count), 42);
        assert_int_equal(tick_stopwatch_stop(count), 43);
}

TEST(without_one_it_is_the_counter) {
        uint64_t before = tick_start(), start = tick_stopwatch_start(NULL), stop;

        counted = 0;
        stop = tick_stopwatch_stop(NULL);
        assert_true(before <= start && start <= stop && stop <= tick_start());
        assert_int_equal(counted, 0);
}

TEST(raw_is_the_kernels_clock_in_nanoseconds) {
        uint64_t before = raw_now(), read = tick_stopwatch_raw();

        assert_in_range(read, before, raw_now());
}

TEST(a_stop_is_in_order_without_rdtscp_too) {
        const bool had = tick_has_rdtscp;

        for (int has = 0; has <= (int)had; has++)
                for (int i = 0; i < 1000; i++) {
                        uint64_t before = tick_start(), stop;

                        tick_has_rdtscp = has;
                        stop = tick_stop();
                        assert_true(before <= stop && stop <= tick_start());
                }
        tick_has_rdtscp = had;
}
