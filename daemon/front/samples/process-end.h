/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The end of a benchmark's process, in a word and a sentence. From what the launcher saw (exit, signal, time) and what the runner
 * said of itself in its block, which is believed only if the launcher's word does not say more. A benchmark that gets no process has
 * its reason in the same form. Pure; the words are tables.
 */

#include <stdbool.h>
#include <stdint.h>

#include "ops/block.h"
#include "ops/ops.h"

typedef struct RunnerOutput RunnerOutput;
typedef struct PlanBenchmark PlanBenchmark;
typedef struct Plan Plan;

typedef struct ProcessEnd {
        const char *code;   /* one word, of the table in PROTOCOL.md; static */
        char message[1024]; /* a sentence, without the benchmark's name */
        bool of_module;     /* the module as a whole is at fault: nothing in it can run */
        bool of_daemon;     /* the fault is not the module's */
} ProcessEnd;

/*
 * Judges a process that ended as @ended says. @head is the head of its block, NULL if no runner writes such a block; @output, what it
 * printed, has the loader's words where it could not be loaded. @mode and @timeout_ns are what it was to do, and the time it was given. Returns true if it did all of it, else false with *@ret_end.
 */
bool process_end_judge(const OpsEnded *ended, const BlockHead *head, const RunnerOutput *output, RunnerMode mode,
                uint64_t timeout_ns, ProcessEnd *ret_end);

/* Adds to @end that it was that of @side of a comparison, 0 the new one, unless somebody else ended both. */
void process_end_name_side(ProcessEnd *end, const OpsEnded *ended, uint32_t side);

/* Explains why @benchmark of @plan has no process. */
void process_end_explain_unrun(const Plan *plan, const PlanBenchmark *benchmark, ProcessEnd *ret_end);
