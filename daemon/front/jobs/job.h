/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A job: one request to run or list a module, from its descriptors to its last reply.
 *
 *      HASHING    the module's SHA-256, a slice a turn of the loop; one of an earlier job is first copied from where it is kept
 *      KEEPING    a run's module, of a comparison the new one, is copied to the state directory, a slice a turn, and the launcher
 *                 vouches for it
 *      OPENING    the launcher identifies the client and keeps the module: a ticket; with it a run is accepted
 *      LISTING    a runner loads the module and tells what it holds; its names are matched with the filters, a slice a turn; here a
 *                 list request ends, and a run is planned
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
#include "front/base/turns.h"
#include "front/jobs/inspections.h"
#include "front/jobs/job-modules.h"
#include "front/jobs/queue.h"
#include "front/jobs/watch.h"
#include "front/report/environment.h"
#include "proto/benchd.pb-c.h"

typedef struct Config Config;
typedef struct History History;
typedef struct JobRecord JobRecord;
typedef struct LaunchLink LaunchLink;
typedef struct Measurement Measurement;
typedef struct ModuleStoreDraft ModuleStoreDraft;
typedef struct ModuleStore ModuleStore;
typedef struct PlanProcess PlanProcess;
typedef struct Retention Retention;
typedef struct RunPlan RunPlan;
typedef struct sd_event sd_event;
typedef struct sd_event_source sd_event_source;

enum {
        _JOB_E_SUCCESS,

        JOB_E_BAD, /* ret_why has the reason */
};

typedef enum JobState {
        JOB_HASHING,
        JOB_KEEPING,
        JOB_OPENING,
        JOB_LISTING,
        JOB_INSPECTING,
        JOB_QUEUED,
        JOB_MEASURING,
        JOB_PAUSED,
        JOB_ENDING,
        JOB_OVER,
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
        const Host *host;
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

typedef struct Job {
        TAILQ_ENTRY(Job) jobs;
        QueuePlace place;
        QueuePlace examination; /* of LISTING and INSPECTING, for one process at a time */
        JobServices *services;
        uint64_t number;   /* in the order of submission */
        WatchList watches; /* nobody's once over */
        Watch *submitter;  /* one of them; NULL once it is detached or over */
        uid_t uid;
        ShareHold share;   /* its place among its user's jobs */
        ShareHold samples; /* the memory of those that it holds */
        Benchd__Request *request;
        JobState state;
        bool untold; /* of a change in the queue */

        JobModules modules;
        sd_event_source *preparing; /* hashing and keeping, then choosing, at last ending */
        bool cancelled;             /* of ENDING: of some benchmarks only a part was measured */
        ModuleStoreDraft *draft;
        size_t n_vouched;  /* parts of the module */
        JobRecord *record; /* of a run; NULL for a list */

        uint64_t process;     /* that runs now; 0: none */
        RunnerMode mode;      /* of that process, or of the last one */
        uint64_t timeout_ns;  /* that it was given */
        cpu_set_t cpus;       /* that it has */
        bool asked;           /* the launcher owes an answer */
        bool waits_for_place; /* the launcher had none for the next process of the plan */

        Measurement *measurement; /* of a run from INSPECTING on */
        const RunPlan *plan;      /* the measurement's */
        const PlanProcess *next;  /* of the plan, from MEASURING on: to be run, or running */
        MachineControls controls;
        uint64_t seed;
        uint64_t started_at_unix_ns;
        double load;         /* then: what ran beside it, and not the run itself */
        double memory_stall; /* then */
        uint32_t turns;      /* with turns of others between them */
        uint64_t paused_at_ns;
        uint64_t waited_ns; /* between its turns */
} Job;

/*
 * Makes and starts a job of @client from @input, of which it takes the request on success alone. Returns 0, E_BAD, or a
 * negative errno.
 */
int job_new(JobServices *services, Watcher *client, JobInput *input, ReplyError *ret_why);
Job *job_free(Job *job);

/* The client wants no more of the job: sends the benchmarks that have a sample, and ends it. */
void job_cancel(Job *job);

/* The connection of @watch is gone: ends the watch, and the job if it submitted it. */
void job_abandon(Watch *watch);

/* The priority of a slice of its work (base/turns.h). */
static inline int64_t job_priority(const Job *job) {
        return turns_priority(job->services->turns, job->uid);
}

/* True for a run that was accepted and is not over. */
bool job_is_known(const Job *job);

/* True once it is over and nothing of it is open any more. */
bool job_is_finished(const Job *job);
