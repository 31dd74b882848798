/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Effort: processes, samples, length of a batch, and budget. The order of precedence is command line, --quick, module, default; an older
 * method has its own effort. With a precision, as many processes are planned as the limits allow; in a comparison that ends by itself as many
 * as its last look takes. Pure.
 */

#include "ops/block.h"
#include "proto/benchd.pb-c.h"

#define EFFORT_QUIET_MIN 10u /* quiet samples that a process needs for a median, unless they are half of its samples */

typedef struct PlanBenchmark PlanBenchmark;
typedef struct Plan Plan;

/* Sets the defaults in @plan, for all that a module does not set. */
void effort_set_defaults(Plan *plan, const Benchd__RunRequest *request);

/*
 * Sets the method @name, the processes and the schedule of @benchmark, whose threads must be set. A benchmark with an unknown method, or
 * with one that refuses an option of the request, gets no processes.
 */
void effort_set_benchmark(PlanBenchmark *benchmark, const char *name, const ListingEntry *entry,
                const Benchd__RunRequest *request);

/* The most processes that a benchmark of @plan may have within the limits of samples, if each takes @n_samples over all threads. */
uint64_t effort_processes_most(const Plan *plan, uint64_t n_samples);

/*
 * For each chosen benchmark of @plan, decides how many processes it may have, how many run first, and how many samples each may take until
 * enough had the core alone.
 */
void effort_set_processes(Plan *plan, const Benchd__RunRequest *request);
