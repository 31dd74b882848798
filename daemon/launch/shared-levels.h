/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The levels of the probes, once they are found on one CPU, for all others of its kind: they are cycles of the core, whatever its frequency. A
 * CPU whose own a neighbour hid takes them over. Pure.
 */

#include <stddef.h>

#include "machine/topology.h"
#include "ops/ops.h"

#define SHARED_LEVELS_MAX 8u /* kinds of cores */

/* A kind of core, by type and speed, with a CPU's facts of which the levels hold for it. */
typedef struct SharedLevel {
        CoreType type;
        unsigned capacity;
        ClockFacts clock;
} SharedLevel;

/* Kept when that CPU is gone. All zero: none was found. */
typedef struct SharedLevels {
        SharedLevel kinds[SHARED_LEVELS_MAX];
        size_t n;
} SharedLevels;

/* Keeps those that were found on the calibrated CPUs of @machine, and gives them to those that miss theirs and have a ruler. */
void shared_levels_settle(SharedLevels *levels, const Topology *topology, OpsMachine *machine);
