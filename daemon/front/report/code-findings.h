/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Findings in the machine code of a benchmark: an empty loop, and calls in its timed part that mostly stand there by mistake. Pure.
 *
 * Many a benchmark is about such a call. So there is none where the benchmark names the function, or what such functions do, in its area,
 * name, title or .about; and none where the run saw the same itself and has figures.
 */

#include "front/base/arena.h"
#include "proto/benchd.pb-c.h"

typedef struct InspectionBlock InspectionBlock;

/* Appends to the warnings and findings of @result, in @arena, those of its benchmark in @block. Returns 0 or a negative errno. */
int code_findings_add(Arena *arena, const InspectionBlock *block, Benchd__BenchmarkResult *result);
