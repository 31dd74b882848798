/* SPDX-License-Identifier: GPL-3.0-or-later */
#define BENCH_NO_MODULE

#include <benchd/bench.h>
#include <poll.h>

#include "ops/block.h"
#include "ops/runner-plan.h"
#include "runner/watch/detect.h"

#include "test.h"

static uint64_t now_ns(void) {
        struct timespec t;

        clock_gettime(CLOCK_MONOTONIC, &t);
        return (uint64_t)t.tv_sec * 1000000000u + t.tv_nsec;
}

/* What fires within @ns of arithmetic. */
static uint32_t spin(uint32_t detectors, uint64_t ns) {
        uint64_t end = now_ns() + ns;

        detect_arm(detectors);
        while (now_ns() < end)
                ;
        return detect_read(detectors);
}

/* A CPU of these may be without the tick while one task is all that it has. */
static bool there_are_cpus_without_tick(void) {
        FILE *file = fopen("/sys/devices/system/cpu/nohz_full", "re");
        char first = '\n';

        if (!file)
                return false;
        if (fread(&first, 1, 1, file) != 1)
                first = '\n';
        fclose(file);
        return first >= '0' && first <= '9';
}

/* A kernel that ticks 100 times a second interrupts at least nine times in 100 ms. */
TEST(the_canary_sees_the_tick_of_the_kernel) {
        if (!(detect_test() & DETECTOR_CANARY) || there_are_cpus_without_tick())
                skip();
        assert_true(spin(DETECTOR_CANARY, 100000000) & MARK_INTERRUPTED);
}

TEST(what_is_not_armed_tells_nothing) {
        assert_int_equal(spin(0, 100000000), 0);
}

/* How many of them are quiet is up to the machine; detectors that fire by themselves leave none so. */
TEST(a_short_stretch_can_be_undisturbed) {
        uint32_t detectors = detect_test();
        unsigned n = 0;

        for (unsigned i = 0; i < 1000; i++)
                n += spin(detectors, 1000) == 0;
        assert_true(n > 0);
}

TEST(the_test_comes_to_the_same_each_time) {
        uint32_t detectors = detect_test();

        printf("detectors that work here: %u\n", detectors);
        assert_int_equal(detect_test(), detectors);
}

static void wait_and_fault(void) {
        char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        assert_ptr_not_equal(page, MAP_FAILED);
        *(volatile char *)page = 1;
        munmap(page, 4096);
        poll(NULL, 0, 1);
}

enum {
        BEFORE_THE_PAUSE,
        IN_THE_PAUSE,
        AFTER_THE_PAUSE,
};

/* What fires of a short stretch with a pause in it, and both a fault and a wait at @place. */
static uint32_t stretch(uint32_t detectors, int place) {
        struct bench_watch watch;
        struct bench b = { .watch = &watch };

        detect_watch(detectors, &watch);
        detect_arm(detectors);
        for (int at = BEFORE_THE_PAUSE; at <= AFTER_THE_PAUSE; at++) {
                if (at == IN_THE_PAUSE)
                        bench_pause(&b);
                if (at == place)
                        wait_and_fault();
                if (at == IN_THE_PAUSE)
                        bench_resume(&b);
        }
        return detect_read(detectors) | detect_watched(&watch);
}

static unsigned count_stretches(int place, uint32_t flags) {
        uint32_t detectors = detect_test();
        unsigned n = 0;

        for (unsigned i = 0; i < 100; i++)
                n += stretch(detectors, place) == (flags & detect_flags(detectors));
        return n;
}

/* The machine disturbs some stretches; the pause would disturb all of them. */
TEST(what_happens_in_a_pause_is_not_of_the_batch) {
        assert_true(count_stretches(IN_THE_PAUSE, 0) > 0);
}

TEST(what_happens_beside_a_pause_is_not_forgotten_in_it) {
        assert_true(count_stretches(BEFORE_THE_PAUSE, UINT32_MAX) > 90);
        assert_true(count_stretches(AFTER_THE_PAUSE, UINT32_MAX) > 90);
}

TEST(a_module_that_is_not_watched_can_pause) {
        struct bench b = {};

        bench_pause(&b);
        bench_resume(&b);
        assert_int_equal(b.n_pauses, 1);
}
