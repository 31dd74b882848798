/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/clients/dispatch.h"

#include "front/base/message.h"
#include "front/clients/governor-ask.h"
#include "front/clients/inquiry.h"
#include "front/clients/policy.h"
#include "front/clients/replay.h"
#include "front/clients/request.h"
#include "front/clients/session.h"
#include "front/clients/status-ask.h"
#include "front/daemon.h"
#include "front/jobs/job.h"
#include "front/jobs/watch.h"
#include "ops/ops.h"
#include "proto/frame.h"
#include "proto/strict.h"
#include "util/time.h"

#define DISPATCH_VERSION 0u /* of the protocol */

static void request_freep(Benchd__Request **request) {
        if (*request)
                benchd__request__free_unpacked(*request, NULL);
}

/* A request with the descriptors that came with it. */
typedef struct Incoming {
        Benchd__Request *request; /* a handler that keeps it sets NULL */
        int *fds;
        size_t n_fds;
} Incoming;

static void dispatch_refuse(Session *session, const Incoming *incoming, const ReplyError *why) {
        session_complain(session, incoming->request->id, why);
}

/* Says so, and ends the connection: nothing that follows could be understood. */
static void dispatch_refuse_version(Session *session, const Incoming *incoming) {
        ReplyError why;

        reply_error_set(&why, BENCHD__ERROR__CODE__UNSUPPORTED,
                        "This daemon, benchd " BENCHD_VERSION
                        ", speaks version %u of the protocol, the client version %u.",
                        DISPATCH_VERSION, incoming->request->hello->protocol_version);
        reply_error_hint(&why, "Install client and daemon of one release.");
        session->closing = true;
        dispatch_refuse(session, incoming, &why);
}

