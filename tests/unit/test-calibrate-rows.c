/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Readings as a quiet core, a neighbour and cores of other kinds bring them about. No neighbour may leave a core without probes.
 */

#include "runner/time/calibrate-rows.h"

#include "clock/probe.h"
#include "ops/runner-plan.h"
#include "test.h"

#define ROWS            8000u /* as many as a calibration takes at most */
#define RULERS          1600u
#define TURNS           400u
#define QUANTUM         26.0 /* ticks */
#define PAIR            52.0 /* ticks */
#define CYCLES_PER_TICK 1.65
#define CALIBRATIONS    500u
#define DESIGN          (PROBE_STEPS + PROBE_FIXED_CYCLES)

static CalibrateProbeRow rows[ROWS];
static CalibrateRulerRow rulers[RULERS];
static double work[ROWS];

static double between(double low, double high) {
        return low + (high - low) * drand48();
}

/* A reading of @cycles on a clock that advances in steps. */
static double stepped(double cycles) {
        return QUANTUM * (uint64_t)((cycles / CYCLES_PER_TICK + PAIR) / QUANTUM + drand48());
}

/* What a step of each probe takes alone, in cycles, and what it takes more beside a neighbour. */
typedef struct Core {
        double branch;
        double ports[CALIBRATE_PORTS];
} Core;

/* Four adders; as many as no number of chains divides; two adders, and two cycles a branch; six adders, and two branches a cycle. */
static const Core four = { 1, { 2, 1.5, 1 } };
static const Core five = { 1, { 1.6, 1.29, 1.09 } };
static const Core slow = { 2, { 4, 3, 2 } };
static const Core quick = { 0.5, { 4.0 / 3, 1, 1 } };

/* How much longer everything takes; 1 and 1: alone. */
typedef struct Neighbour {
        double ruler;
        double least, most;
} Neighbour;

static const Neighbour nobody = { 1, 1, 1 };

static void lay_row(const Core *core, const Neighbour *neighbour, CalibrateProbeRow *row) {
        row->ruler_ticks = stepped(TURNS * 100 * between(1, neighbour->ruler));
        for (unsigned k = 0; k < 2; k++) {
                const double steps = (k + 1) * PROBE_STEPS;

                row->branch_ticks[k] = stepped(core->branch * steps * between(neighbour->least, neighbour->most) + 15);
                for (size_t i = 0; i < CALIBRATE_PORTS; i++)
                        row->ports_ticks[i][k] = stepped(
                                        core->ports[i] * steps * between(neighbour->least, neighbour->most) + 30);
        }
}

/* Beside @neighbour, but for @alone of the rows. */
static void lay_rows(const Core *core, const Neighbour *neighbour, double alone) {
        for (size_t i = 0; i < ROWS; i++)
                lay_row(core, drand48() < alone ? &nobody : neighbour, &rows[i]);
}

/* As calibration reads on, by some of its rounds, until the levels come out. Returns those of the clock. */
static ClockFacts find_levels(void) {
        ClockFacts clock = { .ruler_turns = TURNS, .ruler_cost_ticks = PAIR, .quantum_ticks = QUANTUM };
        bool found = false;

        for (size_t n = 400; !found && n <= ROWS; n *= n < 2000 ? 5 : 2)
                found = calibrate_rows_find_levels(rows, n, work, &clock);
        if (!found)
                calibrate_rows_conclude(rows, ROWS, work, &clock);
        return clock;
}

static void assert_levels(const ClockFacts *clock, double branch_cycles, double ports_cycles, unsigned chains) {
        assert_int_equal(clock->missing, 0);
        assert_int_equal(clock->port_chains, chains);
        assert_float_equal(clock->branch_cycles, branch_cycles, 0.025 * branch_cycles);
        assert_float_equal(clock->ports_cycles, ports_cycles, 0.025 * ports_cycles);
}

TEST(a_quiet_core_has_the_levels_that_its_steps_come_to) {
        ClockFacts clock;

        lay_rows(&four, &nobody, 1);
        clock = find_levels();
        assert_levels(&clock, 2100, 2115, 4);
        lay_rows(&five, &nobody, 1);
        clock = find_levels();
        assert_levels(&clock, 2100, 3315, 8);
}

TEST(one_moment_alone_in_a_hundred_is_enough) {
        const Neighbour comes_and_goes = { 1.02, 1.4, 2.2 };

        for (unsigned i = 0; i < 20; i++) {
                ClockFacts clock;

                lay_rows(&four, &comes_and_goes, 0.01);
                clock = find_levels();
                assert_levels(&clock, 2100, 2115, 4);
        }
}

