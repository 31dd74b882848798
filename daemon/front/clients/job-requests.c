/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/clients/job-requests.h"

#include <stdlib.h>
#include <string.h>
#include <systemd/sd-event.h>

#include "front/base/arena.h"
#include "front/base/config.h"
#include "front/base/message.h"
#include "front/base/slices.h"
#include "front/base/turns.h"
#include "front/clients/clients.h"
#include "front/clients/replay.h"
#include "front/clients/request.h"
#include "front/clients/session.h"
#include "front/history/database.h"
#include "front/history/history.h"
#include "front/history/job-list.h"
#include "front/history/job-record.h"
#include "front/history/module-recall.h"
#include "front/history/retention.h"
#include "front/jobs/job-modules.h"
#include "front/jobs/job.h"
#include "front/jobs/jobs.h"
#include "front/jobs/standing.h"
#include "front/jobs/watch.h"
#include "proto/benchd.pb-c.h"
#include "util/error.h"
#include "util/glob.h"
#include "util/time.h"

#define JOB_DIGITS_MIN    4u
#define MODULE_GLOB_MAX   255u
#define LATER_ANSWERS_MAX 16u /* requests of a connection that are answered later */

/* ---- which job is meant */

static bool may(const Session *session, AccessVerb verb) {
        const Clients *clients = session->clients;

        return (session->granted & 1u << verb) || access_allows(&clients->access, verb, session->client.uid,
                                                                  session->client.fd, clients->services->machine);
}

/* The jobs that the user of @session may see, or with @changes change. */
static HistoryViewer viewer_of(const Session *session, bool changes) {
        return (HistoryViewer){ .uid = session->client.uid,
                .all = may(session, changes ? ACCESS_CANCEL : ACCESS_HISTORY) };
}

bool job_requests_may_see(const Session *session, uid_t uid) {
        const HistoryViewer viewer = viewer_of(session, false);

        return viewer.all || viewer.uid == uid;
}

/* Notes that a job is meant; the same one twice is one. */
static int match_add(char match[static RUN_ID_BYTES], const char *run_id) {
        if (match[0] && strcmp(match, run_id) != 0)
                return HISTORY_E_AMBIGUOUS;
        strcpy(match, run_id);
        return 0;
}

/* The job that @prefix means. Returns 0 or HISTORY_E_*. */
static int match_prefix(const JobServices *services, const char *prefix, HistoryViewer viewer,
                char ret_run_id[static RUN_ID_BYTES]) {
        char match[RUN_ID_BYTES] = "", found[RUN_ID_BYTES];
        int r = 0;

        for (const Job *job = TAILQ_FIRST(&services->jobs); r == 0 && job; job = job_next(job)) {
                const JobView view = job_view(job);

                if (view.record && (viewer.all || view.uid == viewer.uid) &&
                                strncmp(view.record->run_id, prefix, strlen(prefix)) == 0)
                        r = match_add(match, view.record->run_id);
        }
        if (r)
                return r;
        r = history_find(services->history, prefix, viewer, found);
        if (r == 0)
                r = match_add(match, found);
        if (r == 0 || (r == HISTORY_E_NOT_FOUND && match[0]))
                strcpy(ret_run_id, match);
        return r == HISTORY_E_NOT_FOUND && match[0] ? 0 : r;
}

static bool is_run_id(const char *text) {
        size_t n = strlen(text);

        return n >= JOB_DIGITS_MIN && n < RUN_ID_BYTES && strspn(text, "0123456789abcdef") == n;
}

/* Finds the job that @text (NULL: absent) of a request names. Returns 0 or JOB_E_BAD. */
static int match_job(const Session *session, const char *text, bool changes, char ret_run_id[static RUN_ID_BYTES],
                ReplyError *ret_why) {
        const JobServices *services = session->clients->services;
        int r;

        if (!text || !is_run_id(text)) {
                reply_error_bad(ret_why, "run_id is not 4 to 32 hexadecimal digits in lower case.");
                return JOB_E_BAD;
        }
        r = match_prefix(services, text, viewer_of(session, changes), ret_run_id);
        if (r == 0)
                return 0;
        if (r == HISTORY_E_AMBIGUOUS) {
                reply_error_set(ret_why, BENCHD__ERROR__CODE__NOT_FOUND, "Several jobs begin with %s.", text);
                reply_error_hint(ret_why, "Give more digits of the id.");
        } else if (r == HISTORY_E_NOT_FOUND) {
                reply_error_set(ret_why, BENCHD__ERROR__CODE__NOT_FOUND, "No job of yours begins with %s.", text);
                access_hint_others(changes ? ACCESS_CANCEL : ACCESS_HISTORY, ret_why);
        } else {
                reply_error_set(ret_why, BENCHD__ERROR__CODE__INTERNAL, "The history cannot be read: %s.",
                                history_words(services->history));
        }
        return JOB_E_BAD;
}

