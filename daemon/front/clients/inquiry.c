/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/clients/inquiry.h"

#include <string.h>

#include "front/base/arena.h"
#include "front/base/message.h"
#include "front/clients/match.h"
#include "front/clients/replay.h"
#include "front/clients/session.h"
#include "front/daemon.h"
#include "front/history/history.h"
#include "front/jobs/job-reply.h"
#include "front/jobs/job.h"
#include "front/jobs/watch.h"
#include "proto/benchd.pb-c.h"

#define INQUIRY_GLOB_MAX 255u

/* ---- which job is meant */

/* Finds the job that a request names, or complains. */
static bool inquiry_find(Session *session, uint64_t id, const char *text, bool changes,
                char ret_run_id[static RUN_ID_BYTES]) {
        ReplyError why;

        if (match_job(session, text, changes, ret_run_id, &why) == 0)
                return true;
        session_complain(session, id, &why);
        return false;
}

static void inquiry_fault(Session *session, uint64_t id) {
        ReplyError why;

        reply_error_set(&why, BENCHD__ERROR__CODE__INTERNAL, "The daemon has no memory for this.");
        session_complain(session, id, &why);
}

/* ---- results */

/* The first reply to who waits for a job that is over already. */
static void inquiry_accept(Session *session, uint64_t id, char *run_id) {
        Benchd__Reply reply = BENCHD__REPLY__INIT;
        Benchd__Accepted accepted = BENCHD__ACCEPTED__INIT;

        accepted.run_id = run_id;
        message_set(&accepted, stored, history_is_kept(session->daemon->history));
        reply.accepted = &accepted;
        session_reply(session, id, false, &reply);
}

static void inquiry_replay(Session *session, uint64_t id, const char *run_id) {
        if (replay_start(session, id, run_id))
                inquiry_fault(session, id);
}

void inquiry_wait(Session *session, const Benchd__Request *request) {
        char run_id[RUN_ID_BYTES];
        Job *job;

        if (!inquiry_find(session, request->id, request->wait->run_id, false, run_id))
                return;
        job = daemon_find_job(session->daemon, run_id);
        if (!job) {
                inquiry_accept(session, request->id, run_id);
                inquiry_replay(session, request->id, run_id);
        } else if (job_reply_follow(job, session, request->id)) {
                inquiry_fault(session, request->id);
        }
}

void inquiry_show(Session *session, const Benchd__Request *request) {
        char run_id[RUN_ID_BYTES];
        ReplyError why;

        if (!inquiry_find(session, request->id, request->show->run_id, false, run_id))
                return;
        if (!daemon_find_job(session->daemon, run_id)) {
                inquiry_replay(session, request->id, run_id);
                return;
        }
        reply_error_set(&why, BENCHD__ERROR__CODE__NOT_DONE, "Job %s is not over yet.", run_id);
        reply_error_hint(&why, "benchctl wait %s follows it.", run_id);
        session_complain(session, request->id, &why);
}

/* ---- lists */

/* Checks what a request for the history holds. Returns whether it complained. */
static bool inquiry_refuse_history(Session *session, uint64_t id, const Benchd__HistoryRequest *request) {
        ReplyError why;

        if (request->has_limit && (request->limit < 1 || request->limit > HISTORY_ENTRIES_MAX))
                reply_error_set(&why, BENCHD__ERROR__CODE__BAD_REQUEST, "limit is %u, not from 1 to %u.",
                                request->limit, HISTORY_ENTRIES_MAX);
        else if (request->module_glob && strlen(request->module_glob) > INQUIRY_GLOB_MAX)
                reply_error_set(&why, BENCHD__ERROR__CODE__BAD_REQUEST, "module_glob is longer than %u bytes.",
                                INQUIRY_GLOB_MAX);
        else if (request->has_state &&
                        !protobuf_c_enum_descriptor_get_value(&benchd__job_state__descriptor, request->state))
                reply_error_set(&why, BENCHD__ERROR__CODE__BAD_REQUEST, "There is no state %d.", request->state);
        else if (request->has_all_users && request->all_users && !match_viewer(session, false).all)
                reply_error_set(&why, BENCHD__ERROR__CODE__DENIED,
                                "The jobs of other users are not shown on this machine.");
        else
                return false;
        session_complain(session, id, &why);
        return true;
}

