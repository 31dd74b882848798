/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/clients/adoption.h"

#include <stdlib.h>
#include <string.h>

#include "front/base/arena.h"
#include "front/base/message.h"
#include "front/base/reply-error.h"
#include "front/clients/clients.h"
#include "front/clients/job-requests.h"
#include "front/clients/session.h"
#include "front/jobs/job.h"
#include "front/jobs/launch-link.h"
#include "front/jobs/launch-refusal.h"
#include "ops/ops.h"
#include "util/cleanup.h"
#include "util/error.h"

static void adoption_free(Adoption *adoption) {
        if (adoption->session)
                adoption->session->adoption = NULL;
        watch_client_close(&adoption->open);
        LIST_REMOVE(adoption, adoptions);
        free(adoption);
}

static Adoption *adoption_new(Session *session, uint64_t id) {
        Adoption *adoption = malloc(sizeof *adoption);

        if (!adoption)
                return NULL;
        *adoption = (Adoption){ .session = session };
        watch_client_open(&session->client, &adoption->open, id);
        LIST_INSERT_HEAD(&session->clients->adoptions, adoption, adoptions);
        session->adoption = adoption;
        return adoption;
}

/* ---- answered */

static int adoption_build(Arena *arena, const OpsAdopted *adopted, Benchd__AdoptReply **ret_reply) {
        Benchd__AdoptReply *reply = message_new(arena, Benchd__AdoptReply, benchd__adopt_reply);

        if (!reply)
                return error_origin(-ENOMEM);
        reply->cpus = arena_zero(arena, CPU_COUNT(&adopted->cpus) * sizeof *reply->cpus + 1);
        if (!reply->cpus)
                return error_origin(-ENOMEM);
        for (uint32_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
                if (adopted->affinity == OPS_OUTCOME_APPLIED && CPU_ISSET(cpu, &adopted->cpus))
                        reply->cpus[reply->n_cpus++] = cpu;
        *ret_reply = reply;
        return 0;
}

static int drop_build(Arena *arena, uint64_t elapsed_ns, Benchd__DropCachesReply **ret_reply) {
        Benchd__DropCachesReply *reply = message_new(arena, Benchd__DropCachesReply, benchd__drop_caches_reply);

        if (!reply)
                return error_origin(-ENOMEM);
        if (elapsed_ns > 0)
                message_set(reply, elapsed_ns, elapsed_ns);
        *ret_reply = reply;
        return 0;
}

static void adoption_reply(Session *session, uint64_t id, const OpsRecord *answer) {
        _cleanup_(arena_freep) Arena *arena = NULL;
        Benchd__Reply reply = BENCHD__REPLY__INIT;
        int r;

        r = arena_new(&arena);
        if (r == 0)
                r = answer->kind == OPS_ADOPTED ? adoption_build(arena, &answer->adopted, &reply.adopt)
                                                : drop_build(arena, answer->dropped_ns, &reply.drop_caches);
        if (r)
                session->broken = true;
        else
                session_reply(session, id, true, &reply);
}

static void adoption_on_answer(void *userdata, OpsPacket *packet) {
        const OpsRecord *record = &packet->record;
        Adoption *adoption = userdata;
        ReplyError why;

        if (adoption->session && record->kind != OPS_REFUSED) {
                adoption_reply(adoption->session, adoption->open.id, record);
        } else if (adoption->session) {
                launch_refusal_explain(&record->refused, adoption->what, &why);
                session_complain(adoption->session, adoption->open.id, &why);
        }
        adoption_free(adoption);
}

/* ---- asked */

/* Asks the launcher for @kind, with the id of a process: @what it is asked for. */
static int adoption_ask(Session *session, uint64_t id, OpsKind kind, uint64_t process, const char *what) {
        OpsRecord record;
        Adoption *adoption;
        int r;

        adoption = adoption_new(session, id);
        if (!adoption)
                return error_origin(-ENOMEM);
        adoption->what = what;
        memset(&record, 0, sizeof record);
        record.kind = kind;
        if (kind == OPS_ADOPT)
                record.adopt = process;
        else
                record.drop_caches = process;
        r = launch_link_ask(session->clients->services->link, &record, &session->client.fd, 1, adoption_on_answer,
                        adoption);
        if (r)
                adoption_free(adoption);
        return error_trace(r);
}

/* Asks about the process of the job @run_id that runs now. */
static void adoption_ask_of(Session *session, uint64_t id, const char *run_id, OpsKind kind, const char *what) {
        ReplyError why;
        Job *job;

        job = job_requests_find_running(session, id, run_id);
        if (!job)
                return;
        if (session->adoption) {
                reply_error_set(&why, BENCHD__ERROR__CODE__BUSY,
                                "A request of this connection to %s is under way already.", session->adoption->what);
        } else if (job_view(job).process == 0) {
                reply_error_set(&why, BENCHD__ERROR__CODE__NOT_FOUND, "No process of this job runs now.");
        } else if (adoption_ask(session, id, kind, job_view(job).process, what)) {
                reply_error_set(&why, BENCHD__ERROR__CODE__INTERNAL, "benchd-launch could not be asked.");
        } else {
                return;
        }
        session_complain(session, id, &why);
}

void adoption_request(Session *session, const Benchd__Request *request) {
        adoption_ask_of(session, request->id, request->adopt->run_id, OPS_ADOPT, "take the process in");
}

/* Without a job it only asks for the permission, which the client has when it comes here. */
void adoption_drop_caches(Session *session, const Benchd__Request *request) {
        static const OpsRecord permitted = { .kind = OPS_CACHES_DROPPED };
        const OpsMachine *machine = session->clients->services->machine;
        ReplyError why;

        if (machine && !machine->privileged) {
                reply_error_set(&why, BENCHD__ERROR__CODE__UNSUPPORTED,
                                "This daemon has not the right to drop the page cache: it does not run as root.");
                reply_error_hint(&why, "--cold=files drops the files that the commands open, without a right.");
                session_complain(session, request->id, &why);
        } else if (request->drop_caches->run_id) {
                adoption_ask_of(session, request->id, request->drop_caches->run_id, OPS_DROP_CACHES,
                                "drop the page cache");
        } else {
                adoption_reply(session, request->id, &permitted);
        }
}

/* ---- ended */

void adoption_forget(Session *session) {
        Adoption *adoption = session->adoption;

        if (!adoption)
                return;
        watch_client_close(&adoption->open);
        adoption->session = NULL;
}

void adoption_free_all(Clients *clients) {
        while (!LIST_EMPTY(&clients->adoptions))
                adoption_free(LIST_FIRST(&clients->adoptions));
}
