/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The pass that counts what a benchmark allocates, in a process of its own that times nothing: it started with the counting library
 * (runner/count/count.h) before all others.
 *
 * The first call is not counted: what is set up at first use is none of an operation's. Then some batches of one
 * iteration tell the most that one has at once, and longer ones how much all have on average: a container that grows
 * allocates at few of its insertions.
 */

#include "ops/block.h"

struct bench_descriptor;

/* Counts, of the module in @module_fd that was loaded. */
void memory_run(const RunnerPlan *plan, const struct bench_descriptor *descriptor, int module_fd, MemoryBlock *block);
