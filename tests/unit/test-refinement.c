/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A longer baseline makes the error smaller, and the error is true; a clock that stood still, jumped or changed its rate
 * is found out, and one that did not is not.
 */

#include "clock/refinement.h"
#include "test.h"

#define WIDTH_TICKS 130u
#define NS_A_S      1e9

/* A machine: where its two clocks are, and how fast the counter goes. */
typedef struct Clocks {
        double tsc_ticks;
        double raw_ns;
        double hz;
} Clocks;

static Clocks make_clocks(void) {
        return (Clocks){ .tsc_ticks = drand48() * 1e14, .raw_ns = drand48() * 1e14, .hz = 1e9 + drand48() * 4e9 };
}

static void pass(Clocks *clocks, double seconds) {
        clocks->raw_ns += seconds * NS_A_S;
        clocks->tsc_ticks += seconds * clocks->hz;
}

/* A reading, anywhere within its width. */
static CalibrationPoint look(const Clocks *clocks) {
        return (CalibrationPoint){
                .tsc_ticks = clocks->tsc_ticks + WIDTH_TICKS * (drand48() - 0.5),
                .raw_ns = clocks->raw_ns,
                .width_ticks = WIDTH_TICKS,
        };
}

static RefinementOutcome add(Refinement *refinement, const Clocks *clocks) {
        CalibrationPoint point = look(clocks);

        return refinement_add(refinement, &point);
}

/* Calibrated within its error, and looked at once. */
static Refinement begin(const Clocks *clocks) {
        double error_ppm = 0.02;
        Refinement refinement;

        refinement_init(&refinement,
                        &(CalibrationFrequency){ clocks->hz * (1 + 1e-6 * error_ppm * (drand48() - 0.5)), error_ppm });
        assert_int_equal(add(&refinement, clocks), REFINEMENT_KEPT);
        return refinement;
}

static double off_ppm(const Refinement *refinement, const Clocks *clocks) {
        return 1e6 * fabs(refinement->frequency.hz - clocks->hz) / clocks->hz;
}

TEST(the_error_falls_as_the_baseline_grows_and_is_true) {
        unsigned n_within = 0, n = 0;

        seed_random();
        for (unsigned i = 0; i < 100; i++) {
                Clocks clocks = make_clocks();
                Refinement refinement = begin(&clocks);

                for (double s = 1; s < 5000; s *= 2) {
                        double before = refinement.frequency.error_ppm;

                        pass(&clocks, s);
                        assert_int_not_equal(add(&refinement, &clocks), REFINEMENT_RESTARTED);
                        assert_true(refinement.frequency.error_ppm <= before);
                        n++;
                        n_within += off_ppm(&refinement, &clocks) <= 2 * refinement.frequency.error_ppm;
                }
                assert_true(refinement.frequency.error_ppm < 1e-4);
                assert_true(refinement_baseline_ns(&refinement) > 5e12);
        }
        /* The difference of two uniform readings lies within two of its standard deviations in 97 of 100 cases; several
         * looks share a first point, hence the room. */
        assert_true(n_within >= 0.9 * n);
}

TEST(looks_in_quick_succession_do_no_harm) {
        seed_random();
        for (unsigned i = 0; i < 100; i++) {
                Clocks clocks = make_clocks();
                Refinement refinement = begin(&clocks);

                for (unsigned j = 0; j < 1000; j++) {
                        pass(&clocks, drand48() * 1e-5);
                        assert_int_not_equal(add(&refinement, &clocks), REFINEMENT_RESTARTED);
                }
                assert_true(off_ppm(&refinement, &clocks) < 0.1);
        }
}

/* Slept for @slept seconds: the counter goes on or not, the clock stands still. */
static Refinement after_sleep(Clocks *clocks, double slept, bool counter_goes_on) {
        Refinement refinement = begin(clocks);

        pass(clocks, 100);
        add(&refinement, clocks);
        pass(clocks, 1);
        clocks->tsc_ticks += counter_goes_on ? slept * clocks->hz : 0;
        assert_int_equal(add(&refinement, clocks), REFINEMENT_RESTARTED);
        return refinement;
}

TEST(a_sleep_begins_a_new_baseline) {
        seed_random();
        for (unsigned i = 0; i < 100; i++) {
                Clocks clocks = make_clocks();
                Refinement refinement = after_sleep(&clocks, 0.001 + drand48() * 1e4, true);

                assert_int_equal(refinement.n_restarts, 1);
                assert_int_equal(refinement_baseline_ns(&refinement), 0);
                assert_true(refinement.frequency.error_ppm >= 500);
                assert_true(isfinite(refinement.frequency.error_ppm));
                pass(&clocks, 0.002);
                assert_int_equal(add(&refinement, &clocks), REFINEMENT_REFINED);
                assert_true(off_ppm(&refinement, &clocks) < 100);
                pass(&clocks, 100);
                assert_int_equal(add(&refinement, &clocks), REFINEMENT_REFINED);
                assert_true(off_ppm(&refinement, &clocks) < 0.01);
        }
}

TEST(a_counter_that_was_set_back_begins_a_new_baseline) {
        Clocks clocks = { .tsc_ticks = 1e14, .raw_ns = 1e12, .hz = 2.6e9 };
        Refinement refinement;

        seed_random();
        refinement = begin(&clocks);
        pass(&clocks, 10);
        clocks.tsc_ticks = 5e9;
        assert_int_equal(add(&refinement, &clocks), REFINEMENT_RESTARTED);
        assert_true(isinf(refinement.disagreement_ppm));
        assert_true(refinement.frequency.error_ppm < 1);
        pass(&clocks, 10);
        assert_int_not_equal(add(&refinement, &clocks), REFINEMENT_RESTARTED);
        assert_true(off_ppm(&refinement, &clocks) < 0.1);
}

TEST(another_rate_is_found_out_and_then_found) {
        seed_random();
        for (unsigned i = 0; i < 100; i++) {
                Clocks clocks = make_clocks();
                Refinement refinement = begin(&clocks);

                pass(&clocks, 1000);
                add(&refinement, &clocks);
                clocks.hz *= 1 + (drand48() < 0.5 ? -1 : 1) * (5e-6 + drand48() * 1e-3); /* another host's crystal */
                pass(&clocks, 1);
                assert_int_equal(add(&refinement, &clocks), REFINEMENT_RESTARTED);
                pass(&clocks, 1);
                assert_int_equal(add(&refinement, &clocks), REFINEMENT_REFINED);
                assert_true(off_ppm(&refinement, &clocks) <= 3 * refinement.frequency.error_ppm);
        }
}

TEST(two_looks_at_one_moment_change_nothing) {
        Clocks clocks = make_clocks();
        Refinement refinement = begin(&clocks), before = refinement;

        assert_int_equal(refinement_add(&refinement, &before.first), REFINEMENT_KEPT);
        assert_true(refinement.frequency.hz == before.frequency.hz);
}
