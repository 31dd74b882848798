/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The finding that a loop works on files in memory: no disk takes part and a sync waits for nothing, so its time says nothing about the
 * same program on a disk. It is based on the files used, or on a call in the machine code while files in memory were there. There is no
 * finding if the benchmark mentions memory in its area, name, title, .about or label. Pure.
 */

#include <stdbool.h>

#include "front/base/arena.h"
#include "proto/benchd.pb-c.h"

typedef struct InspectionBlock InspectionBlock;

/* True if the `files` of @result contain @word. */
bool file_findings_used(const Benchd__BenchmarkResult *result, const char *word);

/*
 * Appends the finding to the warnings and findings of @result, in @arena. @block may be NULL: the code is unknown. Returns 0 or a negative
 * errno.
 */
int file_findings_add(Arena *arena, const InspectionBlock *block, Benchd__BenchmarkResult *result);
