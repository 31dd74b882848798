/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Calibrates one CPU after another, before anything is measured on it: a runner reads its clocks, and what it finds goes into
 * what the machine tells. It also finds out which other CPUs share the core, where the topology does not tell. A CPU of which a neighbour
 * hid something is calibrated again between its leases, until all is found.
 */

#include <stdbool.h>
#include <stddef.h>

#include "launch/shared-levels.h"
#include "ops/runner-plan.h"

typedef struct ClockKeeper ClockKeeper;
typedef struct Leases Leases;
typedef struct Outfit Outfit;
typedef struct Runners Runners;
typedef struct sd_event sd_event;

/* Told when a CPU was calibrated or could not be: what the machine tells changed. Returns 0 or a negative errno. */
typedef int (*CalibratorTold)(void *userdata);

typedef struct CalibratorConfig {
        sd_event *event; /* ends where calibrating fails for a reason of our own */
        Runners *runners;
        Leases *leases;
        const Outfit *outfit;
        ClockKeeper *clock;
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
        SharedLevels levels;
} Calibrator;

/* All that @config points to outlives the calibrator. */
void calibrator_init(Calibrator *calibrator, const CalibratorConfig *config);

/* Begins with the next CPU that is free and not calibrated, or is to be again, unless one is under way. Returns 0 or a negative errno. */
int calibrator_next(Calibrator *calibrator);
