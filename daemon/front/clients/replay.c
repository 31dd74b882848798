/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/clients/replay.h"

#include <stdlib.h>
#include <string.h>

#include "front/clients/clients.h"
#include "front/clients/session.h"
#include "front/history/database.h"
#include "front/history/history.h"
#include "front/jobs/job.h"
#include "util/error.h"

static History *replay_history(const Replay *replay) {
        return replay->session->clients->services->history;
}

/* The job may have ended a moment ago. */
static uint64_t replay_ticket(const Replay *replay) {
        return history_ticket(replay_history(replay), replay->run_id);
}

static void replay_complain(const Replay *replay, const ReplyError *why) {
        session_complain(replay->session, replay->open.id, why);
}

/* The history cannot be read: @r is a HISTORY_E_*. */
static void replay_fail(const Replay *replay, int r) {
        ReplyError why;

        reply_error_set(&why, BENCHD__ERROR__CODE__INTERNAL, "The history of job %s cannot be read: %s.",
                        replay->run_id,
                        r == HISTORY_E_FAILED ? history_words(replay_history(replay)) : "the record is damaged");
        replay_complain(replay, &why);
}

static void replay_complain_lost(const Replay *replay) {
        ReplyError why;

        reply_error_set(&why, BENCHD__ERROR__CODE__LOST,
                        "Job %s is lost: the daemon ended before it did, or could not store its result.",
                        replay->run_id);
        reply_error_hint(&why, "Submit it again.");
        replay_complain(replay, &why);
}

static int replay_send_benchmark(Replay *replay, const HistoryJob *job) {
        Benchd__Reply reply = BENCHD__REPLY__INIT;
        int r;

        r = history_read_benchmark(replay_history(replay), job, replay->n_sent, &reply.benchmark);
        if (r)
                return r;
        replay->n_sent++;
        session_reply_after(replay->session, replay_ticket(replay), replay->open.id, false, &reply);
        benchd__benchmark_result__free_unpacked(reply.benchmark, NULL);
        return 0;
}

/* The last reply: a result, or why there is none. */
static int replay_send_end(Replay *replay, const HistoryJob *job) {
        Benchd__Reply reply = BENCHD__REPLY__INIT;
        int r;

        r = history_read_result(replay_history(replay), job, &reply.result);
        if (r == HISTORY_E_NOT_FOUND)
                r = history_read_error(replay_history(replay), job, &reply.error);
        if (r)
                return r;
        session_reply_after(replay->session, replay_ticket(replay), replay->open.id, true, &reply);
        if (reply.result)
                benchd__run_result__free_unpacked(reply.result, NULL);
        if (reply.error)
                benchd__error__free_unpacked(reply.error, NULL);
        return 0;
}

static bool state_has_end(Benchd__JobState state) {
        return state == BENCHD__JOB_STATE__JOB_DONE || state == BENCHD__JOB_STATE__JOB_FAILED ||
               state == BENCHD__JOB_STATE__JOB_CANCELLED;
}

/* Sends as much of an ended job as there is room for. Returns 0 when all was sent, HISTORY_E_*, or -EAGAIN. */
static int replay_send(Replay *replay, const HistoryJob *job) {
        int r;

        while (replay->n_sent < job->n_benchmarks) {
                if (session_is_full(replay->session))
                        return -EAGAIN;
                r = replay_send_benchmark(replay, job);
                if (r)
                        return r;
        }
        return replay_send_end(replay, job);
}

/* Returns true when the last reply was sent. */
static bool replay_continue(Replay *replay) {
        HistoryJob job;
        int r;

        r = history_read(replay_history(replay), replay->run_id, &job);
        if (r == 0 && !state_has_end(job.state)) {
                replay_complain_lost(replay);
                return true;
        }
        if (r == 0)
                r = replay_send(replay, &job);
        if (r > 0)
                replay_fail(replay, r);
        return r >= 0;
}

void replays_continue(Session *session) {
        Replay *replay = LIST_FIRST(&session->replays);

        while (replay && !session->broken) {
                Replay *next = LIST_NEXT(replay, of_session);

                if (replay_continue(replay))
                        replay_free(replay);
                replay = next;
        }
}

int replay_start(Session *session, uint64_t id, const char *run_id, size_t n_told) {
        Replay *replay;

        replay = calloc(1, sizeof *replay);
        if (!replay)
                return error_origin(-ENOMEM);
        replay->session = session;
        replay->n_sent = n_told;
        strcpy(replay->run_id, run_id);
        LIST_INSERT_HEAD(&session->replays, replay, of_session);
        watch_client_open(&session->client, &replay->open, id);
        retention_reader_begin(session->clients->services->retention, &replay->reader, run_id);
        if (replay_continue(replay))
                replay_free(replay);
        return 0;
}

Replay *replay_free(Replay *replay) {
        if (!replay)
                return NULL;
        LIST_REMOVE(replay, of_session);
        watch_client_close(&replay->open);
        retention_reader_end(&replay->reader);
        free(replay);
        return NULL;
}

Replay *replay_find(Session *session, uint64_t id) {
        Replay *replay;

        LIST_FOREACH(replay, &session->replays, of_session) {
                if (replay->open.id == id)
                        return replay;
        }
        return NULL;
}
