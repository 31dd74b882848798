/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Refusals of planning in words for the user: why a request measures or lists nothing, and which names were probably meant.
 */

#include "front/base/reply-error.h"
#include "front/jobs/job-modules.h"
#include "proto/benchd.pb-c.h"

typedef struct RunnerDeadProcess RunnerDeadProcess;

/* Explains why @process did not list @side. */
void plan_refusal_explain_unlisted(const JobSide *side, const RunnerDeadProcess *process, ReplyError *ret_why);

/* Explains that the current side of @modules has more names than can be matched with the filters. */
void plan_refusal_explain_too_much(const JobModules *modules, ReplyError *ret_why);

/* Explains the positive @outcome of plan_new() for @request and @modules, whose listings must still be there. */
void plan_refusal_explain(int outcome, const JobModules *modules, const Benchd__RunRequest *request,
                ReplyError *ret_why);

/* Explains that the filters choose nothing of what @side lists. */
void plan_refusal_explain_no_match(const JobSide *side, ReplyError *ret_why);
