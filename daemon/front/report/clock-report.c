/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/report/clock-report.h"

#include <inttypes.h>

#include "clock/crosscheck.h"
#include "front/base/message.h"
#include "util/error.h"

const ClockFacts *clock_report_facts(const OpsMachine *machine, int cpu) {
        const ClockFacts *any = NULL;

        for (uint32_t i = 0; machine && i < machine->n_cpus; i++) {
                if (!machine->cpus[i].calibrated || machine->cpus[i].clock.hz <= 0)
                        continue;
                if ((int)machine->cpus[i].cpu == cpu)
                        return &machine->cpus[i].clock;
                if (!any)
                        any = &machine->cpus[i].clock;
        }
        return any;
}

/* ---- as a message */

static Benchd__TscSource *build_source(Arena *arena, const ClockCheck *check, double hz) {
        Benchd__TscSource *source = message_new(arena, Benchd__TscSource, benchd__tsc_source);
        double ppm = crosscheck_disagreement(hz, check->hz);

        if (!source)
                return NULL;
        source->name = arena_text(arena, crosscheck_name(check->source));
        message_set_finite(source, hz, check->hz);
        message_set_finite(source, disagreement_ppm, ppm);
        message_set(source, agrees, crosscheck_agrees(check->source, ppm, hz));
        return source;
}

static int build_sources(Arena *arena, const ClockChecks *checks, double hz, Benchd__Tsc *tsc) {
        tsc->sources = arena_zero(arena, CLOCK_CHECKS_MAX * sizeof *tsc->sources);
        if (!tsc->sources)
                return error_origin(-ENOMEM);
        for (uint32_t i = 0; i < checks->n && i < CLOCK_CHECKS_MAX; i++) {
                Benchd__TscSource *source = build_source(arena, &checks->rows[i], hz);

                if (!source)
                        return error_origin(-ENOMEM);
                tsc->sources[tsc->n_sources++] = source;
        }
        return 0;
}

static const struct {
        uint32_t bit;
        const char *name;
} detector_rows[] = {
        { DETECTOR_CANARY, "canary" },
        { DETECTOR_RSEQ, "rseq" },
};

static int build_detectors(Arena *arena, const ClockFacts *clock, Benchd__Tsc *tsc) {
        ArenaList names = {};

        for (size_t i = 0; i < N_ELEMENTS(detector_rows); i++)
                if (clock->detectors & detector_rows[i].bit)
                        arena_list_add(&names, arena, "%s", detector_rows[i].name);
        tsc->detectors = names.texts;
        tsc->n_detectors = names.n;
        return error_trace(arena_check(arena));
}

/* The reason why the time-stamp counter does not time batches; NULL where it does. */
static const char *fallback_reason(const OpsMachine *machine, const ClockFacts *clock) {
        if (clock->source == CLOCK_SOURCE_TSC)
                return NULL;
        if (!machine->invariant_tsc)
                return "the time-stamp counter is not invariant";
        if (!machine->kernel_trusts_tsc)
                return "the kernel gave up the time-stamp counter";
        return "the daemon was told not to use the time-stamp counter";
}

static void build_costs(const ClockFacts *clock, Benchd__Tsc *tsc) {
        message_set_finite(tsc, quantum_ticks, clock->quantum_ticks);
        message_set_finite(tsc, pair_cost_ticks, clock->pair_cost_ticks);
        message_set_finite(tsc, batch_cost_ticks, clock->batch_cost_ticks);
        message_set_finite(tsc, pause_cost_ticks, clock->pause_cost_ticks);
        if (clock->source != CLOCK_SOURCE_TSC)
                return;
        message_set_finite(tsc, ruler_cost_ticks, clock->ruler_cost_ticks);
        message_set_finite(tsc, ruler_check, clock->ruler_check);
        message_set(tsc, ruler_turns, clock->ruler_turns);
        if (clock->port_chains == 0)
                return;
        message_set_finite(tsc, branch_probe_cycles, clock->branch_cycles);
        message_set_finite(tsc, port_probe_cycles, clock->ports_cycles);
        message_set(tsc, port_probe_chains, clock->port_chains);
}

static void build_frequency(Arena *arena, const ClockFacts *clock, Benchd__Tsc *tsc) {
        message_set_finite(tsc, hz, clock->hz);
        message_set_finite(tsc, error_ppm, clock->error_ppm);
        tsc->source = arena_text(arena, "CLOCK_MONOTONIC_RAW");
        tsc->clock = arena_text(arena, clock->source == CLOCK_SOURCE_TSC ? "tsc" : "CLOCK_MONOTONIC_RAW");
        if (clock->source != CLOCK_SOURCE_TSC)
                return;
        message_set_whole(tsc, baseline_ns, clock->baseline_ns);
        message_set(tsc, restarts, clock->n_restarts);
        if (clock->warp_handovers == 0)
                return;
        message_set(tsc, warp_ticks, clock->warp_ticks);
        message_set(tsc, warp_handovers, clock->warp_handovers);
}

Benchd__Tsc *clock_report_build(Arena *arena, const OpsMachine *machine, int cpu) {
        const ClockFacts *clock = clock_report_facts(machine, cpu);
        Benchd__Tsc *tsc = message_new(arena, Benchd__Tsc, benchd__tsc);

        if (!tsc)
                return NULL;
        message_set(tsc, invariant, machine->invariant_tsc != 0);
        if (!clock)
                return tsc;
        build_frequency(arena, clock, tsc);
        build_costs(clock, tsc);
        tsc->fallback_reason = arena_text(arena, fallback_reason(machine, clock));
        if (build_sources(arena, &machine->clock_checks, clock->hz, tsc) || build_detectors(arena, clock, tsc))
                return NULL;
        return tsc;
}

/* ---- warnings */

static void add_sources(Arena *arena, const Benchd__Tsc *tsc, ArenaList *warnings) {
        for (size_t i = 0; i < tsc->n_sources; i++) {
                const Benchd__TscSource *source = tsc->sources[i];

                if (source->has_agrees && !source->agrees)
                        arena_list_add(warnings, arena,
                                        "%s says that the time-stamp counter runs at %.6f GHz, %.3g ppm from the "
                                        "calibration: times in ns may be off by as much",
                                        source->name, source->hz / 1e9, source->disagreement_ppm);
        }
}

bool clock_report_lacks_ruler(const Benchd__Tsc *tsc) {
        return tsc && tsc->has_ruler_turns && tsc->ruler_turns == 0;
}

void clock_report_warn(Arena *arena, const Benchd__Tsc *tsc, ArenaList *warnings) {
        if (!tsc)
                return;
        if (tsc->fallback_reason)
                arena_list_add(warnings, arena,
                                "timed by CLOCK_MONOTONIC_RAW, since %s: it is slower to read, and cycles are not "
                                "counted",
                                tsc->fallback_reason);
        add_sources(arena, tsc, warnings);
        if (tsc->warp_ticks > 0)
                arena_list_add(warnings, arena,
                                "the time-stamp counters of two CPUs are %" PRIu64
                                " ticks apart: a sample that moved between them is off by as much",
                                tsc->warp_ticks);
        if (tsc->restarts > 0)
                arena_list_add(warnings, arena,
                                "the time-stamp counter stopped, jumped or changed its rate %u times since the "
                                "daemon started: the machine was suspended or migrated",
                                tsc->restarts);
}
