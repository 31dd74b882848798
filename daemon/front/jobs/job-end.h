/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The end of a job, at whatever step it stands.
 */

#include "front/base/reply-error.h"

typedef struct Job Job;

/* The last reply was sent: lets go of the client and stops what runs; nothing if it is over. */
void job_over(Job *job);

/* Ends it with what its client is told. */
void job_complain(Job *job, const ReplyError *why);

/* Ends it for a fault of the daemon's own, a negative errno @r; nothing if @r is 0, or it is over. */
void job_fail(Job *job, int r);

/* Ends it after what was to be its last reply gave @r: 0 or a negative errno. */
void job_finish(Job *job, int r);
