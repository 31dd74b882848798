/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "launch/run/calibrator.h"
#include "ops/ops.h"

#include "test.h"

/* CPUs 0 to 2 are cores of one kind, CPU 3 is one of another; CPU 4 is not online. */
static Topology topology = {
        .core_of = { 0, 1, 2, 3, -1 },
        .cores = { { .type = CORE_PERFORMANCE, .capacity = 1024 }, { .type = CORE_PERFORMANCE, .capacity = 1024 },
                        { .type = CORE_PERFORMANCE, .capacity = 1024 }, { .type = CORE_EFFICIENT, .capacity = 600 } },
        .n_cores = 4,
};

static const ClockFacts found = { .hz = 2e9, .branch_cycles = 2110, .ports_cycles = 3190, .port_chains = 8 };
static const ClockFacts by_design = {
        .hz = 2e9,
        .branch_cycles = 2100,
        .ports_cycles = 2100,
        .port_chains = 4,
        .missing = CLOCK_MISSING_LEVELS,
};
static const ClockFacts without_ruler = { .hz = 2e9, .missing = CLOCK_MISSING_RULER };

static void calibrate(OpsMachine *machine, uint32_t cpu, const ClockFacts *clock) {
        machine->cpus[machine->n_cpus++] = (OpsCpu){ .cpu = cpu, .calibrated = clock != NULL };
        if (clock)
                machine->cpus[machine->n_cpus - 1].clock = *clock;
}

static void assert_levels(const ClockFacts *is, const ClockFacts *expected) {
        assert_true(is->branch_cycles == expected->branch_cycles && is->ports_cycles == expected->ports_cycles);
        assert_int_equal(is->port_chains, expected->port_chains);
        assert_int_equal(is->missing, expected->missing);
}

TEST(levels_found_on_one_cpu_hold_for_all_of_its_kind_that_miss_theirs) {
        const ClockFacts own = { .branch_cycles = 2120, .ports_cycles = 3200, .port_chains = 8 };
        CalibratorLevels levels = {};
        OpsMachine machine = {};

        calibrate(&machine, 0, &by_design);
        calibrate(&machine, 1, &found);
        calibrate(&machine, 2, &own);
        calibrate(&machine, 3, &by_design);
        calibrate(&machine, 4, &by_design);
        calibrator_levels_settle(&levels, &topology, &machine);
        assert_levels(&machine.cpus[0].clock, &found);
        assert_true(machine.cpus[0].clock.hz == 2e9);
        assert_levels(&machine.cpus[2].clock, &own);
        assert_levels(&machine.cpus[3].clock, &by_design);
        assert_levels(&machine.cpus[4].clock, &by_design);
}

TEST(they_stay_when_the_cpu_is_gone_that_had_them) {
        CalibratorLevels levels = {};
        OpsMachine machine = {};

        calibrate(&machine, 1, &found);
        calibrator_levels_settle(&levels, &topology, &machine);
        machine.n_cpus = 0;
        calibrate(&machine, 0, &by_design);
        calibrator_levels_settle(&levels, &topology, &machine);
        assert_levels(&machine.cpus[0].clock, &found);
}

/* Levels are cycles by the ruler; and neither levels by design nor a core without probes are anything to share. */
TEST(without_a_ruler_none_are_taken_and_only_found_ones_are_given) {
        const ClockFacts another_kind = { .hz = 2e9 };
        CalibratorLevels levels = {};
        OpsMachine machine = {};

        calibrate(&machine, 0, &by_design);
        calibrate(&machine, 1, &another_kind);
        calibrator_levels_settle(&levels, &topology, &machine);
        assert_levels(&machine.cpus[0].clock, &by_design);
        machine.n_cpus = 0;
        calibrate(&machine, 0, &without_ruler);
        calibrate(&machine, 1, &found);
        calibrate(&machine, 2, NULL);
        calibrator_levels_settle(&levels, &topology, &machine);
        assert_levels(&machine.cpus[0].clock, &without_ruler);
        assert_int_equal(machine.cpus[2].clock.port_chains, 0);
}

/* The launcher's clock: the counter only where it can be trusted, and one baseline for all CPUs. */

#define HZ 2e9

static OpsMachine make_machine(void) {
        OpsMachine machine = { .n_cpus = 2, .invariant_tsc = 1, .kernel_trusts_tsc = 1 };

        machine.cpus[0] = (OpsCpu){ .cpu = 1 };
        machine.cpus[1] = (OpsCpu){ .cpu = 2 };
        return machine;
}

static void calibrate_to(OpsMachine *machine, uint32_t index, double error_ppm) {
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
        calibrator_clock_choose(&machine, distrust);
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
        CalibratorClock keeper = {};

        assert_false(calibrator_clock_add(&keeper, &machine, &first)); /* nothing is calibrated */
        calibrate_to(&machine, 0, 0.02);
        calibrator_clock_note(&keeper, &machine, &first);
        assert_true(machine.cpus[0].clock.error_ppm == 0.02);

        assert_true(calibrator_clock_add(&keeper, &machine, &later));
        assert_true(machine.cpus[0].clock.error_ppm < 1e-3);
        assert_true(machine.cpus[0].clock.baseline_ns == 1e12);
        assert_true(machine.cpus[1].clock.hz == 0);

        calibrate_to(&machine, 1, 0.05);
        calibrator_clock_note(&keeper, &machine, &later);
        assert_true(machine.cpus[1].clock.error_ppm == machine.cpus[0].clock.error_ppm);
        calibrate_to(&machine, 1, 1e-9);
        calibrator_clock_note(&keeper, &machine, &later);
        assert_true(machine.cpus[1].clock.error_ppm == 1e-9);
}

TEST(what_is_disproved_gives_way_however_good_it_was) {
        OpsMachine machine = make_machine();
        CalibrationPoint first = after(0, 0), jumped = after(1000000000, 2000000);
        CalibratorClock keeper = {};

        calibrate_to(&machine, 0, 1e-9);
        calibrator_clock_note(&keeper, &machine, &first);
        assert_true(calibrator_clock_add(&keeper, &machine, &jumped));
        assert_int_equal(machine.cpus[0].clock.n_restarts, 1);
        assert_true(machine.cpus[0].clock.error_ppm > 900);
}

TEST(another_clock_has_no_frequency_to_refine) {
        OpsMachine machine = make_machine();
        CalibrationPoint first = after(0, 0), later = after(1000000000000, 0);
        CalibratorClock keeper = {};

        calibrator_clock_choose(&machine, true);
        calibrate_to(&machine, 0, 0);
        calibrator_clock_note(&keeper, &machine, &first);
        assert_false(calibrator_clock_add(&keeper, &machine, &later));
        assert_true(machine.cpus[0].clock.hz == HZ);
}
