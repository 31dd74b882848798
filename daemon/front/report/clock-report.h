/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Clock report: the clock in a result and in a status, with warnings on what makes its times less exact.
 */

#include <stdbool.h>

#include "front/base/arena.h"
#include "ops/ops.h"
#include "proto/benchd.pb-c.h"

/* The clock facts of @cpu, or of any calibrated CPU; NULL if none is calibrated, or without @machine. */
const ClockFacts *clock_report_facts(const OpsMachine *machine, int cpu);

/* Builds the report of that clock in @arena; NULL if memory ran out. */
Benchd__Tsc *clock_report_build(Arena *arena, const OpsMachine *machine, int cpu);

/*
 * True if the TSC times batches and cycles cannot be counted, so that probes cannot see other users of the core either. @tsc may be NULL.
 */
bool clock_report_lacks_ruler(const Benchd__Tsc *tsc);

/* Adds a sentence for each thing that makes times less exact. @tsc may be NULL. */
void clock_report_warn(Arena *arena, const Benchd__Tsc *tsc, ArenaList *warnings);
