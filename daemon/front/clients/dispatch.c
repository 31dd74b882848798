/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/clients/dispatch.h"

#include "front/base/config.h"
#include "front/base/limits.h"
#include "front/base/message.h"
#include "front/base/share.h"
#include "front/base/turns.h"
#include "front/clients/adoption.h"
#include "front/clients/clients.h"
#include "front/clients/job-requests.h"
#include "front/clients/permission.h"
#include "front/clients/replay.h"
#include "front/clients/request.h"
#include "front/clients/session.h"
#include "front/clients/set-governor.h"
#include "front/clients/status.h"
#include "front/jobs/job-modules.h"
#include "front/jobs/job.h"
#include "front/jobs/watch.h"
#include "ops/ops.h"
#include "proto/frame.h"
#include "proto/strict.h"
#include "util/cleanup.h"

#define DISPATCH_VERSION 0u /* of the protocol */

/* ---- answered at once */

/* Says so, and ends the connection: nothing that follows could be understood. */
static void dispatch_refuse_version(Session *session, const Benchd__Request *request) {
        ReplyError why;

        reply_error_set(&why, BENCHD__ERROR__CODE__UNSUPPORTED,
                        "This daemon, benchd " BENCHD_VERSION
                        ", speaks version %u of the protocol, the client version %u.",
                        DISPATCH_VERSION, request->hello->protocol_version);
        reply_error_hint(&why, "Install client and daemon of one release.");
        session->closing = true;
        session_complain(session, request->id, &why);
}

static void dispatch_hello(Session *session, const Benchd__Request *request) {
        Benchd__Reply reply = BENCHD__REPLY__INIT;
        Benchd__HelloReply hello = BENCHD__HELLO_REPLY__INIT;

        if (request->hello->protocol_version != DISPATCH_VERSION) {
                dispatch_refuse_version(session, request);
                return;
        }
        session->greeted = true;
        message_set(&hello, protocol_version, DISPATCH_VERSION);
        message_set(&hello, request_max_bytes, FRAME_REQUEST_MAX);
        message_set(&hello, reply_max_bytes, FRAME_REPLY_MAX);
        message_set(&hello, module_max_bytes, OPS_MODULE_MAX);
        message_set(&hello, libraries_max, RUNNER_LIBRARIES_MAX);
        hello.daemon = (char *)"benchd " BENCHD_VERSION;
        reply.hello = &hello;
        session_reply(session, request->id, true, &reply);
}

/* ---- made a job */

static int dispatch_check_job(const Session *session, const Benchd__Request *request, size_t n_fds,
                ReplyError *ret_why) {
        ModuleRequest wants;

        if (request->run)
                return request_check_modules(request->run, n_fds, ret_why) ||
                       request_check_run(request->run, session->clients->services->config, ret_why);
        if (request->inspect && request_check_inspect(request->inspect, ret_why))
                return REQUEST_E_BAD;
        wants = request->inspect ? request_module_of_inspect(request->inspect) : request_module_of_list(request->list);
        return request_check_module(&wants, n_fds, ret_why);
}

/* Takes a place for a job of @uid. Returns 0, or else with the reason. */
static int dispatch_take_place(const JobServices *services, uid_t uid, ShareHold *ret_place, ReplyError *ret_why) {
        int r;

        r = share_take(services->shares, uid, SHARE_JOBS, 1, ret_place);
        if (r == SHARE_E_USER_FULL || r == SHARE_E_FULL)
                limits_refuse(services->config, LIMIT_JOB, uid, r == SHARE_E_USER_FULL, ret_why);
        else if (r == SHARE_E_UNKNOWN_USER)
                reply_error_set(ret_why, BENCHD__ERROR__CODE__DENIED, "The daemon does not know who is asking.");
        else if (r)
                reply_error_set(ret_why, BENCHD__ERROR__CODE__INTERNAL, "The daemon has no memory for this.");
        return r;
}

