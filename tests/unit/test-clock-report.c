/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The report of the clock has all that is known of it; a field that is not known is absent. */

#include "front/report/clock-report.h"

#include "arena.h"
#include "clock/crosscheck.h"

static OpsMachine make_machine(ClockSource source) {
        OpsMachine machine = { .n_cpus = 2, .invariant_tsc = 1, .kernel_trusts_tsc = 1 };

        machine.cpus[0] = (OpsCpu){ .cpu = 1 };
        machine.cpus[1] = (OpsCpu){
                .cpu = 3,
                .calibrated = 1,
                .clock = { .hz = 2e9, .quantum_ticks = 26, .pair_cost_ticks = 52, .ruler_check = 3, .source = source },
        };
        return machine;
}

static ArenaList warnings_of(const OpsMachine *machine) {
        ArenaList warnings = {};

        clock_report_warn(arena, clock_report_build(arena, machine, 3), &warnings);
        return warnings;
}

TEST(the_clock_is_that_of_the_cpu_or_any) {
        OpsMachine machine = make_machine(CLOCK_SOURCE_TSC);

        assert_ptr_equal(clock_report_facts(&machine, 3), &machine.cpus[1].clock);
        assert_ptr_equal(clock_report_facts(&machine, 1), &machine.cpus[1].clock);
        machine.cpus[1].calibrated = 0;
        assert_null(clock_report_facts(&machine, -1));
}

TEST(before_calibration_only_the_processors_promise_is_known) {
        OpsMachine machine = make_machine(CLOCK_SOURCE_TSC);
        const Benchd__Tsc *tsc;

        machine.cpus[1].calibrated = 0;
        tsc = clock_report_build(arena, &machine, 3);
        assert_true(tsc->has_invariant && tsc->invariant);
        assert_false(tsc->has_hz);
        assert_null(tsc->clock);
        assert_int_equal(warnings_of(&machine).n, 0);
}

TEST(a_good_counter_gives_no_warning) {
        OpsMachine machine = make_machine(CLOCK_SOURCE_TSC);
        const Benchd__Tsc *tsc = clock_report_build(arena, &machine, 3);

        assert_string_equal(tsc->clock, "tsc");
        assert_null(tsc->fallback_reason);
        assert_true(tsc->hz == 2e9 && tsc->quantum_ticks == 26 && tsc->pair_cost_ticks == 52 && tsc->ruler_check == 3);
        assert_false(tsc->has_warp_ticks); /* it was not tested */
        assert_int_equal(warnings_of(&machine).n, 0);
}

/* A result says where nothing counts cycles; its rows say where nothing sees a neighbour. */
TEST(probes_are_told_where_they_work) {
        OpsMachine machine = make_machine(CLOCK_SOURCE_TSC);
        const Benchd__Tsc *tsc = clock_report_build(arena, &machine, 3);

        assert_true(clock_report_lacks_ruler(tsc));
        machine.cpus[1].clock.ruler_turns = 10;
        tsc = clock_report_build(arena, &machine, 3);
        assert_false(tsc->has_branch_probe_cycles || tsc->has_port_probe_cycles || tsc->has_port_probe_chains);
        assert_false(clock_report_lacks_ruler(tsc));
        machine.cpus[1].clock.port_chains = 4;
        machine.cpus[1].clock.branch_cycles = 2018.5;
        machine.cpus[1].clock.ports_cycles = 2009.25;
        tsc = clock_report_build(arena, &machine, 3);
        assert_true(tsc->branch_probe_cycles == 2018.5 && tsc->port_probe_cycles == 2009.25);
        assert_int_equal(tsc->port_probe_chains, 4);
        machine.cpus[1].clock.source = CLOCK_SOURCE_RAW;
        tsc = clock_report_build(arena, &machine, 3);
        assert_false(tsc->has_port_probe_chains || clock_report_lacks_ruler(tsc) || clock_report_lacks_ruler(NULL));
        machine.cpus[1].calibrated = 0;
        assert_false(clock_report_lacks_ruler(clock_report_build(arena, &machine, 3)));
}

TEST(a_source_beyond_its_bound_is_a_warning_and_named) {
        OpsMachine machine = make_machine(CLOCK_SOURCE_TSC);
        const Benchd__Tsc *tsc;
        ArenaList warnings;

        machine.clock_checks = (ClockChecks){
                .n = 2,
                .rows = { { .source = CROSSCHECK_CPUID_CRYSTAL, .hz = 2.0001e9 },
                                { .source = CROSSCHECK_NTP, .hz = 2.002e9 } },
        };
        tsc = clock_report_build(arena, &machine, 3);
        assert_int_equal(tsc->n_sources, 2);
        assert_string_equal(tsc->sources[0]->name, "cpuid-0x15");
        assert_true(tsc->sources[0]->agrees);
        assert_false(tsc->sources[1]->agrees);
        assert_true(tsc->sources[1]->disagreement_ppm < -998 && tsc->sources[1]->disagreement_ppm > -1000);
        warnings = warnings_of(&machine);
        assert_int_equal(warnings.n, 1);
        assert_memory_equal(warnings.texts[0], "ntp says", 8);
}

TEST(a_warp_is_a_warning_and_no_warp_is_a_fact) {
        OpsMachine machine = make_machine(CLOCK_SOURCE_TSC);
        const Benchd__Tsc *tsc;

        machine.cpus[1].clock.warp_handovers = 5000;
        tsc = clock_report_build(arena, &machine, 3);
        assert_true(tsc->has_warp_ticks && tsc->warp_ticks == 0 && tsc->warp_handovers == 5000);
        assert_int_equal(warnings_of(&machine).n, 0);
        machine.cpus[1].clock.warp_ticks = 7;
        assert_non_null(strstr(warnings_of(&machine).texts[0], "7 ticks apart"));
}

TEST(a_baseline_that_broke_is_a_warning) {
        OpsMachine machine = make_machine(CLOCK_SOURCE_TSC);

        machine.cpus[1].clock.n_restarts = 2;
        assert_non_null(strstr(warnings_of(&machine).texts[0], "2 times"));
}

TEST(the_fallback_says_why_and_has_no_ruler) {
        OpsMachine machine = make_machine(CLOCK_SOURCE_RAW);
        const Benchd__Tsc *tsc = clock_report_build(arena, &machine, 3);

        assert_string_equal(tsc->clock, "CLOCK_MONOTONIC_RAW");
        assert_false(tsc->has_ruler_check || tsc->has_warp_ticks || tsc->has_baseline_ns);
        assert_non_null(strstr(tsc->fallback_reason, "told not to"));
        machine.kernel_trusts_tsc = 0;
        assert_non_null(strstr(clock_report_build(arena, &machine, 3)->fallback_reason, "kernel gave up"));
        machine.invariant_tsc = 0;
        assert_non_null(strstr(clock_report_build(arena, &machine, 3)->fallback_reason, "not invariant"));
        assert_non_null(strstr(warnings_of(&machine).texts[0], "not invariant"));
}

TEST(the_detectors_that_work_are_named) {
        OpsMachine machine = make_machine(CLOCK_SOURCE_TSC);
        const Benchd__Tsc *tsc;

        machine.cpus[1].clock.detectors = DETECTOR_RSEQ;
        tsc = clock_report_build(arena, &machine, 3);
        assert_int_equal(tsc->n_detectors, 1);
        assert_string_equal(tsc->detectors[0], "rseq");
}
