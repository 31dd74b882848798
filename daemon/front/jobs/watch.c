/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/jobs/watch.h"

#include <stdlib.h>

#include "front/history/job-record.h"
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

static void watch_send(const Watch *watch, bool last, Benchd__Reply *reply) {
        watch->client->tell(watch->client->userdata, watch->id, last, reply);
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

void watches_tell_benchmark(const WatchList *list, Benchd__Reply *reply) {
        const Watch *watch;

        LIST_FOREACH(watch, list, of_job) {
                if (!watch->waits)
                        watch_send(watch, false, reply);
        }
}

/* The benchmarks that no history holds come from the record, as far as the connection takes them. */
static void watch_replay_record(const Watch *watch, const JobRecord *record) {
        for (size_t i = 0; i < record->n_benchmarks; i++) {
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

        if (watch->waits && reply->result) {
                if (record->in_history && client->replay(client->userdata, watch->id, record->run_id) == 0)
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
