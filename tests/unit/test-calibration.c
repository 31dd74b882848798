/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "clock/calibration.h"

#define N_POINTS 64
#define N_DELTAS 20000

static long seed_random(void) {
        long seed = time(NULL);

        printf("seed %ld\n", seed);
        srand48(seed);
        return seed;
}

/* Points of a counter of @hz, read with up to @noise_ns of error. */
static void make_points(CalibrationPoint *points, double hz, double noise_ns) {
        uint64_t start_ns = drand48() * 1e15, start_ticks = drand48() * 1e15;

        for (size_t i = 0; i < N_POINTS; i++) {
                double ns = i * 1.6e6 + drand48() * 1e5;

                points[i].raw_ns = start_ns + ns + noise_ns * (drand48() - 0.5);
                points[i].tsc_ticks = start_ticks + ns * hz / 1e9;
        }
}

static void a_frequency_is_found_within_its_error(void **state) {
        unsigned n_within = 0, n = 500;

        seed_random();
        for (unsigned i = 0; i < n; i++) {
                CalibrationPoint points[N_POINTS];
                double hz = 1e9 + drand48() * 4e9;
                TscFrequency found;

                make_points(points, hz, 40);
                assert_int_equal(calibration_fit(points, N_POINTS, &found), 0);
                assert_true(fabs(found.hz - hz) / hz < 1e-6);
                n_within += fabs(found.hz - hz) / hz * 1e6 <= 1.998 * found.error_ppm; /* t, 62 degrees, 95 % */
        }
        /* 95 % of 500 is 475, and 5 standard deviations are 24. */
        assert_in_range(n_within, 451, 499);
}

static void a_line_through_exact_points_has_no_error(void **state) {
        CalibrationPoint points[] = { { 1000, 500, 0 }, { 3000, 1500, 0 }, { 5000, 2500, 0 }, { 9000, 4500, 0 } };
        TscFrequency found;

        assert_int_equal(calibration_fit(points, 4, &found), 0);
        assert_true(fabs(found.hz - 2e9) < 1);
        assert_true(found.error_ppm < 1e-3);
}

static void too_few_or_coinciding_points_are_an_outcome(void **state) {
        CalibrationPoint same[] = { { 5, 5, 0 }, { 5, 5, 0 }, { 5, 5, 0 } };
        TscFrequency found;

        assert_int_equal(calibration_fit(same, 2, &found), CALIBRATION_E_DEGENERATE);
        assert_int_equal(calibration_fit(same, 3, &found), CALIBRATION_E_DEGENERATE);
}

/* Readings every 20 to 60 ticks of a counter that advances by @step. */
static double quantum_of(double step) {
        static uint64_t deltas[N_DELTAS];
        double now = 0;

        for (size_t i = 0; i < N_DELTAS; i++) {
                double next = now + 20 + 40 * drand48();

                deltas[i] = (uint64_t)(floor(next / step) * step) - (uint64_t)(floor(now / step) * step);
                now = next;
        }
        return calibration_quantum(deltas, N_DELTAS);
}

static void a_coarse_counter_shows_its_step(void **state) {
        static const double steps[] = { 25.96, 26, 36, 40, 100 };

        seed_random();
        for (size_t i = 0; i < 5; i++)
                assert_true(fabs(quantum_of(steps[i]) - steps[i]) <= 1);
}

static void a_fine_counter_has_a_step_of_one(void **state) {
        seed_random();
        assert_true(quantum_of(1) <= 3);
}

static void a_reading_of_this_machines_clocks_goes_forward(void **state) {
        CalibrationPoint first = calibration_read(5), second = calibration_read(5);

        assert_true(second.raw_ns > first.raw_ns);
        assert_true(second.tsc_ticks > first.tsc_ticks);
}

static void the_dearest_are_left_out_of_the_mean(void **state) {
        uint64_t costs[] = { 900, 10, 30, 20, 20, 20, 20, 20, 20, 20 };

        assert_true(calibration_cheapest_mean(costs, 10, 0.9) == 20);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_frequency_is_found_within_its_error),
                cmocka_unit_test(a_line_through_exact_points_has_no_error),
                cmocka_unit_test(too_few_or_coinciding_points_are_an_outcome),
                cmocka_unit_test(a_coarse_counter_shows_its_step),
                cmocka_unit_test(a_fine_counter_has_a_step_of_one),
                cmocka_unit_test(a_reading_of_this_machines_clocks_goes_forward),
                cmocka_unit_test(the_dearest_are_left_out_of_the_mean),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
