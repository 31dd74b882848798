/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The pass that counts a benchmark's allocations, in a separate process that times nothing: it started with the counting library
 * (runner/count/count.h) before all others.
 *
 * The first call is not counted: allocations at first use do not belong to an operation. Then some batches of one iteration show
 * the most that one iteration holds at once, and longer batches the average: a growing container allocates at few of its
 * insertions.
 */

#include "ops/block.h"

struct bench_descriptor;

/* Runs the pass on the loaded module, whose file is @module_fd. */
void memory_run(const RunnerPlan *plan, const struct bench_descriptor *descriptor, int module_fd, MemoryBlock *block);
