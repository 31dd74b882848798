/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Memory count: a benchmark's allocations in its result. Pure.
 */

#include "front/base/warning.h"
#include "ops/block.h"
#include "proto/benchd.pb-c.h"

/*
 * Fills in the allocations of the checked and complete @block in @result, whose ops_per_iteration must be set, with
 * parts from @arena, and appends warnings. Returns 0 or a negative errno.
 */
int memory_count_report(const MemoryBlock *block, Arena *arena, Benchd__BenchmarkResult *result, WarningList *warnings);
