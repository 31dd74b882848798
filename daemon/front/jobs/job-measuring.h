/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The measuring of a job: its plan once the modules are listed, the machine as it begins, what each process tells, and what
 * the queue is to expect. Which process runs when is job's.
 */

#include <stdint.h>

#include "ops/ops.h"
#include "ops/sample-block.h"

typedef struct Job Job;
typedef struct ModuleOutput ModuleOutput;
typedef struct ProcessEnd ProcessEnd;
typedef struct ReplyError ReplyError;

enum {
        _JOB_MEASURING_E_SUCCESS,

        JOB_MEASURING_E_FULL, /* ret_why has the limit */
};

/* Plans @job from its listings, with the seed of the request or one that is drawn. Returns 0, PLAN_E_*, or a negative errno. */
int job_measuring_plan(Job *job);

/* Notes that the first process is about to run, and what ran on the machine until then. */
void job_measuring_begin(Job *job, uint64_t now_unix_ns);

/* Tells the queue how much the job still has before it. */
void job_measuring_expect(Job *job);

/*
 * Notes a process that was timed: @blocks, one a side, by @clock (NULL: it is not known, an error), where @end is NULL. Returns 0, E_FULL
 * where the samples that are held now are more than may be, or a negative errno.
 */
int job_measuring_note(Job *job, const ClockFacts *clock, const OpsEnded *ended, const SampleBlock *blocks,
                const ModuleOutput *output, const ProcessEnd *end, ReplyError *ret_why);