bool job_requests_reach_others(const Session *session, const Benchd__Request *request) {
        const HistoryViewer own = { .uid = session->client.uid };
        const char *text = request_run_id(request);
        char run_id[RUN_ID_BYTES];

        if (request->history)
                return request->history->all_users;
        return text && is_run_id(text) &&
               match_prefix(session->clients->services, text, own, run_id) == HISTORY_E_NOT_FOUND;
}

/* Finds the job that a request names, or complains. */
static bool find_or_complain(Session *session, uint64_t id, const char *text, bool changes,
                char ret_run_id[static RUN_ID_BYTES]) {
        ReplyError why;

        if (match_job(session, text, changes, ret_run_id, &why) == 0)
                return true;
        session_complain(session, id, &why);
        return false;
}

static void complain_of_memory(Session *session, uint64_t id) {
        ReplyError why;

        reply_error_set(&why, BENCHD__ERROR__CODE__INTERNAL, "The daemon has no memory for this.");
        session_complain(session, id, &why);
}

/* ---- results */

/* The first reply to a wait for a job that is already over. */
static void accept_ended(Session *session, uint64_t id, char *run_id) {
        Benchd__Reply reply = BENCHD__REPLY__INIT;
        Benchd__Accepted accepted = BENCHD__ACCEPTED__INIT;

        accepted.run_id = run_id;
        message_set(&accepted, stored, history_is_kept(session->clients->services->history));
        reply.accepted = &accepted;
        session_reply_after(session, history_ticket(session->clients->services->history, run_id), id, false, &reply);
}

static void replay_or_complain(Session *session, uint64_t id, const char *run_id) {
        if (replay_start(session, id, run_id, 0))
                complain_of_memory(session, id);
}

/* Checks that the connection may have one more request that is answered later. Returns true if it complained. */
static bool has_too_many_requests(Session *session, uint64_t id) {
        const JobHistoryRequest *ask;
        const Watch *watch;
        const Replay *replay;
        ReplyError why;
        size_t n = 0;

        LIST_FOREACH(watch, &session->client.watches, of_client) {
                n++;
        }
        LIST_FOREACH(replay, &session->replays, of_session) {
                n++;
        }
        LIST_FOREACH(ask, &session->history_requests, of_session) {
                n++;
        }
        if (n < LATER_ANSWERS_MAX)
                return false;
        reply_error_set(&why, BENCHD__ERROR__CODE__BUSY, "This connection has %u requests under way.",
                        LATER_ANSWERS_MAX);
        reply_error_hint(&why, "Wait for one of them.");
        session_complain(session, id, &why);
        return true;
}

Job *job_requests_find_running(Session *session, uint64_t id, const char *text) {
        char run_id[RUN_ID_BYTES];
        ReplyError why;
        Job *job;

        if (!find_or_complain(session, id, text, true, run_id))
                return NULL;
        job = jobs_find(session->clients->services, run_id);
        if (job)
                return job;
        reply_error_set(&why, BENCHD__ERROR__CODE__NOT_FOUND, "Job %s is over.", run_id);
        session_complain(session, id, &why);
        return NULL;
}

void job_requests_wait(Session *session, const Benchd__Request *request) {
        char run_id[RUN_ID_BYTES];
        Job *job;

        if (has_too_many_requests(session, request->id) ||
                        !find_or_complain(session, request->id, request->wait->run_id, false, run_id))
                return;
        job = jobs_find(session->clients->services, run_id);
        if (!job) {
                accept_ended(session, request->id, run_id);
                replay_or_complain(session, request->id, run_id);
        } else if (job_follow(job, &session->client, request->id)) {
                complain_of_memory(session, request->id);
        }
}

void job_requests_show(Session *session, const Benchd__Request *request) {
        char run_id[RUN_ID_BYTES];
        ReplyError why;

        if (has_too_many_requests(session, request->id) ||
                        !find_or_complain(session, request->id, request->show->run_id, false, run_id))
                return;
        if (!jobs_find(session->clients->services, run_id)) {
                replay_or_complain(session, request->id, run_id);
                return;
        }
        reply_error_set(&why, BENCHD__ERROR__CODE__NOT_DONE, "Job %s is not over yet.", run_id);
        reply_error_hint(&why, "'benchctl wait %s' waits for it.", run_id);
        session_complain(session, request->id, &why);
}

/* ---- lists */

