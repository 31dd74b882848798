/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Findings in the machine code of a benchmark: an empty loop, and calls in its timed part that are mostly there by mistake. Pure.
 *
 * Many benchmarks measure such a call on purpose. So there is no finding if the benchmark mentions the function, or the kind of work, in
 * its area, name, title or .about; and none if the run itself observed the effect and has figures.
 */

#include "front/base/arena.h"
#include "proto/benchd.pb-c.h"

typedef struct InspectionBlock InspectionBlock;

/*
 * Appends the findings on the benchmark of @result in @block to the warnings and findings of @result, in @arena. Returns 0 or a negative
 * errno.
 */
int code_findings_add(Arena *arena, const InspectionBlock *block, Benchd__BenchmarkResult *result);
