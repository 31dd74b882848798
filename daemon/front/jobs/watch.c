/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/jobs/watch.h"

#include <stdlib.h>

#include "front/base/arena.h"
#include "front/base/log.h"
#include "front/base/message.h"
#include "front/base/reply-error.h"
#include "front/history/history.h"
#include "front/history/job-record.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/time.h"

/* ---- ids */

void watch_client_open(WatchClient *client, WatchRequest *open, uint64_t id) {
        open->id = id;
        LIST_INSERT_HEAD(&client->open, open, of_client);
}

void watch_client_close(WatchRequest *open) {
        if (open->id == 0)
                return;
        LIST_REMOVE(open, of_client);
        open->id = 0;
}

bool watch_client_has_open(const WatchClient *client, uint64_t id) {
        const WatchRequest *open;

        LIST_FOREACH(open, &client->open, of_client) {
                if (open->id == id)
                        return true;
        }
        return false;
}

/* ---- watches */

int watches_add(Watches *watches, Job *job, WatchClient *client, uint64_t id, Watch **ret_watch) {
        Watch *watch;

        watch = calloc(1, sizeof *watch);
        if (!watch)
                return error_origin(-ENOMEM);
        *watch = (Watch){ .job = job, .record = watches->record, .client = client };
        LIST_INSERT_HEAD(&watches->list, watch, of_job);
        LIST_INSERT_HEAD(&client->watches, watch, of_client);
        watch_client_open(client, &watch->open, id);
        *ret_watch = watch;
        return 0;
}

Watch *watch_free(Watch *watch) {
        if (!watch)
                return NULL;
        LIST_REMOVE(watch, of_job);
        LIST_REMOVE(watch, of_client);
        watch_client_close(&watch->open);
        free(watch);
        return NULL;
}

Watch *watch_find(const WatchClient *client, uint64_t id) {
        Watch *watch;

        LIST_FOREACH(watch, &client->watches, of_client) {
                if (watch->open.id == id)
                        return watch;
        }
        return NULL;
}

/* ---- replies */

/* A reply that says that a job is known, or how it ended, is true once the disk has it. */
static uint64_t watch_ticket(const Watch *watch, const Benchd__Reply *reply) {
        const JobRecord *record = watch->record;

        if (!record || !record->in_history || (!reply->accepted && !reply->result && !reply->error))
                return 0;
        return history_ticket(record->history, record->run_id);
}

static void watch_send(const Watch *watch, bool last, Benchd__Reply *reply) {
        watch->client->tell(watch->client->userdata, watch_ticket(watch, reply), watch->open.id, last, reply);
}

void watch_tell(const Watch *watch, Benchd__Reply *reply) {
        watch_send(watch, false, reply);
}

void watches_tell(const Watches *watches, Benchd__Reply *reply) {
        const Watch *watch;

        LIST_FOREACH(watch, &watches->list, of_job) {
                watch_send(watch, false, reply);
        }
}

/* ---- accepted */

static Benchd__Accepted accepted_of(const JobRecord *record) {
        Benchd__Accepted accepted = BENCHD__ACCEPTED__INIT;

        accepted.run_id = (char *)record->run_id;
        message_set(&accepted, stored, job_record_is_stored(record));
        return accepted;
}

void watch_tell_accepted(const Watch *watch) {
        Benchd__Accepted accepted = accepted_of(watch->record);
        Benchd__Reply reply = BENCHD__REPLY__INIT;

        reply.accepted = &accepted;
        watch_tell(watch, &reply);
}

static void record_log(const JobRecord *record, LogMessage message, const char *detail) {
        if (record && record->accepted)
                log_say(message, &(LogSubject){ .job = record->run_id, .uid = record->uid }, "%s", detail);
}

void watches_accept(Watches *watches, const SealedModule *module, bool ends) {
        Benchd__Reply reply = BENCHD__REPLY__INIT;
        Benchd__Accepted accepted;

        job_record_accept(watches->record, module);
        accepted = accepted_of(watches->record);
        reply.accepted = &accepted;
        record_log(watches->record, LOG_JOB_ACCEPTED, watches->record->module_name);
        if (ends)
                watches_end(watches, &reply);
        else
                watches_tell(watches, &reply);
}

/* ---- results */

/* Once behind, a watch stays behind, or benchmarks would arrive out of order. */
static bool watch_falls_behind(const Watch *watch) {
        return watch->behind ||
               (watch->record->in_history && !watch->record->dropped && watch->client->lags(watch->client->userdata));
}

int watches_tell_benchmark(const Watches *watches, Benchd__Reply *reply) {
        Watch *watch;
        int r;

        r = job_record_add(watches->record, reply->benchmark);
        if (r)
                return error_trace(r);
        LIST_FOREACH(watch, &watches->list, of_job) {
                if (watch->waits)
                        continue;
                watch->behind = watch_falls_behind(watch);
                if (watch->behind)
                        continue;
                watch->n_told++;
                watch_send(watch, false, reply);
        }
        return 0;
}

/* The record was dropped while the client lagged: the rest of the benchmarks is lost. */
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
static void watch_replay_record(const Watch *watch) {
        const JobRecord *record = watch->record;

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

static void watch_end(const Watch *watch, Benchd__Reply *reply) {
        const JobRecord *record = watch->record;
        const WatchClient *client = watch->client;

        if (watch->behind && reply->result && record->dropped) {
                watch_complain_of_room(watch);
                return;
        }
        if ((watch->waits || watch->behind) && reply->result) {
                if (record->in_history &&
                                client->replay(client->userdata, watch->open.id, record->run_id, watch->n_told) == 0)
                        return;
                watch_replay_record(watch);
        }
        watch_send(watch, true, reply);
}

void watches_end(Watches *watches, Benchd__Reply *reply) {
        Watch *watch;

        while ((watch = LIST_FIRST(&watches->list))) {
                watch_end(watch, reply);
                watch_free(watch);
        }
}

void watches_end_error(Watches *watches, const ReplyError *why) {
        _cleanup_(arena_freep) Arena *arena = NULL;
        Benchd__Reply reply = BENCHD__REPLY__INIT;
        Benchd__Error error = BENCHD__ERROR__INIT;

        if (arena_new(&arena))
                return;
        reply_error_fill_error(why, arena, &error);
        reply.error = &error;
        if (watches->record)
                (void)job_record_end_error(watches->record, &error, time_realtime_ns());
        record_log(watches->record, LOG_JOB_ENDED, why->message);
        watches_end(watches, &reply);
}

int watches_end_result(Watches *watches, Arena *arena, Benchd__RunResult *result, bool cancelled) {
        Benchd__Reply reply = BENCHD__REPLY__INIT;
        int r;

        r = job_record_end_result(watches->record, arena, result, cancelled, time_realtime_ns());
        if (r)
                return error_trace(r);
        record_log(watches->record, LOG_JOB_ENDED, cancelled ? "cancelled" : "with a result");
        reply.result = result;
        watches_end(watches, &reply);
        return 0;
}
