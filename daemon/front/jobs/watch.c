/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/jobs/watch.h"

#include <stdlib.h>

#include "front/base/message.h"
#include "front/history/history.h"
#include "front/history/job-record.h"
#include "front/jobs/job.h"
#include "util/error.h"

int watch_new(Job *job, WatchList *list, Watcher *client, uint64_t id, Watch **ret_watch) {
        Watch *watch;

        watch = calloc(1, sizeof *watch);
        if (!watch)
                return error_origin(-ENOMEM);
        *watch = (Watch){ .job = job, .client = client, .id = id };
        LIST_INSERT_HEAD(list, watch, of_job);
        LIST_INSERT_HEAD(&client->watches, watch, of_client);
        *ret_watch = watch;
        return 0;
}

Watch *watch_free(Watch *watch) {
        if (!watch)
                return NULL;
        LIST_REMOVE(watch, of_job);
        LIST_REMOVE(watch, of_client);
        free(watch);
        return NULL;
}

Watch *watch_find(const Watcher *client, uint64_t id) {
        Watch *watch;

        LIST_FOREACH(watch, &client->watches, of_client) {
                if (watch->id == id)
                        return watch;
        }
        return NULL;
}

/* A reply that says that a job is known, or how it ended, is true once the disk has it. */
static uint64_t watch_ticket(const Watch *watch, const Benchd__Reply *reply) {
        const JobRecord *record = watch->job ? watch->job->record : NULL;

        if (!record || !record->in_history || (!reply->accepted && !reply->result && !reply->error))
                return 0;
        return history_ticket(record->history, record->run_id);
}

static void watch_send(const Watch *watch, bool last, Benchd__Reply *reply) {
        watch->client->tell(watch->client->userdata, watch_ticket(watch, reply), watch->id, last, reply);
}

void watch_tell(const Watch *watch, Benchd__Reply *reply) {
        watch_send(watch, false, reply);
}

void watches_tell(const WatchList *list, Benchd__Reply *reply) {
        const Watch *watch;

        LIST_FOREACH(watch, list, of_job) {
                watch_send(watch, false, reply);
        }
}

/* Once behind it stays so, or benchmarks would come out of order. */
static bool watch_falls_behind(const Watch *watch, const JobRecord *record) {
        return watch->behind ||
               (record->in_history && !record->dropped && watch->client->lags(watch->client->userdata));
}

void watches_tell_benchmark(const WatchList *list, const JobRecord *record, Benchd__Reply *reply) {
        Watch *watch;

        LIST_FOREACH(watch, list, of_job) {
                if (watch->waits)
                        continue;
                watch->behind = watch_falls_behind(watch, record);
                if (watch->behind)
                        continue;
                watch->n_told++;
                watch_send(watch, false, reply);
        }
}

/* The record was dropped when the client was behind: nobody has the rest of the benchmarks any more. */
static void watch_complain_of_room(const Watch *watch) {
        Benchd__Reply reply = BENCHD__REPLY__INIT;
        Benchd__Error error = BENCHD__ERROR__INIT;

        message_set(&error, code, BENCHD__ERROR__CODE__BUSY);
        error.message = (char *)"The results outgrew results= or results_per_user= (benchd.conf), and this client read too "
                                "slowly to get them all.";
        error.hint = (char *)"Name fewer benchmarks in filters, or keep no samples.";
        reply.error = &error;
        watch_send(watch, true, &reply);
}

/* The benchmarks that no history holds come from the record, as far as the connection takes them. */
static void watch_replay_record(const Watch *watch, const JobRecord *record) {
        for (size_t i = watch->n_told; i < record->n_benchmarks; i++) {
                Benchd__Reply reply = BENCHD__REPLY__INIT;

                reply.benchmark = benchd__benchmark_result__unpack(NULL, record->benchmarks[i].n,
                                record->benchmarks[i].data);
                if (!reply.benchmark)
                        continue;
                watch_send(watch, false, &reply);
                benchd__benchmark_result__free_unpacked(reply.benchmark, NULL);
        }
}

static void watch_end(const Watch *watch, const JobRecord *record, Benchd__Reply *reply) {
        const Watcher *client = watch->client;

        if (watch->behind && reply->result && record->dropped) {
                watch_complain_of_room(watch);
                return;
        }
        if ((watch->waits || watch->behind) && reply->result) {
                if (record->in_history &&
                                client->replay(client->userdata, watch->id, record->run_id, watch->n_told) == 0)
                        return;
                watch_replay_record(watch, record);
        }
        watch_send(watch, true, reply);
}

void watches_end(WatchList *list, const JobRecord *record, Benchd__Reply *reply) {
        Watch *watch;

        while ((watch = LIST_FIRST(list))) {
                watch_end(watch, record, reply);
                watch_free(watch);
        }
}
