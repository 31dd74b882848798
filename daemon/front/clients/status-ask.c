/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/clients/status-ask.h"

#include <stdlib.h>
#include <string.h>
#include <systemd/sd-event.h>

#include "front/base/arena.h"
#include "front/clients/session.h"
#include "front/clients/status.h"
#include "front/daemon.h"
#include "front/jobs/launch-link.h"
#include "ops/ops.h"

#define STATUS_PATIENCE_US 3000000u /* a calibration takes some tenths of a second */
#define STATUS_ACCURACY_US 1000u

static void status_answer(Session *session, uint64_t id) {
        _cleanup_(arena_freep) Arena *arena = NULL;
        Benchd__Reply reply = BENCHD__REPLY__INIT;

        if (arena_new(&arena) || status_build(arena, session->daemon, &reply.status))
                session->broken = true;
        else
                session_reply(session, id, true, &reply);
}

static void status_ask_free(StatusAsk *ask) {
        if (ask->session)
                ask->session->status_ask = NULL;
        sd_event_source_disable_unref(ask->patience);
        LIST_REMOVE(ask, asks);
        free(ask);
}

static void status_ask_end(StatusAsk *ask) {
        if (ask->session)
                status_answer(ask->session, ask->id);
        status_ask_free(ask);
}

static int status_on_impatient(sd_event_source *source, uint64_t usec, void *userdata) {
        status_ask_end(userdata);
        return 0;
}

static void status_on_refined(void *userdata, OpsPacket *packet) {
        StatusAsk *ask = userdata;
        const Daemon *daemon = ask->session ? ask->session->daemon : NULL;

        if (!daemon || daemon_clock(daemon, -1) ||
                        sd_event_add_time_relative(daemon->event, &ask->patience, CLOCK_MONOTONIC, STATUS_PATIENCE_US,
                                        STATUS_ACCURACY_US, status_on_impatient, ask) < 0)
                status_ask_end(ask);
}

/* Returns false where it cannot be asked. */
static bool status_ask_launcher(Session *session, uint64_t id) {
        LaunchLink *link = session->daemon->link;
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
        LIST_INSERT_HEAD(&session->daemon->status_asks, ask, asks);
        session->status_ask = ask;
        return true;
}

void status_ask(Session *session, uint64_t id) {
        if (!status_ask_launcher(session, id))
                status_answer(session, id);
}

void status_asks_retry(Daemon *daemon) {
        StatusAsk *ask, *next;

        if (!daemon_clock(daemon, -1))
                return;
        for (ask = LIST_FIRST(&daemon->status_asks); ask; ask = next) {
                next = LIST_NEXT(ask, asks);
                if (ask->patience)
                        status_ask_end(ask);
        }
}

void status_ask_forget(Session *session) {
        StatusAsk *ask = session->status_ask;

        if (!ask)
                return;
        if (ask->patience)
                status_ask_free(ask);
        else
                ask->session = NULL;
}

void status_asks_free(Daemon *daemon) {
        while (!LIST_EMPTY(&daemon->status_asks))
                status_ask_free(LIST_FIRST(&daemon->status_asks));
}