/* Checks a request for the history. Returns true if it complained. */
static bool history_is_refused(Session *session, uint64_t id, const Benchd__HistoryRequest *request) {
        const int glob = request->module_glob ? glob_check(request->module_glob) : 0;
        ReplyError why;

        if (request->has_limit && (request->limit < 1 || request->limit > HISTORY_ENTRIES_MAX))
                reply_error_bad(&why, "limit is %u, not from 1 to %u.", request->limit, HISTORY_ENTRIES_MAX);
        else if (request->module_glob && strlen(request->module_glob) > MODULE_GLOB_MAX)
                reply_error_bad(&why, "module_glob is longer than %u bytes.", MODULE_GLOB_MAX);
        else if (glob > 0)
                reply_error_bad(&why, "module_glob, '%s', %s.", request->module_glob, glob_outcome_words(glob));
        else if (request->has_state &&
                        !protobuf_c_enum_descriptor_get_value(&benchd__job_state__descriptor, request->state))
                reply_error_bad(&why, "There is no state %d.", request->state);
        else
                return false;
        session_complain(session, id, &why);
        return true;
}

/* Adds the standing of jobs under way. A job without an end that is not under way could not be stored. */
static void history_mark_standing(const JobServices *services, Arena *arena, Benchd__History *history) {
        const uint64_t now_ns = time_monotonic_ns();
        size_t n = 0;

        for (size_t i = 0; i < history->n_entries; i++) {
                Benchd__HistoryEntry *entry = history->entries[i];
                const Job *job;
                JobView view;

                if (entry->state != BENCHD__JOB_STATE__JOB_QUEUED && entry->state != BENCHD__JOB_STATE__JOB_RUNNING)
                        continue;
                job = jobs_find(services, entry->run_id);
                if (!job)
                        entry->state = BENCHD__JOB_STATE__JOB_LOST;
                if (!job || n++ >= STANDING_MAX)
                        continue;
                view = job_view(job);
                entry->standing = view.due_ns > 0 ? standing_of_rest(view.due_ns, now_ns, arena)
                                                  : standing_of_place(&services->queue, view.place, now_ns, arena);
        }
}

/* The jobs of the viewer, or of all users, that were removed by their age or for room. */
static void history_tell_removed(const Session *session, HistoryViewer viewer, Benchd__History *list) {
        Retention *retention = session->clients->services->retention;
        uint64_t jobs, until_unix_ns;
        RetentionUse use;

        if (viewer.all) {
                jobs = retention_count_removed(retention, &until_unix_ns);
        } else {
                retention_read_use(retention, viewer.uid, &use);
                jobs = use.removed_jobs;
                until_unix_ns = use.removed_until_unix_ns;
        }
        message_set(list, removed_jobs, jobs);
        if (jobs > 0)
                message_set(list, removed_until_unix_ns, until_unix_ns);
}

static void history_complain_unreadable(Session *session, uint64_t id) {
        ReplyError why;

        reply_error_set(&why, BENCHD__ERROR__CODE__INTERNAL, "The history cannot be read: %s.",
                        history_words(session->clients->services->history));
        session_complain(session, id, &why);
}

static void history_reply(const JobHistoryRequest *ask) {
        Session *session = ask->session;
        Benchd__Reply reply = BENCHD__REPLY__INIT;
        ArenaList warnings = {};

        reply.history = job_list_entries(ask->list);
        history_tell_removed(session, ask->viewer, reply.history);
        history_mark_standing(session->clients->services, job_list_arena(ask->list), reply.history);
        history_warn(session->clients->services->history, job_list_arena(ask->list), &warnings);
        reply.history->warnings = warnings.texts;
        reply.history->n_warnings = warnings.n;
        session_reply(session, ask->open.id, true, &reply);
}

static int history_on_slice(sd_event_source *source, uint64_t usec, void *userdata) {
        JobHistoryRequest *ask = userdata;
        Session *session = ask->session;
        int r;

        turns_note(session->clients->services->turns, TURN_HISTORY, session->client.uid);
        r = session->broken ? 0 : job_list_step(ask->list, NULL);
        if (r == JOB_LIST_E_MORE) {
                r = slices_again(source, turns_priority(session->clients->services->turns, session->client.uid));
                if (r == 0)
                        return 0;
        }
        if (r < 0)
                complain_of_memory(session, ask->open.id);
        else if (r > 0)
                history_complain_unreadable(session, ask->open.id);
        else
                history_reply(ask);
        job_history_request_free(ask);
        return 0;
}

