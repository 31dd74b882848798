/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Clock report: the clock in a result and in a status, with warnings of what makes its times less exact.
 */

#include <stdbool.h>

#include "front/base/arena.h"
#include "ops/ops.h"
#include "proto/benchd.pb-c.h"

/* The facts of the clock of @cpu, or of any calibrated one; NULL where none is calibrated, or with no @machine. */
const ClockFacts *clock_report_facts(const OpsMachine *machine, int cpu);

/* Builds the report of that clock in @arena; NULL where there is no memory. */
Benchd__Tsc *clock_report_build(Arena *arena, const OpsMachine *machine, int cpu);

/* True where the counter times batches and nothing counts cycles, so that no probe can see who else uses the core either. @tsc may be NULL. */
bool clock_report_lacks_ruler(const Benchd__Tsc *tsc);

/* True where cycles are counted on this core, but no probe sees who else uses it. @tsc may be NULL. */
bool clock_report_lacks_probes(const Benchd__Tsc *tsc);

/* Adds a sentence for each thing that makes times less exact. @tsc may be NULL. */
void clock_report_warn(Arena *arena, const Benchd__Tsc *tsc, ArenaList *warnings);
