/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The end of a benchmark's process, as a code word and a sentence. It comes from what the launcher saw (exit, signal, time), and from what
 * the runner wrote in its block, which counts only where the launcher's report says no more. A benchmark without a process has its reason
 * in the same form. Pure; the words are tables.
 */

#include <stdbool.h>
#include <stdint.h>

#include "ops/block.h"
#include "ops/ops.h"

typedef struct RunnerOutput RunnerOutput;
typedef struct PlanBenchmark PlanBenchmark;
typedef struct Plan Plan;

typedef struct ProcessEnd {
        const char *code;   /* a word of the table in PROTOCOL.md; static */
        char message[1024]; /* a sentence, without the benchmark's name */
        bool of_module;     /* the module as a whole is at fault: nothing in it can run */
        bool of_daemon;     /* the fault is not the module's */
} ProcessEnd;

/*
 * Judges a process that ended as @ended says. @head: the head of its block; NULL if the block is malformed. @output: what it printed, with
 * the loader's message if loading failed. @mode and @timeout_ns: its task and its time limit. Returns true if it completed its task, else
 * false with *@ret_end.
 */
bool process_end_judge(const OpsEnded *ended, const BlockHead *head, const RunnerOutput *output, RunnerMode mode,
                uint64_t timeout_ns, ProcessEnd *ret_end);

/*
 * Tells the failure of a whole command of @side in its own words, "exit code 3", with the limit that it met, since its user wrote no benchmark. Returns false if @end is
 * another one.
 */
bool process_end_of_command(const OpsEnded *ended, const BlockHead *head, uint32_t side, ProcessEnd *end);

/*
 * Adds to @end which @side of a comparison ended (0: the new one), unless the process was ended from outside. With @commands the
 * reference alone is named, since a row has the name of the other.
 */
void process_end_name_side(ProcessEnd *end, const OpsEnded *ended, uint32_t side, bool commands);

/* Explains why @benchmark of @plan has no process. */
void process_end_explain_unrun(const Plan *plan, const PlanBenchmark *benchmark, ProcessEnd *ret_end);