static int history_start(Session *session, const Benchd__Request *request) {
        const JobServices *services = session->clients->services;
        JobHistoryRequest *ask;
        int r;

        ask = calloc(1, sizeof *ask);
        if (!ask)
                return error_origin(-ENOMEM);
        *ask = (JobHistoryRequest){
                .session = session,
                .viewer = { .uid = session->client.uid,
                                .all = request->history->has_all_users && request->history->all_users },
        };
        LIST_INSERT_HEAD(&session->history_requests, ask, of_session);
        watch_client_open(&session->client, &ask->open, request->id);
        r = job_list_new(services->history, request->history, &ask->viewer, &ask->list);
        if (r == 0)
                r = slices_start(services->event, turns_priority(services->turns, session->client.uid),
                                history_on_slice, ask, &ask->slices);
        if (r)
                job_history_request_free(ask);
        return error_trace(r);
}

void job_requests_history(Session *session, const Benchd__Request *request) {
        if (has_too_many_requests(session, request->id) || history_is_refused(session, request->id, request->history))
                return;
        if (history_start(session, request))
                complain_of_memory(session, request->id);
}

JobHistoryRequest *job_history_request_free(JobHistoryRequest *ask) {
        if (!ask)
                return NULL;
        LIST_REMOVE(ask, of_session);
        watch_client_close(&ask->open);
        sd_event_source_disable_unref(ask->slices);
        job_list_free(ask->list);
        free(ask);
        return NULL;
}

/* ---- changes */

static void complain_of_pin(Session *session, uint64_t id, int r, const char *words) {
        ReplyError why;

        if (r == RETENTION_E_FULL) {
                reply_error_set(&why, BENCHD__ERROR__CODE__BUSY, "The job is not pinned: %s.", words);
                reply_error_hint(&why,
                                "Unpin another job. Pins may take half of the quota ([history] of benchd.conf).");
        } else {
                reply_error_set(&why, BENCHD__ERROR__CODE__INTERNAL, "The job could not be marked: %s.",
                                history_words(session->clients->services->history));
        }
        session_complain(session, id, &why);
}

void job_requests_pin(Session *session, const Benchd__Request *request) {
        Retention *retention = session->clients->services->retention;
        const bool pinned = request->pin->has_pinned && request->pin->pinned;
        Benchd__Reply reply = BENCHD__REPLY__INIT;
        Benchd__PinReply pin = BENCHD__PIN_REPLY__INIT;
        char run_id[RUN_ID_BYTES], words[RETENTION_WORDS_MAX];
        bool stored;
        int r;

        if (!find_or_complain(session, request->id, request->pin->run_id, true, run_id))
                return;
        r = retention_pin(retention, run_id, pinned, time_realtime_ns(), &stored, words);
        if (r) {
                complain_of_pin(session, request->id, r, words);
                return;
        }
        message_set(&pin, pinned, pinned);
        message_set(&pin, stored, stored);
        reply.pin = &pin;
        session_reply_after(session, history_last_ticket(session->clients->services->history), request->id, true,
                        &reply);
}

static void reply_cancel(Session *session, uint64_t id, bool found) {
        Benchd__Reply reply = BENCHD__REPLY__INIT;
        Benchd__CancelReply cancel = BENCHD__CANCEL_REPLY__INIT;

        message_set(&cancel, found, found);
        reply.cancel = &cancel;
        session_reply(session, id, true, &reply);
}

static JobHistoryRequest *job_history_request_find(Session *session, uint64_t id) {
        JobHistoryRequest *ask;

        LIST_FOREACH(ask, &session->history_requests, of_session) {
                if (ask->open.id == id)
                        return ask;
        }
        return NULL;
}

/* A list that is being made is not sent. */
static void stop_history(Session *session, JobHistoryRequest *ask) {
        ReplyError why;

        reply_error_set(&why, BENCHD__ERROR__CODE__CANCELLED, "The list of jobs was cancelled.");
        session_complain(session, ask->open.id, &why);
        job_history_request_free(ask);
}

/* A waiting request is no longer answered; its job goes on. */
static void stop_waiting(Session *session, uint64_t id) {
        Watch *watch = watch_find(&session->client, id);
        Replay *replay = replay_find(session, id);
        ReplyError why;

        reply_error_set(&why, BENCHD__ERROR__CODE__CANCELLED, "Waiting for the job was cancelled; the job goes on.");
        session_complain(session, id, &why);
        watch_free(watch);
        replay_free(replay);
}

static void cancel_request(Session *session, uint64_t id, uint64_t which) {
        const Watch *watch = watch_find(&session->client, which);
        const bool waits = watch ? watch->waits : replay_find(session, which) != NULL;
        JobHistoryRequest *ask = job_history_request_find(session, which);

        reply_cancel(session, id, watch || waits || ask);
        if (ask)
                stop_history(session, ask);
        else if (waits)
                stop_waiting(session, which);
        else if (watch)
                job_cancel(watch->job);
}

