/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Calibrates one CPU after another, before anything is measured on it: a runner reads its clocks, and its findings become facts of the
 * machine. It also finds out which other CPUs share the core, where the topology does not say. A CPU whose neighbour hid some facts is
 * calibrated again between its leases, until all are found.
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
 * CPU whose neighbour hid its levels takes them over. Pure.
 */

#define CALIBRATOR_LEVELS_MAX 8u /* kinds of cores */

/* A kind of core, by type and speed, and the facts of a CPU, whose levels hold for the kind. */
typedef struct CalibratorLevel {
        TopologyCoreType type;
        unsigned capacity;
        ClockFacts clock;
} CalibratorLevel;

/* Kept after that CPU is gone. All zero: none found yet. */
typedef struct CalibratorLevels {
        CalibratorLevel kinds[CALIBRATOR_LEVELS_MAX];
        size_t n;
} CalibratorLevels;

/* Keeps the levels found on calibrated CPUs of @machine, and gives them to CPUs that have a ruler but no levels. */
void calibrator_levels_settle(CalibratorLevels *levels, const Topology *topology, OpsMachine *machine);

/*
 * Called when a CPU was calibrated or could not be, so that the machine's facts changed. Returns 0 or a negative errno.
 */
typedef int (*CalibratorTold)(void *userdata);

typedef struct CalibratorConfig {
        sd_event *event; /* exits if calibrating fails through an error of the daemon */
        Runners *runners;
        Leases *leases;
        const RunnerSetup *setup;
        CalibratorClock *clock;
        bool without_probes; /* runners are not told of probes that were found */
        CalibratorTold told;
        void *userdata;
} CalibratorConfig;

typedef struct Calibrator {
        CalibratorConfig config;
        bool busy;
        int cpu; /* being calibrated */
        int suspects[RUNNER_SUSPECTS_MAX];
        size_t n_suspects;
        CalibratorLevels levels;
} Calibrator;

/* Everything that @config points to must outlive the calibrator. */
void calibrator_init(Calibrator *calibrator, const CalibratorConfig *config);

/* Starts on the next free CPU that needs calibration, unless one is under way. Returns 0 or a negative errno. */
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

/*
 * Call it when a CPU was calibrated: the first one's frequency starts the refinement; a later one gets the refined
 * frequency if that is better.
 */
void calibrator_clock_note(CalibratorClock *keeper, OpsMachine *machine, const CalibrationPoint *point);

/* Adds @point. Returns true if the facts in @machine changed. Pure. */
bool calibrator_clock_add(CalibratorClock *keeper, OpsMachine *machine, const CalibrationPoint *point);

/* Adds the present moment. A disagreement is reported on stderr, and the clock is read again at once. */
bool calibrator_clock_look(CalibratorClock *keeper, OpsMachine *machine);