static void dispatch_do_hello(Session *session, Incoming *incoming) {
        Benchd__Reply reply = BENCHD__REPLY__INIT;
        Benchd__HelloReply hello = BENCHD__HELLO_REPLY__INIT;

        if (incoming->request->hello->protocol_version != DISPATCH_VERSION) {
                dispatch_refuse_version(session, incoming);
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
        session_reply(session, incoming->request->id, true, &reply);
}

static bool dispatch_may_submit(Session *session, const Incoming *incoming) {
        const Config *config = &session->daemon->config;
        const PolicyUse most = { .all = config->jobs, .user = config->jobs_per_user };
        ReplyError why;
        int r;

        r = policy_take(session->uid, daemon_count_jobs(session->daemon, session->uid), most);
        if (r == 0)
                return true;
        if (r == POLICY_E_USER_FULL)
                reply_error_set(&why, BENCHD__ERROR__CODE__BUSY, "This user may have no more jobs at once than %zu.",
                                most.user);
        else if (r == POLICY_E_FULL)
                reply_error_set(&why, BENCHD__ERROR__CODE__BUSY, "The daemon has no more jobs at once than %zu.",
                                most.all);
        else
                reply_error_set(&why, BENCHD__ERROR__CODE__DENIED, "The daemon does not know who is asking.");
        reply_error_hint(&why, "%s", r == POLICY_E_UNKNOWN_USER ? "" : "Try again when one of them has ended.");
        dispatch_refuse(session, incoming, &why);
        return false;
}

static void dispatch_submit(Session *session, Incoming *incoming) {
        ReplyError why;
        int r;

        if (!dispatch_may_submit(session, incoming))
                return;
        r = job_new(session, incoming->request, incoming->fds, &why);
        if (r < 0)
                reply_error_set(&why, BENCHD__ERROR__CODE__INTERNAL, "The daemon could not take the job.");
        if (r)
                dispatch_refuse(session, incoming, &why);
        else
                incoming->request = NULL;
}

static void dispatch_do_run(Session *session, Incoming *incoming) {
        ReplyError why;

        if (run_request_check_modules(incoming->request->run, incoming->n_fds, &why) ||
                        run_request_check(incoming->request->run, session->daemon->config.timeout_max_s * NS_PER_S,
                                        &why))
                dispatch_refuse(session, incoming, &why);
        else
                dispatch_submit(session, incoming);
}

static void dispatch_do_list(Session *session, Incoming *incoming) {
        ModuleRequest wants = module_request_of_list(incoming->request->list);
        ReplyError why;

        if (module_request_check(&wants, incoming->n_fds, &why))
                dispatch_refuse(session, incoming, &why);
        else
                dispatch_submit(session, incoming);
}

static void dispatch_do_status(Session *session, Incoming *incoming) {
        status_ask(session, incoming->request->id);
}

static bool dispatch_is_open(Session *session, uint64_t id) {
        return watch_find(session, id) || replay_find(session, id) ||
               (session->governor_ask && session->governor_ask->id == id);
}

/* Whether the connection has as many requests that are answered later as one may. */
static bool dispatch_is_patient(Session *session) {
        const Watch *watch;
        const Replay *replay;
        size_t n = 0;

        LIST_FOREACH(watch, &session->watches, of_session) {
                n++;
        }
        LIST_FOREACH(replay, &session->replays, of_session) {
                n++;
        }
        return n >= POLICY_WATCHES_MAX;
}

static void dispatch_do_follow(Session *session, Incoming *incoming) {
        ReplyError why;

        if (dispatch_is_patient(session)) {
                reply_error_set(&why, BENCHD__ERROR__CODE__BUSY, "This connection has %u requests under way.",
                                POLICY_WATCHES_MAX);
                reply_error_hint(&why, "Wait for one of them.");
                dispatch_refuse(session, incoming, &why);
        } else if (incoming->request->wait) {
                inquiry_wait(session, incoming->request);
        } else {
                inquiry_show(session, incoming->request);
        }
}

static void dispatch_do_history(Session *session, Incoming *incoming) {
        inquiry_history(session, incoming->request);
}

static void dispatch_do_pin(Session *session, Incoming *incoming) {
        inquiry_pin(session, incoming->request);
}

static void dispatch_do_set_governor(Session *session, Incoming *incoming) {
        governor_ask(session, incoming->request->id, incoming->request->set_governor);
}

static void dispatch_do_cancel(Session *session, Incoming *incoming) {
        inquiry_cancel(session, incoming->request);
}

typedef struct RequestRow {
        size_t offset; /* of the alternative in Request */
        bool takes_fds;
        void (*handle)(Session *session, Incoming *incoming);
} RequestRow;

static const RequestRow request_rows[] = {
        { offsetof(Benchd__Request, hello), false, dispatch_do_hello },
        { offsetof(Benchd__Request, run), true, dispatch_do_run },
        { offsetof(Benchd__Request, list), true, dispatch_do_list },
        { offsetof(Benchd__Request, status), false, dispatch_do_status },
        { offsetof(Benchd__Request, cancel), false, dispatch_do_cancel },
        { offsetof(Benchd__Request, wait), false, dispatch_do_follow },
        { offsetof(Benchd__Request, show), false, dispatch_do_follow },
        { offsetof(Benchd__Request, history), false, dispatch_do_history },
        { offsetof(Benchd__Request, pin), false, dispatch_do_pin },
        { offsetof(Benchd__Request, set_governor), false, dispatch_do_set_governor },
};

static const RequestRow *request_find_row(const Benchd__Request *request) {
        for (size_t i = 0; i < N_ELEMENTS(request_rows); i++)
                if (*(void *const *)((const char *)request + request_rows[i].offset))
                        return &request_rows[i];
        return NULL;
}

/* Answers what no request may be. Returns false if it complained. */
static bool dispatch_check_request(Session *session, const Incoming *incoming) {
        const Benchd__Request *request = incoming->request;
        const char *type;
        ReplyError why;
        uint32_t tag;

        if (strict_message_check(&request->base, &type, &tag) != 0) {
                reply_error_set(&why, BENCHD__ERROR__CODE__UNSUPPORTED,
                                "This daemon, benchd " BENCHD_VERSION ", does not know field %u of %s.", tag, type);
                reply_error_hint(&why,
                                "The client is newer than the daemon: update the daemon, or leave the option out.");
        } else if (request->id == 0 || request_count_set(request) != 1) {
                reply_error_set(&why, BENCHD__ERROR__CODE__PROTOCOL,
                                "A request has an id of 1 or more and one alternative.");
        } else if (!session->greeted && !request->hello) {
                reply_error_set(&why, BENCHD__ERROR__CODE__PROTOCOL, "The first request of a connection is Hello.");
        } else if (session->greeted && request->hello) {
                reply_error_set(&why, BENCHD__ERROR__CODE__PROTOCOL, "Hello was said already.");
        } else if (dispatch_is_open(session, request->id)) {
                reply_error_set(&why, BENCHD__ERROR__CODE__PROTOCOL, "The id is that of a request under way.");
        } else if (incoming->n_fds > 0 && !request_find_row(request)->takes_fds) {
                reply_error_set(&why, BENCHD__ERROR__CODE__PROTOCOL,
                                "Descriptors came with a request that takes none.");
        } else {
                return true;
        }
        dispatch_refuse(session, incoming, &why);
        return false;
}

void dispatch_request(Session *session, Benchd__Request *request, int *fds, size_t n_fds) {
        _cleanup_(request_freep) Benchd__Request *owned = request;
        Incoming incoming = { .request = request, .fds = fds, .n_fds = n_fds };

        if (dispatch_check_request(session, &incoming))
                request_find_row(request)->handle(session, &incoming);
        if (!incoming.request)
                take_pointer(owned);
}