void job_requests_cancel(Session *session, const Benchd__Request *request) {
        const Benchd__CancelRequest *cancel = request->cancel;
        char run_id[RUN_ID_BYTES];
        ReplyError why;
        Job *job;

        if (cancel->has_request_id == (cancel->run_id != NULL)) {
                reply_error_bad(&why, "Give exactly one of request_id and run_id.");
                session_complain(session, request->id, &why);
        } else if (!cancel->run_id) {
                cancel_request(session, request->id, cancel->request_id);
        } else if (find_or_complain(session, request->id, cancel->run_id, true, run_id)) {
                job = jobs_find(session->clients->services, run_id);
                reply_cancel(session, request->id, job != NULL);
                if (job)
                        job_cancel(job);
        }
}

/* ---- measured again */

static int refuse_job(const char *run_id, Benchd__Error__Code code, const char *why, const char *hint,
                ReplyError *ret_why) {
        reply_error_set(ret_why, code, "Job %s %s.", run_id, why);
        reply_error_hint(ret_why, "%s", hint);
        return JOB_E_BAD;
}

static int refuse_without_result(const char *run_id, Benchd__JobState state, ReplyError *ret_why) {
        const bool ended = state == BENCHD__JOB_STATE__JOB_FAILED || state == BENCHD__JOB_STATE__JOB_CANCELLED;

        return refuse_job(run_id, ended ? BENCHD__ERROR__CODE__NOT_FOUND : BENCHD__ERROR__CODE__LOST,
                        ended ? "ended without a result, so no module of it is known"
                              : "is lost: the daemon ended before it did",
                        "Name the file of its module.", ret_why);
}

/* The result of a job that is over. Returns 0, JOB_E_BAD, or a negative errno. */
static int read_earlier(History *database, const char *run_id, uid_t uid, Benchd__RunResult **ret_result,
                ReplyError *ret_why) {
        HistoryJob job;
        int r;

        r = history_read(database, run_id, &job);
        if (r == 0 && uid != 0 && job.uid != uid)
                return refuse_job(run_id, BENCHD__ERROR__CODE__DENIED,
                                "is another user's: its result may be seen, but its module not be run", "", ret_why);
        if (r == 0)
                r = history_read_result(database, &job, ret_result);
        if (r == HISTORY_E_NOT_FOUND)
                return refuse_without_result(run_id, job.state, ret_why);
        if (r == 0)
                return 0;
        reply_error_set(ret_why, BENCHD__ERROR__CODE__INTERNAL, "The history of job %s cannot be read.", run_id);
        return JOB_E_BAD;
}

/* Recalls the module that the job of @run_id measured. Returns 0, JOB_E_BAD, or a negative errno. */
static int recall_one(const Session *session, const char *run_id, ModuleRecall **ret_recall, ReplyError *ret_why) {
        const JobServices *services = session->clients->services;
        char found[RUN_ID_BYTES];
        Benchd__RunResult *earlier;
        int r;

        if (!services->module_store) {
                reply_error_set(ret_why, BENCHD__ERROR__CODE__UNSUPPORTED,
                                "This daemon keeps no modules, so none of an earlier job can be measured again.");
                reply_error_hint(ret_why, "Name the file of the module.");
                return JOB_E_BAD;
        }
        r = match_job(session, run_id, false, found, ret_why);
        if (r)
                return r;
        if (jobs_find(services, found))
                return refuse_job(found, BENCHD__ERROR__CODE__NOT_DONE, "is not over yet",
                                "'benchctl wait' waits for it.", ret_why);
        r = read_earlier(services->history, found, session->client.uid, &earlier, ret_why);
        if (r)
                return r;
        r = module_recall_new_of(services->module_store, session->client.uid, earlier, time_realtime_ns(), ret_recall,
                        ret_why);
        return r > 0 ? (int)JOB_E_BAD : error_trace(r);
}

int job_requests_measure_again(Session *session, JobInput *input, ReplyError *ret_why) {
        int r = 0;

        for (size_t i = 0; r == 0 && i < input->n_sides; i++)
                if (input->wants[i].run_id)
                        r = recall_one(session, input->wants[i].run_id, &input->recalls[i], ret_why);
        if (r == 0)
                r = job_new(session->clients->services, &session->client, input, ret_why);
        for (size_t i = 0; i < input->n_sides; i++)
                module_recall_free(input->recalls[i]);
        return r;
}
