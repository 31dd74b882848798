/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The finding that a loop works on files in memory: no disk takes part, and a sync waits for nothing, so that its time is of another world
 * than that of a program on a disk. By the files that were used, or by a call in the machine code where files in memory were there. None
 * where the benchmark names memory in its area, name, title, .about or label. Pure.
 */

#include <stdbool.h>

#include "front/base/arena.h"
#include "proto/benchd.pb-c.h"

typedef struct InspectionBlock InspectionBlock;

/* Tells whether @result has @word among its `files`. */
bool file_findings_used(const Benchd__BenchmarkResult *result, const char *word);

/* Appends it to the warnings and findings of @result, in @arena. @block may be NULL: the code is not known. Returns 0 or a negative errno. */
int file_findings_add(Arena *arena, const InspectionBlock *block, Benchd__BenchmarkResult *result);
