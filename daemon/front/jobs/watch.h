/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Watches: who is told what a job does. One each for the request that submitted it, unless it was detached, and for
 * those that wait for it. A watch ends with the last reply to it, with its connection, or with its job.
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

typedef struct Job Job;
typedef struct JobRecord JobRecord;
typedef struct Watch Watch;

typedef LIST_HEAD(WatchList, Watch) WatchList;

/* A client as jobs know it: who it is, and how it is answered. */
typedef struct Watcher {
        uid_t uid;
        int fd;            /* its connection, by which the launcher identifies it; borrowed */
        WatchList watches; /* its requests that jobs answer */

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
} Watcher;

struct Watch {
        LIST_ENTRY(Watch) of_job;
        LIST_ENTRY(Watch) of_client;
        Job *job;
        Watcher *client;
        uint64_t id; /* of the request */
        bool waits;  /* it did not submit the job */
        bool behind; /* it did, and gets the benchmarks beyond n_told at the end */
        size_t n_told;
};

/* Watches @job, whose list is @list, for request @id of @client. Returns 0 or a negative errno. */
int watch_new(Job *job, WatchList *list, Watcher *client, uint64_t id, Watch **ret_watch);
Watch *watch_free(Watch *watch);

/* The watch of request @id of @client; NULL if there is none. */
Watch *watch_find(const Watcher *client, uint64_t id);

/* Sends one of several replies. */
void watch_tell(const Watch *watch, Benchd__Reply *reply);

/* Sends a reply without results to all. */
void watches_tell(const WatchList *list, Benchd__Reply *reply);

/* Sends a benchmark's result, which @record has, to who submitted the job, unless the client lags and can get it later. */
void watches_tell_benchmark(const WatchList *list, const JobRecord *record, Benchd__Reply *reply);

/* Sends the last reply to all, before it all of @record that a request was not told, and ends the watches. */
void watches_end(WatchList *list, const JobRecord *record, Benchd__Reply *reply);