/* Makes a job of a run, a list or an inspection, which takes the request. Returns 0, or else with the reason. */
static int dispatch_submit(Session *session, Benchd__Request **request, const SessionFds *fds, ReplyError *ret_why) {
        JobInput input = { .request = *request, .fds = fds->fds, .held = fds->held };
        int r;

        if (dispatch_check_job(session, *request, fds->n, ret_why) ||
                        dispatch_take_place(session->clients->services, session->client.uid, &input.place, ret_why))
                return 1;
        input.n_sides = request_read_modules(*request, input.wants);
        input.n_inputs = (*request)->run ? (*request)->run->n_input_names : 0;
        if (input.wants[0].run_id || input.wants[1].run_id)
                r = job_requests_measure_again(session, &input, ret_why);
        else
                r = job_new(session->clients->services, &session->client, &input, ret_why);
        if (r < 0)
                reply_error_set(ret_why, BENCHD__ERROR__CODE__INTERNAL, "The daemon could not take the job.");
        share_release(&input.place);
        *request = input.request;
        return r;
}

/* ---- the requests there are */

/* A request without a function that answers it becomes a job, and alone takes descriptors. */
struct RequestRow {
        size_t offset; /* of the alternative in Request */
        void (*answer)(Session *session, const Benchd__Request *request);
        AccessVerb verb; /* that it takes */
        bool of_others;  /* ... where it is about jobs of other users */
        bool asks;       /* it changes nothing, so it is dropped once the client is gone */
};

static const RequestRow request_rows[] = {
        { offsetof(Benchd__Request, hello), dispatch_hello },
        { offsetof(Benchd__Request, run), NULL, ACCESS_RUN },
        { offsetof(Benchd__Request, list), NULL, ACCESS_LIST },
        { offsetof(Benchd__Request, status), status_request, ACCESS_STATUS, .asks = true },
        { offsetof(Benchd__Request, cancel), job_requests_cancel, ACCESS_CANCEL, .of_others = true },
        { offsetof(Benchd__Request, wait), job_requests_wait, ACCESS_HISTORY, .of_others = true, .asks = true },
        { offsetof(Benchd__Request, show), job_requests_show, ACCESS_HISTORY, .of_others = true, .asks = true },
        { offsetof(Benchd__Request, history), job_requests_history, ACCESS_HISTORY, .of_others = true, .asks = true },
        { offsetof(Benchd__Request, pin), job_requests_pin, ACCESS_CANCEL, .of_others = true },
        { offsetof(Benchd__Request, set_governor), set_governor_request, ACCESS_SET_GOVERNOR },
        { offsetof(Benchd__Request, inspect), NULL, ACCESS_LIST },
        { offsetof(Benchd__Request, adopt), adoption_request, ACCESS_RUN },
        { offsetof(Benchd__Request, drop_caches), adoption_drop_caches, ACCESS_DROP_CACHES },
};

static const RequestRow *request_find_row(const Benchd__Request *request) {
        for (size_t i = 0; i < N_ELEMENTS(request_rows); i++)
                if (*(void *const *)((const char *)request + request_rows[i].offset))
                        return &request_rows[i];
        return NULL;
}

/* The row of a request that keeps the rules of every request; else NULL with the reason. */
static const RequestRow *dispatch_check_request(Session *session, const Benchd__Request *request, size_t n_fds,
                ReplyError *ret_why) {
        const RequestRow *row = request_find_row(request);
        const char *type;
        uint32_t tag;

        if (strict_message_check(&request->base, &type, &tag) != 0) {
                reply_error_set(ret_why, BENCHD__ERROR__CODE__UNSUPPORTED,
                                "This daemon, benchd " BENCHD_VERSION ", does not know field %u of %s.", tag, type);
                reply_error_hint(ret_why,
                                "The client is newer than the daemon: update the daemon, or leave the option out.");
        } else if (request->id == 0 || request_count_set(request) != 1) {
                reply_error_set(ret_why, BENCHD__ERROR__CODE__PROTOCOL,
                                "A request has an id of 1 or more and one alternative.");
        } else if (!session->greeted && !request->hello) {
                reply_error_set(ret_why, BENCHD__ERROR__CODE__PROTOCOL, "The first request of a connection is Hello.");
        } else if (session->greeted && request->hello) {
                reply_error_set(ret_why, BENCHD__ERROR__CODE__PROTOCOL, "Hello was said already.");
        } else if (watch_client_has_open(&session->client, request->id)) {
                reply_error_set(ret_why, BENCHD__ERROR__CODE__PROTOCOL, "The id is that of a request under way.");
        } else if (n_fds > 0 && row->answer) {
                reply_error_set(ret_why, BENCHD__ERROR__CODE__PROTOCOL,
                                "Descriptors came with a request that takes none.");
        } else {
                return row;
        }
        return NULL;
}

