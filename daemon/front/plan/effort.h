/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The amount of measuring: processes, samples, the length of a batch, the budget. The command line decides, then --quick, then
 * the module, then the default; an older method has its own. For a precision there are as many processes as the limits leave. Pure.
 */

#include "ops/block.h"
#include "proto/benchd.pb-c.h"

#define EFFORT_QUIET_MIN 10u /* quiet samples from which a process has a median, unless they are half of its samples */

typedef struct PlanBenchmark PlanBenchmark;
typedef struct Plan Plan;

/* Notes in @plan the defaults, for all that a module does not set. */
void effort_set_defaults(Plan *plan, const Benchd__RunRequest *request);

/*
 * Gives @benchmark, whose threads are known, the method of this @name, its processes and its schedule. A benchmark without a
 * method, or with one that refuses an option of the request, has no processes.
 */
void effort_set_benchmark(PlanBenchmark *benchmark, const char *name, const ListingEntry *entry,
                const Benchd__RunRequest *request);

/* The most processes of @n_samples each, all threads' together, that leave a benchmark of @plan within the limits of samples. */
uint64_t effort_processes_most(const Plan *plan, uint64_t n_samples);

/*
 * Decides, when the benchmarks of @plan are chosen, how many processes there may be of each, how many come first, and how many
 * samples each may take until enough had the core alone.
 */
void effort_set_processes(Plan *plan, const Benchd__RunRequest *request);