/* What has no end and is not under way could not be stored. */
static void history_mark_lost(const Daemon *daemon, Benchd__History *history) {
        for (size_t i = 0; i < history->n_entries; i++) {
                Benchd__HistoryEntry *entry = history->entries[i];

                if ((entry->state == BENCHD__JOB_STATE__JOB_QUEUED || entry->state == BENCHD__JOB_STATE__JOB_RUNNING) &&
                                !daemon_find_job(daemon, entry->run_id))
                        entry->state = BENCHD__JOB_STATE__JOB_LOST;
        }
}

void inquiry_history(Session *session, const Benchd__Request *request) {
        const Viewer viewer = { .uid = session->uid,
                .all = request->history->has_all_users && request->history->all_users };
        History *history = session->daemon->history;
        _cleanup_(arena_freep) Arena *arena = NULL;
        Benchd__Reply reply = BENCHD__REPLY__INIT;
        ReplyError why;
        int r;

        if (inquiry_refuse_history(session, request->id, request->history))
                return;
        r = arena_new(&arena);
        if (r == 0)
                r = history_list(history, request->history, viewer, arena, &reply.history);
        if (r < 0) {
                inquiry_fault(session, request->id);
        } else if (r > 0) {
                reply_error_set(&why, BENCHD__ERROR__CODE__INTERNAL, "The history cannot be read: %s.",
                                history_words(history));
                session_complain(session, request->id, &why);
        } else {
                history_mark_lost(session->daemon, reply.history);
                session_reply(session, request->id, true, &reply);
        }
}

/* ---- changes */

void inquiry_pin(Session *session, const Benchd__Request *request) {
        Daemon *daemon = session->daemon;
        const bool pinned = request->pin->has_pinned && request->pin->pinned;
        Benchd__Reply reply = BENCHD__REPLY__INIT;
        Benchd__PinReply pin = BENCHD__PIN_REPLY__INIT;
        char run_id[RUN_ID_BYTES];
        ReplyError why;
        bool stored;

        if (!inquiry_find(session, request->id, request->pin->run_id, true, run_id))
                return;
        if (history_pin(daemon->history, run_id, pinned, &stored)) {
                reply_error_set(&why, BENCHD__ERROR__CODE__INTERNAL, "The job could not be marked: %s.",
                                history_words(daemon->history));
                session_complain(session, request->id, &why);
                return;
        }
        message_set(&pin, pinned, pinned);
        message_set(&pin, stored, stored);
        reply.pin = &pin;
        session_reply(session, request->id, true, &reply);
}

static void reply_cancel(Session *session, uint64_t id, bool found) {
        Benchd__Reply reply = BENCHD__REPLY__INIT;
        Benchd__CancelReply cancel = BENCHD__CANCEL_REPLY__INIT;

        message_set(&cancel, found, found);
        reply.cancel = &cancel;
        session_reply(session, id, true, &reply);
}

/* A request that waits is no longer answered; its job goes on. */
static void inquiry_stop_waiting(Session *session, uint64_t id) {
        Watch *watch = watch_find(session, id);
        Replay *replay = replay_find(session, id);
        ReplyError why;

        reply_error_set(&why, BENCHD__ERROR__CODE__CANCELLED, "Waiting for the job was cancelled; it was not.");
        session_complain(session, id, &why);
        watch_free(watch);
        replay_free(replay);
}

static void inquiry_cancel_request(Session *session, uint64_t id, uint64_t which) {
        const Watch *watch = watch_find(session, which);
        const bool waits = watch ? watch->waits : replay_find(session, which) != NULL;

        reply_cancel(session, id, watch || waits);
        if (waits)
                inquiry_stop_waiting(session, which);
        else if (watch)
                job_cancel(watch->job);
}

void inquiry_cancel(Session *session, const Benchd__Request *request) {
        const Benchd__CancelRequest *cancel = request->cancel;
        char run_id[RUN_ID_BYTES];
        ReplyError why;
        Job *job;

        if (cancel->has_request_id == (cancel->run_id != NULL)) {
                reply_error_set(&why, BENCHD__ERROR__CODE__BAD_REQUEST,
                                "What is cancelled is named by request_id or by run_id, one of the two.");
                session_complain(session, request->id, &why);
        } else if (!cancel->run_id) {
                inquiry_cancel_request(session, request->id, cancel->request_id);
        } else if (inquiry_find(session, request->id, cancel->run_id, true, run_id)) {
                job = daemon_find_job(session->daemon, run_id);
                reply_cancel(session, request->id, job != NULL);
                if (job)
                        job_cancel(job);
        }
}
