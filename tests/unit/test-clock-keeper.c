/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The launcher's clock: the counter only where it can be trusted, and one baseline for all CPUs.
 */

#include "launch/clock-keeper.h"
#include "ops/ops.h"

#include "test.h"

#define HZ 2e9

static OpsMachine make_machine(void) {
        OpsMachine machine = { .n_cpus = 2, .invariant_tsc = 1, .kernel_trusts_tsc = 1 };

        machine.cpus[0] = (OpsCpu){ .cpu = 1 };
        machine.cpus[1] = (OpsCpu){ .cpu = 2 };
        return machine;
}

static void calibrate(OpsMachine *machine, uint32_t index, double error_ppm) {
        ClockFacts *clock = &machine->cpus[index].clock;

        clock->hz = HZ;
        clock->error_ppm = error_ppm;
        machine->cpus[index].calibrated = 1;
}

/* Both clocks after @ns, the counter ahead of its rate by @ahead ticks. */
static CalibrationPoint after(uint64_t ns, int64_t ahead) {
        return (CalibrationPoint){ .raw_ns = 1000 + ns, .tsc_ticks = 1000 + 2 * ns + ahead, .width_ticks = 100 };
}

static uint32_t source_of(uint32_t invariant, uint32_t trusted, bool distrust) {
        OpsMachine machine = make_machine();

        machine.invariant_tsc = invariant;
        machine.kernel_trusts_tsc = trusted;
        clock_keeper_choose(&machine, distrust);
        assert_int_equal(machine.cpus[0].clock.source, machine.cpus[1].clock.source);
        assert_int_equal(machine.cpus[0].clock.invariant, invariant);
        return machine.cpus[0].clock.source;
}

TEST(the_counter_is_chosen_only_where_all_speaks_for_it) {
        assert_int_equal(source_of(1, 1, false), CLOCK_SOURCE_TSC);
        assert_int_equal(source_of(0, 1, false), CLOCK_SOURCE_RAW);
        assert_int_equal(source_of(1, 0, false), CLOCK_SOURCE_RAW);
        assert_int_equal(source_of(1, 1, true), CLOCK_SOURCE_RAW);
}

TEST(a_better_frequency_is_every_cpus_and_a_worse_one_nobodys) {
        OpsMachine machine = make_machine();
        CalibrationPoint first = after(0, 0), later = after(1000000000000, 0);
        ClockKeeper keeper = {};

        assert_false(clock_keeper_add(&keeper, &machine, &first)); /* nothing is calibrated */
        calibrate(&machine, 0, 0.02);
        clock_keeper_note(&keeper, &machine, &first);
        assert_true(machine.cpus[0].clock.error_ppm == 0.02);

        assert_true(clock_keeper_add(&keeper, &machine, &later));
        assert_true(machine.cpus[0].clock.error_ppm < 1e-3);
        assert_true(machine.cpus[0].clock.baseline_ns == 1e12);
        assert_true(machine.cpus[1].clock.hz == 0);

        calibrate(&machine, 1, 0.05);
        clock_keeper_note(&keeper, &machine, &later);
        assert_true(machine.cpus[1].clock.error_ppm == machine.cpus[0].clock.error_ppm);
        calibrate(&machine, 1, 1e-9);
        clock_keeper_note(&keeper, &machine, &later);
        assert_true(machine.cpus[1].clock.error_ppm == 1e-9);
}

TEST(what_is_disproved_gives_way_however_good_it_was) {
        OpsMachine machine = make_machine();
        CalibrationPoint first = after(0, 0), jumped = after(1000000000, 2000000);
        ClockKeeper keeper = {};

        calibrate(&machine, 0, 1e-9);
        clock_keeper_note(&keeper, &machine, &first);
        assert_true(clock_keeper_add(&keeper, &machine, &jumped));
        assert_int_equal(machine.cpus[0].clock.n_restarts, 1);
        assert_true(machine.cpus[0].clock.error_ppm > 900);
}

TEST(another_clock_has_no_frequency_to_refine) {
        OpsMachine machine = make_machine();
        CalibrationPoint first = after(0, 0), later = after(1000000000000, 0);
        ClockKeeper keeper = {};

        clock_keeper_choose(&machine, true);
        calibrate(&machine, 0, 0);
        clock_keeper_note(&keeper, &machine, &first);
        assert_false(clock_keeper_add(&keeper, &machine, &later));
        assert_true(machine.cpus[0].clock.hz == HZ);
}
