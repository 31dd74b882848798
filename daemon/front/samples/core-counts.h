/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Core counts per operation of a benchmark: its cycles as a quantity, the rest as medians. Pure.
 *
 * The count of a sample is its batch's count minus an empty batch's (ClockFacts.counter_cost), divided by the operations in it. A process
 * has a counter if at least half of its samples do: a multiplexed or paused sample has none (runner/watch/usage.h).
 */

#include <stdbool.h>
#include <stddef.h>

#include "front/base/arena.h"
#include "front/samples/quantity.h"
#include "ops/block.h"
#include "proto/benchd.pb-c.h"

typedef struct CoreCounts {
        Quantity quantities[RUNNER_COUNTERS_MAX]; /* in the order of COUNTER_* */
} CoreCounts;

void core_counts_deinit(CoreCounts *counts);

/* Adds the process that wrote @block on the CPU with @clock. Returns 0 or a negative errno. */
int core_counts_add(CoreCounts *counts, const SampleBlock *block, const ClockFacts *clock,
                const QuantityConditions *conditions);

/* The cycles if every process has them, else NULL. */
Quantity *core_counts_cycles(CoreCounts *counts);

/* Builds the message; leaves *@ret_message untouched if not every process has cycles. Returns 0 or a negative errno. */
int core_counts_report(const CoreCounts *counts, Arena *arena, Benchd__Pmu **ret_message);
