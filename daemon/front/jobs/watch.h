/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Watches: who is told what a job does. One each for the request that submitted it, unless it was detached, and for
 * those that wait for it. A watch ends with the last reply to it, with its connection, or with its job.
 *
 * Who waits was not there from the beginning: it gets the progress, and when the job is over all of its results in one.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "proto/benchd.pb-c.h"

typedef struct ReplyError ReplyError;
typedef struct Job Job;
typedef struct JobRecord JobRecord;
typedef struct Session Session;

typedef struct Watch {
        LIST_ENTRY(Watch) of_job;
        LIST_ENTRY(Watch) of_session;
        Job *job;
        Session *session;
        uint64_t id; /* of the request */
        bool waits;  /* it did not submit the job */
} Watch;

typedef LIST_HEAD(WatchList, Watch) WatchList;

/* Watches @job, whose list is @list, for request @id of @session. Returns 0 or a negative errno. */
int watch_new(Job *job, WatchList *list, Session *session, uint64_t id, Watch **ret_watch);
Watch *watch_free(Watch *watch);

/* The watch of request @id of a session; NULL if there is none. */
Watch *watch_find(Session *session, uint64_t id);

/* Sends what is no result to all. */
void watches_tell(WatchList *list, Benchd__Reply *reply);

/* Sends a benchmark's result to who submitted the job. */
void watches_tell_benchmark(WatchList *list, Benchd__Reply *reply);

/* Sends the last reply to all, and those that waited all of @record before it; nobody watches any more. */
void watches_end(WatchList *list, const JobRecord *record, Benchd__Reply *reply);
