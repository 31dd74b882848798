/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A job: one request to run or list a module, from its descriptors to its last reply. Its states are the rows of the table in job.c:
 *
 *      HASHING    the module's SHA-256, a slice a turn of the loop; one of an earlier job is first copied from where it is kept
 *      KEEPING    a run's module, of a comparison the new one, is copied to the state directory, a slice a turn
 *      VOUCHING   the launcher vouches for the files of that copy
 *      OPENING    the launcher identifies the client and keeps the module: a ticket; with it a run is accepted
 *      LISTING    a runner loads the module and tells what it holds
 *      CHOOSING   its names are matched with the filters, a slice a turn; here a list request ends, and a run is planned
 *      INSPECTING a process reads the module's file, unless one did for an earlier run; here a request to inspect ends, and a run goes on
 *                 whatever it found
 *      QUEUED     waits for its first turn
 *      MEASURING  has its turn: one runner after another, as planned
 *      PAUSED     its turn is over, and it waits for the next one; to all others it is a run that is being measured
 *      ENDING     what is measured is reported, a slice a turn
 *      OVER       the end is in the history and the last reply was sent; the launcher's last answer is awaited
 *
 * A comparison has two modules: each step up to INSPECTING is done to one after the other. The processes that list and inspect are
 * handed round between users (jobs.h), and each is waited for.
 *
 * Once it is accepted a run is known to all by its run_id; one that was detached no longer needs its client. Another
 * whose client leaves is cancelled.
 *
 * At most one question to the launcher is open at a time. A job that is over is swept up (jobs.h) when that one is answered.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "front/base/reply-error.h"
#include "front/base/share.h"
#include "front/base/turns.h"
#include "front/jobs/inspections.h"
#include "front/jobs/queue.h"
#include "front/jobs/watch.h"
#include "ops/ops.h"

typedef struct Config Config;
typedef struct History History;
typedef struct EnvironmentHost EnvironmentHost;
typedef struct Job Job;
typedef struct JobInput JobInput;
typedef struct JobRecord JobRecord;
typedef struct LaunchLink LaunchLink;
typedef struct Measurement Measurement;
typedef struct ModuleStore ModuleStore;
typedef struct Retention Retention;
typedef struct RootDir RootDir;
typedef struct sd_event sd_event;
typedef struct sd_event_source sd_event_source;

enum {
        _JOB_E_SUCCESS,

        JOB_E_BAD, /* ret_why has the reason */
};

typedef enum JobState {
        JOB_HASHING,
        JOB_KEEPING,
        JOB_VOUCHING,
        JOB_OPENING,
        JOB_LISTING,
        JOB_CHOOSING,
        JOB_INSPECTING,
        JOB_QUEUED,
        JOB_MEASURING,
        JOB_PAUSED,
        JOB_ENDING,
        JOB_OVER,
        _JOB_STATES_N,
} JobState;

/* The services that all jobs use, borrowed; and the jobs themselves (jobs.h). */
typedef struct JobServices {
        sd_event *event;
        LaunchLink *link;
        History *history;
        ModuleStore *module_store; /* NULL: modules are not kept */
        Retention *retention;
        const Config *config;
        Shares *shares;
        const OpsMachine *machine; /* NULL until the launcher told of it */
        const EnvironmentHost *host;
        RootDir *root;
        Turns *turns; /* NULL: not counted */

        TAILQ_HEAD(, Job) jobs; /* the oldest first */
        Queue queue;
        Queue examinations;        /* the processes that list and inspect: a turn is one of them */
        bool examinations_refused; /* the launcher had no place for the last one that was asked for */
        Inspections inspections;
        sd_event_source *retry;
        sd_event_source *telling; /* of those that wait; NULL: all are told */
        uint64_t n_done;
        uint64_t last_number;
} JobServices;

/* The state of a job as others see it; borrowed. */
typedef struct JobView {
        JobState state;
        uid_t uid;
        const JobRecord *record;        /* of a run that was accepted and is not over; else NULL */
        const Measurement *measurement; /* of a run that is planned; else NULL */
        const QueuePlace *place;        /* in the queue of what is measured */
        const cpu_set_t *cpus;          /* of the process that runs now; NULL: none does */
        bool waits_for_place;           /* the launcher had none for the next process of the plan */
} JobView;

/*
 * Makes and starts a job of @client from @input, of which it takes the request on success alone. Returns 0, E_BAD, or a
 * negative errno.
 */
int job_new(JobServices *services, WatchClient *client, JobInput *input, ReplyError *ret_why);
Job *job_free(Job *job);

/* The job that came after @job; NULL past the last. */
Job *job_next(const Job *job);

JobView job_view(const Job *job);

/* True once it is over and nothing of it is open any more. */
bool job_is_finished(const Job *job);

/* A turn of the queue in which it waits is its own: it is examined, or measured. */
void job_take_turn(Job *job);

/* A place for a runner may be free: all jobs of @services that found none ask again, or are handed round again. */
void job_retry_all(JobServices *services);

/* The queue moved: while it waits it is to tell that. */
void job_note_moved(Job *job);

/* Tells how it stands in a queue that moved. Returns false if that was told already. */
bool job_tell_moved(Job *job);

/* Answers request @id of @client with the progress and the result of an accepted run. Returns 0 or a negative errno. */
int job_follow(Job *job, WatchClient *client, uint64_t id);

/* The client wants no more of the job: sends the benchmarks that have a sample, and ends it. */
void job_cancel(Job *job);

/* The connection of @watch is gone: ends the watch, and the job if it submitted it. */
void job_abandon(Watch *watch);
