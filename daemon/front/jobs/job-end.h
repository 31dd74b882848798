/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The end of a job, at whatever step it stands: with its result, or with the reason why there is none. It waits for no turn any more, its
 * process is killed, its watchers hear the last reply. It stays until the launcher's last answer has come (jobs.h).
 */

#include <stdbool.h>

#include "front/base/reply-error.h"
#include "ops/ops.h"

typedef struct Job Job;

/* The last reply was sent: lets go of the client. */
void job_end_over(Job *job);

void job_end_error(Job *job, const ReplyError *why);

/* Ends it for a fault of the daemon's own, the negative errno @r. */
void job_end_failed(Job *job, int r);

/* Ends it since the launcher does not do as it was asked. */
void job_end_refused(Job *job, const OpsRefused *refused);

/*
 * Sends the result: of all, or of the part that was measured when the job was @cancelled. Thousands of benchmarks take more than one
 * turn of the loop.
 */
void job_end_result(Job *job, bool cancelled);

/* True once it is ending or over. */
bool job_end_has_begun(const Job *job);
