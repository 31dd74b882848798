/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

#include "ops/sample-block.h"
#include "runner/detect.h"

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

/* A kernel that ticks 100 times a second interrupts at least ten times in 100 ms. */
static void the_canary_sees_the_tick_of_the_kernel(void **state) {
        if (!(detect_test() & DETECTOR_CANARY))
                skip();
        assert_true(spin(DETECTOR_CANARY, 100000000) & SAMPLE_FLAG_INTERRUPTED);
}

static void what_is_not_armed_tells_nothing(void **state) {
        assert_int_equal(spin(0, 100000000), 0);
}

static void a_short_stretch_is_mostly_undisturbed(void **state) {
        uint32_t detectors = detect_test();
        unsigned n = 0;

        for (unsigned i = 0; i < 1000; i++)
                n += spin(detectors, 1000) == 0;
        assert_true(n > 900);
}

static void the_test_comes_to_the_same_each_time(void **state) {
        uint32_t detectors = detect_test();

        printf("detectors that work here: %u\n", detectors);
        assert_int_equal(detect_test(), detectors);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(the_canary_sees_the_tick_of_the_kernel),
                cmocka_unit_test(what_is_not_armed_tells_nothing),
                cmocka_unit_test(a_short_stretch_is_mostly_undisturbed),
                cmocka_unit_test(the_test_comes_to_the_same_each_time),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
