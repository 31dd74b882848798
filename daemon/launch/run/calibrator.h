/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Calibrates one CPU after another, before anything is measured on it: a runner reads its clocks, and what it finds goes into
 * what the machine tells. It also finds out which other CPUs share the core, where the topology does not tell. A CPU of which a neighbour
 * hid something is calibrated again between its leases, until all is found.
 */

#include <stdbool.h>
#include <stddef.h>

#include "clock/refinement.h"
#include "machine/topology.h"
#include "ops/ops.h"
#include "ops/runner-plan.h"

typedef struct CalibratorClock CalibratorClock;
typedef struct Leases Leases;
typedef struct RunnerSetup RunnerSetup;
typedef struct Runners Runners;
typedef struct sd_event sd_event;

/*
 * The levels of the probes, once they are found on one CPU, for all others of its kind: they are cycles of the core, whatever its frequency. A
 * CPU whose own a neighbour hid takes them over. Pure.
 */

#define CALIBRATOR_LEVELS_MAX 8u /* kinds of cores */

/* A kind of core, by type and speed, with a CPU's facts of which the levels hold for it. */
typedef struct CalibratorLevel {
        TopologyCoreType type;
        unsigned capacity;
        ClockFacts clock;
} CalibratorLevel;

/* Kept when that CPU is gone. All zero: none was found. */
typedef struct CalibratorLevels {
        CalibratorLevel kinds[CALIBRATOR_LEVELS_MAX];
        size_t n;
} CalibratorLevels;

/* Keeps those that were found on the calibrated CPUs of @machine, and gives them to those that miss theirs and have a ruler. */
void calibrator_levels_settle(CalibratorLevels *levels, const Topology *topology, OpsMachine *machine);

/* Told when a CPU was calibrated or could not be: what the machine tells changed. Returns 0 or a negative errno. */
typedef int (*CalibratorTold)(void *userdata);

typedef struct CalibratorConfig {
        sd_event *event; /* ends where calibrating fails for a reason of our own */
        Runners *runners;
        Leases *leases;
        const RunnerSetup *setup;
        CalibratorClock *clock;
        bool without_probes; /* no runner is told of those that were found */
        CalibratorTold told;
        void *userdata;
} CalibratorConfig;

typedef struct Calibrator {
        CalibratorConfig config;
        bool busy;
        int cpu; /* that is being calibrated */
        int suspects[RUNNER_SUSPECTS_MAX];
        size_t n_suspects;
        CalibratorLevels levels;
} Calibrator;

/* All that @config points to outlives the calibrator. */
void calibrator_init(Calibrator *calibrator, const CalibratorConfig *config);

/* Begins with the next CPU that is free and not calibrated, or is to be again, unless one is under way. Returns 0 or a negative errno. */
int calibrator_next(Calibrator *calibrator);

/*
 * The machine's clock, as the launcher keeps it: which clock times batches, and its frequency, which gets better with
 * each lease and each status (clock/refinement.h). The leased CPUs' counters run in step, so one baseline, read on the
 * housekeeping CPU, serves them all.
 */

typedef struct CalibratorClock {
        Refinement refinement;
        bool calibrated; /* at least one CPU is */
} CalibratorClock;

/*
 * Chooses what times batches on @machine: the time-stamp counter where it is invariant and the kernel trusts it, unless
 * @distrust_tsc.
 */
void calibrator_clock_choose(OpsMachine *machine, bool distrust_tsc);

/* A CPU was calibrated: its frequency is the beginning, if it is the first, or gives way to a better one. */
void calibrator_clock_note(CalibratorClock *keeper, OpsMachine *machine, const CalibrationPoint *point);

/* Adds @point. Returns true where what @machine tells changed. Pure. */
bool calibrator_clock_add(CalibratorClock *keeper, OpsMachine *machine, const CalibrationPoint *point);

/* The same for this moment; what did not agree is told on stderr, and looked at again at once. */
bool calibrator_clock_look(CalibratorClock *keeper, OpsMachine *machine);