/* Carries out a request that is allowed. @request becomes NULL where it is taken. */
static void dispatch_do(Session *session, const RequestRow *row, Benchd__Request **request, const SessionFds *fds) {
        const uint64_t id = (*request)->id;
        ReplyError why;

        turns_note(session->clients->services->turns, TURN_REQUEST, session->client.uid);
        if (row->answer)
                row->answer(session, *request);
        else if (dispatch_submit(session, request, fds, &why) != 0)
                session_complain(session, id, &why);
}

/* ---- allowed */

static void dispatch_deny(Session *session, uint64_t id, AccessVerb verb) {
        ReplyError why;

        access_explain(verb, &why);
        session_complain(session, id, &why);
}

/* A request for another user's job is refused like one for a missing job, so that it does not reveal which jobs exist. */
static void dispatch_judged(Session *session, const RequestRow *row, bool granted, Benchd__Request **request,
                const SessionFds *fds) {
        if (!granted && (!row->of_others || (*request)->history)) {
                dispatch_deny(session, (*request)->id, row->verb);
                return;
        }
        session->granted = granted ? 1u << row->verb : 0;
        dispatch_do(session, row, request, fds);
        session->granted = 0;
}

static void dispatch_allowed(Session *session, const RequestRow *row, Benchd__Request **request,
                const SessionFds *fds) {
        const AccessVerb verb =
                        row->of_others && !job_requests_reach_others(session, *request) ? ACCESS_ALWAYS : row->verb;
        const Clients *clients = session->clients;
        ReplyError why;

        if (access_allows(&clients->access, verb, session->client.uid, session->client.fd,
                            clients->services->machine)) {
                dispatch_do(session, row, request, fds);
        } else if (session->permission) {
                reply_error_set(&why, BENCHD__ERROR__CODE__BUSY,
                                "A request of this connection waits for polkit already.");
                session_complain(session, (*request)->id, &why);
        } else if (permission_ask(session, row->verb, row, request, fds, dispatch_judged)) {
                dispatch_judged(session, row, false, request, fds);
        }
}

static void dispatch_request(Session *session, Benchd__Request *request, const SessionFds *fds) {
        const RequestRow *row;
        ReplyError why;

        row = dispatch_check_request(session, request, fds->n, &why);
        if (!row)
                session_complain(session, request->id, &why);
        else if (!session->gone || !row->asks)
                dispatch_allowed(session, row, &request, fds);
        if (request)
                benchd__request__free_unpacked(request, NULL);
}

/* ---- the end of a session */

static void dispatch_end(Session *session) {
        while (!LIST_EMPTY(&session->client.watches))
                job_abandon(LIST_FIRST(&session->client.watches));
        while (!LIST_EMPTY(&session->replays))
                replay_free(LIST_FIRST(&session->replays));
        while (!LIST_EMPTY(&session->history_requests))
                job_history_request_free(LIST_FIRST(&session->history_requests));
        status_forget(session);
        set_governor_forget(session);
        adoption_forget(session);
        permission_forget(session);
}

const SessionHandlers dispatch_handlers = {
        .request = dispatch_request,
        .replay = replay_start,
        .has_room = replays_continue,
        .ends = dispatch_end,
};
