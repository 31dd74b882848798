/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/status-ask.h"

#include <stdlib.h>
#include <string.h>

#include "front/arena.h"
#include "front/launch-link.h"
#include "front/manager.h"
#include "front/session.h"
#include "front/status.h"
#include "ops/ops.h"

static void status_answer(Session *session, uint64_t id) {
        _cleanup_(arena_freep) Arena *arena = NULL;
        Benchd__Reply reply = BENCHD__REPLY__INIT;

        if (arena_new(&arena) || status_build(arena, session->manager, &reply.status))
                session->broken = true;
        else
                session_reply(session, id, true, &reply);
}

static void status_on_refined(void *userdata, OpsPacket *packet) {
        StatusAsk *ask = userdata;

        if (ask->session) {
                ask->session->status_ask = NULL;
                status_answer(ask->session, ask->id);
        }
        LIST_REMOVE(ask, asks);
        free(ask);
}

/* Returns false where it cannot be asked. */
static bool status_ask_launcher(Session *session, uint64_t id) {
        LaunchLink *link = session->manager->link;
        OpsRecord record;
        StatusAsk *ask;

        ask = link && !session->status_ask ? malloc(sizeof *ask) : NULL;
        if (!ask)
                return false;
        memset(&record, 0, sizeof record);
        record.kind = OPS_REFINE;
        *ask = (StatusAsk){ .session = session, .id = id };
        if (launch_link_ask(link, &record, NULL, 0, status_on_refined, ask)) {
                free(ask);
                return false;
        }
        LIST_INSERT_HEAD(&session->manager->status_asks, ask, asks);
        session->status_ask = ask;
        return true;
}

void status_ask(Session *session, uint64_t id) {
        if (!status_ask_launcher(session, id))
                status_answer(session, id);
}

void status_ask_forget(Session *session) {
        if (session->status_ask)
                session->status_ask->session = NULL;
}

void status_asks_free(Manager *manager) {
        StatusAsk *ask;

        while ((ask = LIST_FIRST(&manager->status_asks))) {
                LIST_REMOVE(ask, asks);
                free(ask);
        }
}
