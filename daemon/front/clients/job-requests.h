/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Requests about jobs of any connection, running or over: follow, show, list, pin, cancel, and measure again.
 *
 * A job is named by its id or by a prefix that is unique among the jobs that the user may see: the user's own, and with access (access.h)
 * the jobs of others.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "front/base/reply-error.h"
#include "front/history/history.h"
#include "front/jobs/watch.h"
#include "proto/benchd.pb-c.h"

typedef struct Job Job;
typedef struct JobInput JobInput;
typedef struct JobList JobList;
typedef struct Session Session;
typedef struct sd_event_source sd_event_source;

/* A request for the history whose list is being made. */
typedef struct JobHistoryRequest {
        LIST_ENTRY(JobHistoryRequest) of_session;
        Session *session;
        WatchRequest open;    /* of the request */
        HistoryViewer viewer; /* who asks, and may see these jobs */
        JobList *list;
        sd_event_source *slices;
} JobHistoryRequest;

JobHistoryRequest *job_history_request_free(JobHistoryRequest *ask);

/* True if the user of @session may see jobs of @uid. */
bool job_requests_may_see(const Session *session, uid_t uid);

/*
 * True if @request reaches for jobs of other users: it names a job that is not the user's own (even one that does not exist), or asks for
 * all.
 */
bool job_requests_reach_others(const Session *session, const Benchd__Request *request);

/* The user's own job that @run_id names, under way; NULL, with a complaint to request @id. */
Job *job_requests_find_running(Session *session, uint64_t id, const char *run_id);

void job_requests_wait(Session *session, const Benchd__Request *request);
void job_requests_show(Session *session, const Benchd__Request *request);
void job_requests_history(Session *session, const Benchd__Request *request);
void job_requests_pin(Session *session, const Benchd__Request *request);
void job_requests_cancel(Session *session, const Benchd__Request *request);

/*
 * Makes the job of @input, as job_new() does, after recalling the modules of earlier jobs. Returns 0, a positive outcome with the reason,
 * or a negative errno.
 */
int job_requests_measure_again(Session *session, JobInput *input, ReplyError *ret_why);
