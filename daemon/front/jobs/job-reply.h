/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The replies of a job to those that watch it, and to its record: first that it is accepted, then how far it is and what is
 * complete, at last how it ended. The end is written to the history before it is sent. Which reply comes when is job's.
 */

#include <stdbool.h>
#include <stdint.h>

#include "front/base/reply-error.h"
#include "ops/sample-block.h"
#include "proto/benchd.pb-c.h"

typedef struct InspectionBlock InspectionBlock;
typedef struct Job Job;
typedef struct Watcher Watcher;

/* A run is known to all from here on; a detached one has no submitter any more. */
void job_reply_accepted(Job *job);

/* Tells how far a run is. */
void job_reply_stage(Job *job, Benchd__Progress__Stage stage);

/* Answers request @id of @client with the progress and the result of an accepted run. Returns 0 or a negative errno. */
int job_reply_follow(Job *job, Watcher *client, uint64_t id);

enum {
        _JOB_REPLY_E_SUCCESS,

        JOB_REPLY_E_MORE,     /* not all were sent yet */
        JOB_REPLY_E_NO_MATCH, /* the filters choose nothing of a listing; no reply was sent */
};

/*
 * Sends the results of some of the benchmarks that are complete, or if @partial of those that have any sample: as many as take about a
 * millisecond. Returns 0 when all are sent, E_MORE, or a negative errno.
 */
int job_reply_benchmarks(Job *job, bool partial);

/*
 * The last replies: the result, the listing or the inspection of a module, or the reason why there is none. Return 0 or a negative errno, the
 * listing E_NO_MATCH too.
 */
int job_reply_result(Job *job, bool cancelled);
int job_reply_listing(Job *job, const ListingBlock *block);
int job_reply_inspection(Job *job, const InspectionBlock *block);
void job_reply_error(Job *job, const ReplyError *why);
