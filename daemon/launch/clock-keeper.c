/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/clock-keeper.h"

#include <time.h>

#include "launch/say.h"
#include "ops/ops.h"

#define CLOCK_TRIES     16u
#define CLOCK_SETTLE_NS 2000000 /* of a new baseline: enough for some 10 ppm */

void clock_keeper_choose(OpsMachine *machine, bool distrust_tsc) {
        bool trusted = machine->invariant_tsc && machine->kernel_trusts_tsc && !distrust_tsc;

        for (uint32_t i = 0; i < machine->n_cpus; i++) {
                machine->cpus[i].clock.source = trusted ? CLOCK_SOURCE_TSC : CLOCK_SOURCE_RAW;
                machine->cpus[i].clock.invariant = machine->invariant_tsc;
        }
}

static void clock_set_frequency(ClockFacts *clock, const Refinement *refinement) {
        clock->hz = refinement->frequency.hz;
        clock->error_ppm = refinement->frequency.error_ppm;
        if (refinement_baseline_ns(refinement) > 0)
                clock->baseline_ns = refinement_baseline_ns(refinement);
}

/* @anyway: what a CPU has is disproved, even if it is said to be better. */
static void clock_keeper_tell(const ClockKeeper *keeper, OpsMachine *machine, bool anyway) {
        for (uint32_t i = 0; i < machine->n_cpus; i++) {
                ClockFacts *clock = &machine->cpus[i].clock;

                if (!machine->cpus[i].calibrated || clock->source != CLOCK_SOURCE_TSC)
                        continue;
                clock->n_restarts =
                                keeper->refinement.n_restarts < UINT16_MAX ? keeper->refinement.n_restarts : UINT16_MAX;
                if (anyway || keeper->refinement.frequency.error_ppm < clock->error_ppm)
                        clock_set_frequency(clock, &keeper->refinement);
        }
}

static const ClockFacts *calibrated_clock(const OpsMachine *machine) {
        for (uint32_t i = 0; i < machine->n_cpus; i++)
                if (machine->cpus[i].calibrated && machine->cpus[i].clock.source == CLOCK_SOURCE_TSC)
                        return &machine->cpus[i].clock;
        return NULL;
}

void clock_keeper_note(ClockKeeper *keeper, OpsMachine *machine, const CalibrationPoint *point) {
        const ClockFacts *clock = calibrated_clock(machine);

        if (clock && !keeper->calibrated) {
                refinement_init(&keeper->refinement, &(TscFrequency){ .hz = clock->hz, .error_ppm = clock->error_ppm });
                keeper->calibrated = true;
                (void)refinement_add(&keeper->refinement, point);
        }
        clock_keeper_tell(keeper, machine, false);
}

bool clock_keeper_add(ClockKeeper *keeper, OpsMachine *machine, const CalibrationPoint *point) {
        RefinementOutcome outcome;

        if (!keeper->calibrated)
                return false;
        outcome = refinement_add(&keeper->refinement, point);
        if (outcome == REFINEMENT_KEPT)
                return false;
        clock_keeper_tell(keeper, machine, outcome == REFINEMENT_RESTARTED);
        return true;
}

CalibrationPoint clock_keeper_now(void) {
        return calibration_read(CLOCK_TRIES);
}

bool clock_keeper_look(ClockKeeper *keeper, OpsMachine *machine) {
        const struct timespec settle = { .tv_nsec = CLOCK_SETTLE_NS };
        uint32_t n_restarts = keeper->refinement.n_restarts;
        CalibrationPoint point;
        bool changed;

        if (!keeper->calibrated)
                return false;
        point = clock_keeper_now();
        changed = clock_keeper_add(keeper, machine, &point);
        if (keeper->refinement.n_restarts == n_restarts)
                return changed;
        say(SD_WARNING,
                        "the time-stamp counter was off by %.3g ppm since the last look (the machine slept, was moved, or "
                        "a clock stopped): its frequency is measured anew",
                        keeper->refinement.disagreement_ppm);
        nanosleep(&settle, NULL);
        point = clock_keeper_now();
        (void)clock_keeper_add(keeper, machine, &point);
        return true;
}
