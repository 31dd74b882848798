/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * What a result and a status tell of the clock, and what is to be said against it.
 */

#include <stdbool.h>

#include "front/base/arena.h"
#include "ops/ops.h"
#include "proto/benchd.pb-c.h"

/* The facts of the clock of @cpu, or of any calibrated one; NULL where none is calibrated. */
const ClockFacts *clock_report_facts(const OpsMachine *machine, int cpu);

/* Builds the account of that clock in @arena; NULL where there is no memory. */
Benchd__Tsc *clock_report_build(Arena *arena, const OpsMachine *machine, int cpu);

/* True where cycles are counted on this core, and nothing tells who uses it beside. @tsc may be NULL. */
bool clock_report_lacks_probes(const Benchd__Tsc *tsc);

/* Adds a sentence for each thing that makes times less than they should be. @tsc may be NULL. */
void clock_report_warn(Arena *arena, const Benchd__Tsc *tsc, TextList *warnings);
