/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * How much is measured: processes, samples, the length of a batch, the budget. The command line says, then --quick, then the
 * module, then the default; a method other than benchd's own has its own. For a precision there are as many processes as the
 * limits leave. Pure.
 */

#include "ops/sample-block.h"
#include "proto/benchd.pb-c.h"

#define EFFORT_QUIET_MIN 10u /* quiet samples from which a process has a median, unless they are half of its samples */

typedef struct PlanBenchmark PlanBenchmark;
typedef struct RunPlan RunPlan;

/* Notes in @plan what holds where a module does not say otherwise. */
void effort_set_defaults(RunPlan *plan, const Benchd__RunRequest *request);

/*
 * Gives @benchmark, whose threads are known, the method of this @name, its processes and its schedule. What has no method, or one
 * that does not take what the request asks, has no processes.
 */
void effort_set_benchmark(PlanBenchmark *benchmark, const char *name, const ListingEntry *entry,
                const Benchd__RunRequest *request);

/*
 * Decides, when the benchmarks of @plan are chosen, how many processes there may be of each, how many come first, and how many
 * samples each may take until enough had the core alone.
 */
void effort_set_processes(RunPlan *plan, const Benchd__RunRequest *request);
