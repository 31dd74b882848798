/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Watches: who is told what a job does. One each for the request that submitted it, unless it was detached, and for
 * those that wait for it. A watch ends with the last reply to it, with its connection, or with its job. The record of a run, for the
 * history, hears of the end first.
 *
 * A request that waits was not there from the beginning: it gets the progress, and when the job is over all of its
 * results in one. A client that submitted the job and lags behind its results gets the rest of them in the same way, as fast as it
 * reads, rather than lose its connection.
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

/* A request that is under way, whose id is not given to another one meanwhile. All zero: it is not among those of a client. */
typedef struct WatchRequest {
        LIST_ENTRY(WatchRequest) of_client;
        uint64_t id;
} WatchRequest;

/* A client as jobs know it: who it is, and how it is answered. */
typedef struct WatchClient {
        uid_t uid;
        int fd;                         /* its connection, by which the launcher identifies it; borrowed */
        LIST_HEAD(, WatchRequest) open; /* of all its requests that are under way, whoever answers them */
        LIST_HEAD(, Watch) watches;     /* its requests that jobs answer */

        /* Sends @reply to request @id when history_ticket() @ticket is on stable storage. */
        void (*tell)(void *userdata, uint64_t ticket, uint64_t id, bool last, Benchd__Reply *reply);

        /* True while it has much to read. */
        bool (*lags)(void *userdata);

        /*
         * Answers request @id with what the history holds of the job @run_id, but for its first @n_told benchmarks. Returns 0 or a
         * negative errno.
         */
        int (*replay)(void *userdata, uint64_t id, const char *run_id, size_t n_told);
        void *userdata;
} WatchClient;

/* The request @id of @client is under way until it is closed. */
void watch_client_open(WatchClient *client, WatchRequest *open, uint64_t id);

/* ... which may have been done already. */
void watch_client_close(WatchRequest *open);
bool watch_client_has_open(const WatchClient *client, uint64_t id);

/* Those of one job. */
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
        bool waits;        /* it did not submit the job */
        bool behind;       /* it did, and gets the benchmarks beyond n_told at the end */
        size_t n_told;
};

/* Watches @job, whose watches are @watches, for request @id of @client. Returns 0 or a negative errno. */
int watches_add(Watches *watches, Job *job, WatchClient *client, uint64_t id, Watch **ret_watch);
Watch *watch_free(Watch *watch);

/* The watch of request @id of @client; NULL if there is none. */
Watch *watch_find(const WatchClient *client, uint64_t id);

/* Sends one of several replies. */
void watch_tell(const Watch *watch, Benchd__Reply *reply);

/* Sends to one that comes later that the job is accepted. */
void watch_tell_accepted(const Watch *watch);

/* Sends a reply without results to all. */
void watches_tell(const Watches *watches, Benchd__Reply *reply);

/* The run, of @module, is accepted: its record is written, and all are told; with @ends it is the last that they hear. */
void watches_accept(Watches *watches, const SealedModule *module, bool ends);

/*
 * Adds a benchmark's result, that of @reply, to the record, and sends it to who submitted the job, unless the client lags and can get it
 * later. Returns 0 or a negative errno.
 */
int watches_tell_benchmark(const Watches *watches, Benchd__Reply *reply);

/*
 * Sends the last reply to all, before it all of the record that a request was not told, and ends the watches. The next two write the end to
 * the record before: what could not be stored is a warning of @result, in @arena. Returns 0 or a negative errno.
 */
void watches_end(Watches *watches, Benchd__Reply *reply);
void watches_end_error(Watches *watches, const ReplyError *why);
int watches_end_result(Watches *watches, Arena *arena, Benchd__RunResult *result, bool cancelled);
