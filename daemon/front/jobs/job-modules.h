/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The modules of a job, one a side: from its request to where all are hashed and, of a run, the first is kept for later jobs.
 */

#include "front/base/reply-error.h"
#include "proto/benchd.pb-c.h"

typedef struct Job Job;
typedef struct Session Session;

/*
 * Makes each side of @job from the checked @request of @session, with its descriptors of @fds in order, which it takes. Returns 0,
 * JOB_SIDE_E_BAD, or a negative errno.
 */
int job_modules_take(Job *job, const Session *session, const Benchd__Request *request, int *fds, ReplyError *ret_why);

/* Prepares some of them. Returns 0 when all are ready, JOB_SIDE_E_MORE, JOB_SIDE_E_BAD, or a negative errno. */
int job_modules_prepare(Job *job, ReplyError *ret_why);
