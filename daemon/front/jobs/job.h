/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A job: one request to run or list a module, from its descriptors to its last reply.
 *
 *      HASHING    the module's SHA-256, a slice a turn of the loop; one of an earlier job is first copied from where it is kept
 *      KEEPING    a run's module, of a comparison the new one, is copied to the state directory, a slice a turn
 *      OPENING    the launcher identifies the client and keeps the module: a ticket; with it a run is accepted
 *      LISTING    a runner loads the module and tells what it holds; here a list request ends
 *      QUEUED     planned; waits for its turn
 *      MEASURING  one runner after another, as planned
 *      OVER       the end is in the history and the last reply was sent; the launcher's last answer is awaited
 *
 * A comparison has two modules: what is said of one up to LISTING is done to each in turn.
 *
 * Once it is accepted a run is known to all by its run_id; one that was detached no longer needs its client. Another
 * whose client leaves is cancelled.
 *
 * At most one question to the launcher is open at a time. A job that is over is swept up when that one is answered.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "front/base/reply-error.h"
#include "front/jobs/job-side.h"
#include "front/jobs/queue.h"
#include "front/jobs/watch.h"
#include "front/report/environment.h"
#include "proto/benchd.pb-c.h"

typedef struct ModuleStoreDraft ModuleStoreDraft;
typedef struct Daemon Daemon;
typedef struct Measurement Measurement;
typedef struct JobRecord JobRecord;
typedef struct Session Session;
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
        JOB_QUEUED,
        JOB_MEASURING,
        JOB_OVER,
} JobState;

typedef struct Job {
        TAILQ_ENTRY(Job) of_daemon;
        QueuePlace place;
        Daemon *daemon;
        WatchList watches; /* nobody's once over */
        Watch *submitter;  /* one of them; NULL once it is detached or over */
        uid_t uid;
        Benchd__Request *request;
        JobState state;

        JobSide sides[RUNNER_SIDES_MAX];
        size_t n_sides;
        size_t side;                /* that is prepared, opened or listed now */
        sd_event_source *preparing; /* hashing and keeping */
        ModuleStoreDraft *draft;
        JobRecord *record; /* of a run; NULL for a list */

        uint64_t process;     /* that runs now; 0: none */
        uint64_t timeout_ns;  /* that it was given */
        cpu_set_t cpus;       /* that it has */
        bool asked;           /* the launcher owes an answer */
        bool waits_for_place; /* the launcher had none for the next process */

        Measurement *measurement; /* from QUEUED on */
        MachineControls controls;
        char compiler[LISTING_TEXT_MAX];
        bool optimized;
        uint64_t seed;
        uint64_t started_at_unix_ns;
} Job;

/*
 * Makes and starts a job of @session from a checked @request, which it keeps on success, and its descriptors, which it
 * takes: as many as the request, checked, names. Returns 0, E_BAD, or a negative errno.
 */
int job_new(Session *session, Benchd__Request *request, int *fds, ReplyError *ret_why);
Job *job_free(Job *job);

/* Its turn has come, and the machine's clock is known. */
void job_measure(Job *job);

/* A place for a runner is free: tries again where there was none. */
void job_retry(Job *job);

/* The client wants no more of it: what is complete is sent, and the job is over. */
void job_cancel(Job *job);

/* The connection of @watch is gone: ends the watch, and the job if it submitted it. */
void job_abandon(Watch *watch);

/* Whether it is a run that was accepted and is not over. */
bool job_is_known(const Job *job);

/* Whether it is over and nothing of it is open any more. */
bool job_is_finished(const Job *job);
