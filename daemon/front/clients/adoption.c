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

static void adoption_reply(Adoption *adoption, const OpsAdopted *adopted) {
        _cleanup_(arena_freep) Arena *arena = NULL;
        Benchd__Reply reply = BENCHD__REPLY__INIT;

        if (arena_new(&arena) || adoption_build(arena, adopted, &reply.adopt))
                adoption->session->broken = true;
        else
                session_reply(adoption->session, adoption->open.id, true, &reply);
}

static void adoption_on_answer(void *userdata, OpsPacket *packet) {
        const OpsRecord *record = &packet->record;
        Adoption *adoption = userdata;
        ReplyError why;

        if (adoption->session && record->kind == OPS_ADOPTED) {
                adoption_reply(adoption, &record->adopted);
        } else if (adoption->session) {
                launch_refusal_explain(&record->refused, "take the process in", &why);
                session_complain(adoption->session, adoption->open.id, &why);
        }
        adoption_free(adoption);
}

/* ---- asked */

static int adoption_ask(Session *session, uint64_t id, uint64_t process) {
        OpsRecord record;
        Adoption *adoption;
        int r;

        adoption = adoption_new(session, id);
        if (!adoption)
                return error_origin(-ENOMEM);
        memset(&record, 0, sizeof record);
        record.kind = OPS_ADOPT;
        record.adopt = process;
        r = launch_link_ask(session->clients->services->link, &record, &session->client.fd, 1, adoption_on_answer,
                        adoption);
        if (r)
                adoption_free(adoption);
        return error_trace(r);
}

void adoption_request(Session *session, const Benchd__Request *request) {
        ReplyError why;
        Job *job;

        job = job_requests_find_running(session, request->id, request->adopt->run_id);
        if (!job)
                return;
        if (session->adoption) {
                reply_error_set(&why, BENCHD__ERROR__CODE__BUSY, "This connection is being taken in already.");
        } else if (job_view(job).process == 0) {
                reply_error_set(&why, BENCHD__ERROR__CODE__NOT_FOUND, "No process of this job runs now.");
        } else if (adoption_ask(session, request->id, job_view(job).process)) {
                reply_error_set(&why, BENCHD__ERROR__CODE__INTERNAL, "benchd-launch could not be asked.");
        } else {
                return;
        }
        session_complain(session, request->id, &why);
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
