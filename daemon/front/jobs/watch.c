/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/jobs/watch.h"

#include <stdlib.h>

#include "front/clients/replay.h"
#include "front/clients/session.h"
#include "front/history/job-record.h"
#include "util/error.h"

int watch_new(Job *job, WatchList *list, Session *session, uint64_t id, Watch **ret_watch) {
        Watch *watch;

        watch = calloc(1, sizeof *watch);
        if (!watch)
                return error_origin(-ENOMEM);
        *watch = (Watch){ .job = job, .session = session, .id = id };
        LIST_INSERT_HEAD(list, watch, of_job);
        LIST_INSERT_HEAD(&session->watches, watch, of_session);
        *ret_watch = watch;
        return 0;
}

Watch *watch_free(Watch *watch) {
        if (!watch)
                return NULL;
        LIST_REMOVE(watch, of_job);
        LIST_REMOVE(watch, of_session);
        free(watch);
        return NULL;
}

Watch *watch_find(Session *session, uint64_t id) {
        Watch *watch;

        LIST_FOREACH(watch, &session->watches, of_session) {
                if (watch->id == id)
                        return watch;
        }
        return NULL;
}

void watches_tell(WatchList *list, Benchd__Reply *reply) {
        Watch *watch;

        LIST_FOREACH(watch, list, of_job) {
                session_reply(watch->session, watch->id, false, reply);
        }
}

void watches_tell_benchmark(WatchList *list, Benchd__Reply *reply) {
        Watch *watch;

        LIST_FOREACH(watch, list, of_job) {
                if (!watch->waits)
                        session_reply(watch->session, watch->id, false, reply);
        }
}

/* What no history holds comes from the record, as far as the connection takes it. */
static void watch_replay_record(Watch *watch, const JobRecord *record) {
        for (size_t i = 0; i < record->n_benchmarks; i++) {
                Benchd__Reply reply = BENCHD__REPLY__INIT;

                reply.benchmark = benchd__benchmark_result__unpack(NULL, record->benchmarks[i].n,
                                record->benchmarks[i].data);
                if (!reply.benchmark)
                        continue;
                session_reply(watch->session, watch->id, false, &reply);
                benchd__benchmark_result__free_unpacked(reply.benchmark, NULL);
        }
}

static void watch_end(Watch *watch, const JobRecord *record, Benchd__Reply *reply) {
        if (watch->waits && reply->result) {
                if (record->in_history && replay_start(watch->session, watch->id, record->run_id) == 0)
                        return;
                watch_replay_record(watch, record);
        }
        session_reply(watch->session, watch->id, true, reply);
}

void watches_end(WatchList *list, const JobRecord *record, Benchd__Reply *reply) {
        Watch *watch;

        while ((watch = LIST_FIRST(list))) {
                watch_end(watch, record, reply);
                watch_free(watch);
        }
}
