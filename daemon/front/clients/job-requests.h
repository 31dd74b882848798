/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Requests about jobs, of this connection or any other, under way or over: to follow, show, list, pin, cancel and measure
 * them again.
 *
 * A job is named by its id, or by a beginning of it that no other job has among those that the user may see. A user sees
 * the own jobs, root all; the configuration may let all see all.
 */

#include "front/base/reply-error.h"

typedef struct JobInput JobInput;
typedef struct Session Session;

void job_requests_wait(Session *session, const Benchd__Request *request);
void job_requests_show(Session *session, const Benchd__Request *request);
void job_requests_history(Session *session, const Benchd__Request *request);
void job_requests_pin(Session *session, const Benchd__Request *request);
void job_requests_cancel(Session *session, const Benchd__Request *request);

/*
 * Makes the job of @input, as job_new() does, once the modules that earlier jobs measured are recalled. Returns 0, a positive outcome
 * with the reason, or a negative errno.
 */
int job_requests_measure_again(Session *session, JobInput *input, ReplyError *ret_why);
