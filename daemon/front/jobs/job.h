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
 *      RESTING    the next part of a run that is spread over time is not due: it holds no CPU, and is in no queue
 *      ENDING     what is measured is reported, a slice a turn
 *      OVER       the end is in the history and the last reply was sent; the launcher's last answer is awaited
 *
 * A comparison has two modules: each step up to INSPECTING handles one after the other. Users take turns with the processes that list and
 * inspect (jobs.h), and the job waits for each.
 *
 * Once accepted, a run is known by its run_id. A detached run no longer needs its client; any other run is cancelled when its client
 * disconnects.
 *
 * A job has at most one open question to the launcher. A finished job is freed (jobs.h) once that question is answered.
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
        JOB_RESTING,
        JOB_ENDING,
        JOB_OVER,
        _JOB_STATES_N,
} JobState;

/* The services that all jobs use, borrowed, and the jobs themselves (jobs.h). */
typedef struct JobServices {
        sd_event *event;
        LaunchLink *link;
        History *history;
        ModuleStore *module_store; /* NULL: modules are not kept */
        Retention *retention;
        const Config *config;
        Shares *shares;
        const OpsMachine *machine; /* NULL until the launcher has sent it */
        const EnvironmentHost *host;
        RootDir *root;
        Turns *turns; /* NULL: not counted */

        TAILQ_HEAD(, Job) jobs; /* the oldest first */
        Queue queue;
        Queue examinations;        /* processes that list and inspect, one per turn */
        bool examinations_refused; /* the launcher had no place for the last one */
        Inspections inspections;
        sd_event_source *retry;
        sd_event_source *telling; /* tells waiting jobs how they stand; NULL: all were told */
        uint64_t n_done;
        uint64_t last_number;
} JobServices;

/* The visible state of a job; borrowed. */
typedef struct JobView {
        JobState state;
        uid_t uid;
        const JobRecord *record;        /* of an accepted, unfinished run; else NULL */
        const Measurement *measurement; /* of a planned run; else NULL */
        const QueuePlace *place;        /* in the queue of measured jobs */
        const cpu_set_t *cpus;          /* of the running process; NULL: none runs */
        uint64_t due_ns;                /* of RESTING, the end of the rest; else 0 */
        bool waits_for_place;           /* the launcher had no place for the next process of the plan */
        uint64_t process;               /* that runs now, as the launcher names it; 0: none runs */
} JobView;

/*
 * Makes and starts a job of @client from @input; takes the request only on success. Returns 0, E_BAD, or a negative
 * errno.
 */
int job_new(JobServices *services, WatchClient *client, JobInput *input, ReplyError *ret_why);
Job *job_free(Job *job);

/* The job submitted after @job; NULL past the last. */
Job *job_next(const Job *job);

JobView job_view(const Job *job);

/* True once the job is over and the launcher owes it no answer. */
bool job_is_finished(const Job *job);

/* The job has the turn in the queue where it waits: it is examined or measured. */
void job_take_turn(Job *job);

/* A place for a runner may be free: every job of @services that found none asks again, or waits for its next turn. */
void job_retry_all(JobServices *services);

/* The queue moved: if the job waits, it will tell its watches. */
void job_note_moved(Job *job);

/* Tells the job's new standing after the queue moved. Returns false if that was told already. */
bool job_tell_moved(Job *job);

/* Answers request @id of @client with the progress and the result of an accepted run. Returns 0 or a negative errno. */
int job_follow(Job *job, WatchClient *client, uint64_t id);

/* Cancels the job: sends the benchmarks that have a sample, then ends. */
void job_cancel(Job *job);

/* The connection of @watch is gone: ends the watch, and its job if the watch submitted it. */
void job_abandon(Watch *watch);