/* A steady one too, however alike its readings are: the levels are those by design, and calibration is to look again. */
TEST(no_neighbour_leaves_a_core_without_probes) {
        for (unsigned i = 0; i < CALIBRATIONS; i++) {
                const double factor = between(1.5, 2.15);
                const Neighbour steady = { 1.02, factor, 1.05 * factor };
                ClockFacts clock;

                lay_rows(i % 2 ? &four : &five, &steady, 0);
                clock = find_levels();
                assert_true(clock.port_chains > 0);
                assert_int_equal(clock.missing, CLOCK_MISSING_LEVELS);
                assert_true(clock.branch_cycles == DESIGN && clock.ports_cycles == DESIGN);
        }
}

/* Moments so few that they may make up a level of one length and not of the other. */
TEST(nor_does_one_that_leaves_it_alone_for_hardly_a_moment) {
        for (unsigned i = 0; i < CALIBRATIONS / 5; i++) {
                const double factor = between(1.5, 2.15);
                const Neighbour steady = { 1.02, factor, between(1.01, 1.5) * factor };
                ClockFacts clock;

                lay_rows(i % 2 ? &four : &five, &steady, 0.01 * drand48());
                clock = find_levels();
                assert_true(clock.port_chains > 0);
                assert_float_equal(clock.branch_cycles, DESIGN, 0.025 * DESIGN);
        }
}

/* The ports of such a core take the same time only where it is alone, which is then the lowest that they took. */
TEST(branches_alone_for_moments_give_a_level_for_the_ports_at_least_for_now) {
        const Neighbour of_ports = { 1, 1, 1 };
        ClockFacts clock;

        lay_rows(&five, &of_ports, 1);
        for (size_t i = 0; i < ROWS; i++)
                for (size_t k = 0; k < CALIBRATE_PORTS && i % 3 == 0; k++)
                        rows[i].ports_ticks[k][0] *= between(1.1, 1.5);
        clock = find_levels();
        assert_int_equal(clock.missing, CLOCK_MISSING_LEVELS);
        assert_int_equal(clock.port_chains, 8);
        assert_float_equal(clock.branch_cycles, 2100, 50);
        assert_float_equal(clock.ports_cycles, 3315, 80);
}

TEST(a_core_whose_steps_are_a_half_or_two_cycles_has_no_probes_and_misses_none) {
        const Core *cores[] = { &slow, &quick };

        for (size_t i = 0; i < sizeof cores / sizeof *cores; i++) {
                ClockFacts clock;

                lay_rows(cores[i], &nobody, 1);
                clock = find_levels();
                assert_int_equal(clock.port_chains, 0);
                assert_int_equal(clock.missing, 0);
        }
}

/* ---- the ruler */

static double interrupted(double cycles, double share) {
        return stepped(cycles * (drand48() < share ? between(1.02, 3) : 1));
}

/* @share of all chains were disturbed, each for itself. */
static void lay_rulers(double multiplication_cycles, double share) {
        for (size_t i = 0; i < RULERS; i++)
                rulers[i] = (CalibrateRulerRow){
                        .once_ticks = interrupted(TURNS * 100, share),
                        .twice_ticks = interrupted(2 * TURNS * 100, share),
                        .multiplied_ticks = interrupted(multiplication_cycles * TURNS * 100, share),
                };
}

/* As calibration reads on. Returns the facts of the clock. */
static ClockFacts find_ruler(double *ret_cycles_per_tick) {
        ClockFacts clock = { .pair_cost_ticks = PAIR, .quantum_ticks = QUANTUM };
        bool found = false;

        for (size_t n = 200; !found && n <= RULERS; n += 200)
                found = calibrate_rows_find_ruler(rulers, n, TURNS, work, &clock, ret_cycles_per_tick);
        return clock;
}

TEST(the_ruler_is_found_where_all_but_one_in_a_hundred_were_disturbed) {
        for (double share = 0; share < 1; share += 0.099) {
                double cycles_per_tick;
                ClockFacts clock;

                lay_rulers(3, share);
                clock = find_ruler(&cycles_per_tick);
                assert_int_equal(clock.ruler_turns, TURNS);
                assert_int_equal(clock.missing, 0);
                assert_float_equal(clock.ruler_check, 3, 0.1);
                assert_float_equal(clock.ruler_cost_ticks, PAIR, 0.3 * PAIR);
                assert_float_equal(cycles_per_tick, CYCLES_PER_TICK, 0.1);
        }
}

TEST(a_ruler_that_is_not_confirmed_is_none_and_missing) {
        double cycles_per_tick;
        ClockFacts clock;

        lay_rulers(2.3, 0.5);
        clock = find_ruler(&cycles_per_tick);
        assert_int_equal(clock.ruler_turns, 0);
        assert_int_equal(clock.missing, CLOCK_MISSING_RULER);
}

static int draw_a_seed(void **state) {
        seed_random();
        return 0;
}

TEST_FILE(draw_a_seed, NULL)
