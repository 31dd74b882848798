/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "clock/calibration.h"
#include "test.h"

#define N_POINTS 64
#define N_DELTAS 20000

/* Points of a counter of @hz, read with up to @noise_ns of error. */
static void make_points(CalibrationPoint *points, double hz, double noise_ns) {
        uint64_t start_ns = drand48() * 1e15, start_ticks = drand48() * 1e15;

        for (size_t i = 0; i < N_POINTS; i++) {
                double ns = i * 1.6e6 + drand48() * 1e5;

                points[i].raw_ns = start_ns + ns + noise_ns * (drand48() - 0.5);
                points[i].tsc_ticks = start_ticks + ns * hz / 1e9;
        }
}

TEST(a_frequency_is_found_within_its_error) {
        unsigned n_within = 0, n = 500;

        seed_random();
        for (unsigned i = 0; i < n; i++) {
                CalibrationPoint points[N_POINTS];
                double hz = 1e9 + drand48() * 4e9;
                CalibrationFrequency found;

                make_points(points, hz, 40);
                assert_int_equal(calibration_fit(points, N_POINTS, &found), 0);
                assert_true(fabs(found.hz - hz) / hz < 1e-6);
                n_within += fabs(found.hz - hz) / hz * 1e6 <= 1.998 * found.error_ppm; /* t, 62 degrees, 95 % */
        }
        /* 95 % of 500 is 475, and 5 standard deviations are 24. */
        assert_in_range(n_within, 451, 499);
}

TEST(a_line_through_exact_points_has_no_error) {
        CalibrationPoint points[] = { { 1000, 500, 0 }, { 3000, 1500, 0 }, { 5000, 2500, 0 }, { 9000, 4500, 0 } };
        CalibrationFrequency found;

        assert_int_equal(calibration_fit(points, 4, &found), 0);
        assert_true(fabs(found.hz - 2e9) < 1);
        assert_true(found.error_ppm < 1e-3);
}

TEST(too_few_or_coinciding_points_are_an_outcome) {
        CalibrationPoint same[] = { { 5, 5, 0 }, { 5, 5, 0 }, { 5, 5, 0 } };
        CalibrationFrequency found;

        assert_int_equal(calibration_fit(same, 2, &found), CALIBRATION_E_DEGENERATE);
        assert_int_equal(calibration_fit(same, 3, &found), CALIBRATION_E_DEGENERATE);
}

/* A counter that advances by @step ticks, read anew after @least to @most of them. */
typedef struct Counter {
        double step;
        double least, most;
        double interrupted; /* share of the readings before which an interrupt lasts for up to 5000 ticks */
        bool always_grows;  /* by a tick, where it stands still */
} Counter;

static double quantum_of(const Counter *counter) {
        static uint64_t deltas[N_DELTAS];
        double now = 1e12 * drand48();
        uint64_t last = floor(now / counter->step) * counter->step;

        for (size_t i = 0; i < N_DELTAS; i++) {
                uint64_t reading;

                now += counter->least + (counter->most - counter->least) * drand48();
                if (drand48() < counter->interrupted)
                        now += 5000 * drand48();
                reading = floor(now / counter->step) * counter->step;
                if (counter->always_grows && reading <= last)
                        reading = last + 1;
                deltas[i] = reading - last;
                last = reading;
        }
        return calibration_quantum(deltas, N_DELTAS);
}

/* Read as often as not within one step, about once a step, and less often; undisturbed and not; each by two kinds of counter. */
static void assert_step(double step) {
        static const double reads[][2] = { { 18, 40 }, { 20, 60 }, { 22, 53 }, { 30, 130 } };

        for (size_t i = 0; i < 16; i++) {
                const Counter counter = {
                        .step = step,
                        .least = reads[i / 4][0],
                        .most = reads[i / 4][1],
                        .interrupted = i & 1 ? 0.01 : 0,
                        .always_grows = (i & 2) != 0,
                };
                double found = quantum_of(&counter);

                if (fabs(found - step) > 0.01)
                        fail_msg("a step of %g, read after %g to %g ticks, is found as %g", step, counter.least,
                                        counter.most, found);
        }
}

TEST(a_counter_shows_its_step_to_a_hundredth_of_a_tick) {
        static const double steps[] = {
                1, 2, 3, 4,                                /* ticks, as processors count them */
                20, 26, 34, 36, 40,                        /* 100 MHz of a Zen, by its frequency */
                24.45426, 25.96, 22.5, 37.001, 6.4, 100.7, /* ... that a hypervisor scales */
        };

        seed_random();
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
                assert_step(steps[i]);
}

TEST(a_counter_that_is_always_read_after_as_many_ticks_shows_no_step) {
        static uint64_t deltas[N_DELTAS];

        for (size_t i = 0; i < N_DELTAS; i++)
                deltas[i] = i % 1000 ? 22 : 4000;
        assert_true(calibration_quantum(deltas, N_DELTAS) == 1);
}

/* Recorded: the differences of readings in a row on a guest whose counter counts by two, and how often each came. */
TEST(readings_of_a_counter_that_counts_by_two_show_it) {
        static const struct {
                uint64_t delta;
                unsigned times;
        } recorded[] = {
                { 20, 1035 },
                { 22, 47967 },
                { 24, 49396 },
                { 26, 1209 },
                { 44, 1 },
                { 46, 1 },
                { 72, 20 },
                { 74, 108 },
                { 76, 52 },
                { 78, 9 },
                { 80, 3 },
                { 82, 2 },
                { 92, 1 },
                { 94, 1 },
        };
        static uint64_t deltas[100000];
        size_t n = 0;

        for (size_t i = 0; i < sizeof recorded / sizeof *recorded; i++)
                for (unsigned k = 0; k < recorded[i].times; k++)
                        deltas[n++] = recorded[i].delta;
        assert_true(calibration_quantum(deltas, n) == 2);
}

TEST(a_reading_of_this_machines_clocks_goes_forward) {
        CalibrationPoint first = calibration_read(5), second = calibration_read(5);

        assert_true(second.raw_ns > first.raw_ns);
        assert_true(second.tsc_ticks > first.tsc_ticks);
}
