/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Watches: the requests that are told what a job does: the request that submitted it, unless the job is detached, and any requests that
 * wait for it. A watch ends with its last reply, its connection, or its job. The history's record of a run is told of the end first.
 *
 * A waiting request missed the beginning: it gets the progress, and all results when the job is over. A submitting client that reads too
 * slowly gets the rest of its results in the same way, as fast as it reads, instead of losing its connection.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "proto/benchd.pb-c.h"

typedef struct Arena Arena;
typedef struct Job Job;
typedef struct JobRecord JobRecord;
typedef struct ReplyError ReplyError;
typedef struct SealedModule SealedModule;
typedef struct Watch Watch;

/* An open request, whose id no other request may use meanwhile. All zero: not linked to a client. */
typedef struct WatchRequest {
        LIST_ENTRY(WatchRequest) of_client;
        uint64_t id;
} WatchRequest;

/* A client as jobs see it: its identity and its callbacks. */
typedef struct WatchClient {
        uid_t uid;
        int fd;                         /* its connection, from which the launcher identifies it; borrowed */
        LIST_HEAD(, WatchRequest) open; /* all its open requests, whatever module answers them */
        LIST_HEAD(, Watch) watches;     /* its requests to jobs */

        /* Sends @reply to request @id when history_ticket() @ticket is on stable storage. */
        void (*tell)(void *userdata, uint64_t ticket, uint64_t id, bool last, Benchd__Reply *reply);

        /* True while the client has much unread. */
        bool (*lags)(void *userdata);

        /* Answers request @id from the history of the job @run_id, without its first @n_told benchmarks. Returns 0 or a negative errno. */
        int (*replay)(void *userdata, uint64_t id, const char *run_id, size_t n_told);
        void *userdata;
} WatchClient;

/* Opens request @id of @client, until watch_client_close(). */
void watch_client_open(WatchClient *client, WatchRequest *open, uint64_t id);

/* Closes the request, if it is open. */
void watch_client_close(WatchRequest *open);
bool watch_client_has_open(const WatchClient *client, uint64_t id);

/* The watches of one job. */
typedef struct Watches {
        LIST_HEAD(, Watch) list;
        JobRecord *record; /* of a run: borrowed; NULL for a list */
} Watches;

struct Watch {
        LIST_ENTRY(Watch) of_job;
        LIST_ENTRY(Watch) of_client;
        Job *job;
        const JobRecord *record; /* the job's, or NULL */
        WatchClient *client;
        WatchRequest open; /* of the request */
        bool waits;        /* the request did not submit the job */
        bool behind;       /* the request submitted the job, and gets the benchmarks beyond n_told at the end */
        size_t n_told;
};

/* Adds a watch of @job to @watches, for request @id of @client. Returns 0 or a negative errno. */
int watches_add(Watches *watches, Job *job, WatchClient *client, uint64_t id, Watch **ret_watch);
Watch *watch_free(Watch *watch);

/* The watch of request @id of @client; NULL if there is none. */
Watch *watch_find(const WatchClient *client, uint64_t id);

/* Sends a reply that is not the last. */
void watch_tell(const Watch *watch, Benchd__Reply *reply);

/* Tells a watch added later that the job was accepted. */
void watch_tell_accepted(const Watch *watch);

/* Sends a reply without results to all watches. */
void watches_tell(const Watches *watches, Benchd__Reply *reply);

/* The run of @module is accepted: writes its record and tells all watches; with @ends that is their last reply. */
void watches_accept(Watches *watches, const SealedModule *module, bool ends);

/*
 * Adds the benchmark's result in @reply to the record, and sends it to the submitting client, unless that client lags and can get it later.
 * Returns 0 or a negative errno.
 */
int watches_tell_benchmark(const Watches *watches, Benchd__Reply *reply);

/*
 * Sends every watch the results it has not had yet, then the last reply, and ends the watches. watches_end_error() and watches_end_result()
 * first write the end to the record; anything that could not be stored becomes a warning of @result, in @arena. Returns 0 or a negative
 * errno.
 */
void watches_end(Watches *watches, Benchd__Reply *reply);
void watches_end_error(Watches *watches, const ReplyError *why);
int watches_end_result(Watches *watches, Arena *arena, Benchd__RunResult *result, bool cancelled);
