/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/shared-levels.h"

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
        SharedLevels levels = {};
        OpsMachine machine = {};

        calibrate(&machine, 0, &by_design);
        calibrate(&machine, 1, &found);
        calibrate(&machine, 2, &own);
        calibrate(&machine, 3, &by_design);
        calibrate(&machine, 4, &by_design);
        shared_levels_settle(&levels, &topology, &machine);
        assert_levels(&machine.cpus[0].clock, &found);
        assert_true(machine.cpus[0].clock.hz == 2e9);
        assert_levels(&machine.cpus[2].clock, &own);
        assert_levels(&machine.cpus[3].clock, &by_design);
        assert_levels(&machine.cpus[4].clock, &by_design);
}

TEST(they_stay_when_the_cpu_is_gone_that_had_them) {
        SharedLevels levels = {};
        OpsMachine machine = {};

        calibrate(&machine, 1, &found);
        shared_levels_settle(&levels, &topology, &machine);
        machine.n_cpus = 0;
        calibrate(&machine, 0, &by_design);
        shared_levels_settle(&levels, &topology, &machine);
        assert_levels(&machine.cpus[0].clock, &found);
}

/* Levels are cycles by the ruler; and neither levels by design nor a core without probes are anything to share. */
TEST(without_a_ruler_none_are_taken_and_only_found_ones_are_given) {
        const ClockFacts another_kind = { .hz = 2e9 };
        SharedLevels levels = {};
        OpsMachine machine = {};

        calibrate(&machine, 0, &by_design);
        calibrate(&machine, 1, &another_kind);
        shared_levels_settle(&levels, &topology, &machine);
        assert_levels(&machine.cpus[0].clock, &by_design);
        machine.n_cpus = 0;
        calibrate(&machine, 0, &without_ruler);
        calibrate(&machine, 1, &found);
        calibrate(&machine, 2, NULL);
        shared_levels_settle(&levels, &topology, &machine);
        assert_levels(&machine.cpus[0].clock, &without_ruler);
        assert_int_equal(machine.cpus[2].clock.port_chains, 0);
}
