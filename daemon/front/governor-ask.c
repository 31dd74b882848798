/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/governor-ask.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "front/arena.h"
#include "front/governor-words.h"
#include "front/journal.h"
#include "front/launch-link.h"
#include "front/manager.h"
#include "front/polkit.h"
#include "front/refusal.h"
#include "front/session.h"
#include "front/who.h"
#include "util/error.h"

/* ---- one that is asked */

static void ask_free(GovernorAsk *ask) {
        if (ask->session)
                ask->session->governor_ask = NULL;
        polkit_question_free(ask->question);
        LIST_REMOVE(ask, asks);
        free(ask);
}

static GovernorAsk *ask_new(Session *session, uint64_t id, const OpsGovernor *wanted) {
        GovernorAsk *ask = malloc(sizeof *ask);

        if (!ask)
                return NULL;
        *ask = (GovernorAsk){ .manager = session->manager, .session = session, .id = id, .wanted = *wanted };
        LIST_INSERT_HEAD(&session->manager->governor_asks, ask, asks);
        session->governor_ask = ask;
        return ask;
}

static void ask_complain(GovernorAsk *ask, const Complaint *complaint) {
        if (ask->session)
                session_complain(ask->session, ask->id, complaint);
        ask_free(ask);
}

/* ---- answered */

static void refused_complain(const OpsRefused *refused, Complaint *ret_complaint) {
        if (refused->reason != OPS_REFUSAL_SYSTEM) {
                refusal_complain(refused, ret_complaint);
                return;
        }
        complaint_set(ret_complaint, BENCHD__ERROR__CODE__INTERNAL, "benchd-launch could not set the governor: %s.",
                        strerrordesc_np(refused->error) ? strerrordesc_np(refused->error) : "no reason given");
        complaint_hint(ret_complaint, "The journal of benchd-launch says more.");
}

static void ask_reply(GovernorAsk *ask, const OpsGovernorDone *done) {
        _cleanup_(arena_freep) Arena *arena = NULL;
        Benchd__Reply reply = BENCHD__REPLY__INIT;

        if (arena_new(&arena) || governor_words_reply(arena, done, &reply.set_governor))
                ask->session->broken = true;
        else
                session_reply(ask->session, ask->id, true, &reply);
        journal_say(JOURNAL_GOVERNOR, JOURNAL_OF_UID(ask->session->uid), "%s",
                        ask->wanted.restore ? "restored" : ask->wanted.name);
}

static void ask_on_done(void *userdata, OpsPacket *packet) {
        const OpsRecord *record = &packet->record;
        GovernorAsk *ask = userdata;
        Complaint complaint;

        if (record->kind == OPS_GOVERNOR_DONE && record->governor_done.end == OPS_GOVERNOR_SET) {
                if (ask->session)
                        ask_reply(ask, &record->governor_done);
                ask_free(ask);
                return;
        }
        if (record->kind == OPS_GOVERNOR_DONE)
                governor_words_complain(&record->governor_done, &ask->wanted, &complaint);
        else
                refused_complain(&record->refused, &complaint);
        ask_complain(ask, &complaint);
}

static void ask_launcher(GovernorAsk *ask) {
        Complaint complaint;
        OpsRecord record;

        memset(&record, 0, sizeof record);
        record.kind = OPS_GOVERNOR;
        record.governor = ask->wanted;
        if (launch_link_ask(ask->manager->link, &record, NULL, 0, ask_on_done, ask)) {
                complaint_set(&complaint, BENCHD__ERROR__CODE__INTERNAL, "benchd-launch could not be asked.");
                ask_complain(ask, &complaint);
        }
}

/* ---- allowed */

static void ask_deny(GovernorAsk *ask) {
        Complaint complaint;

        complaint_set(&complaint, BENCHD__ERROR__CODE__DENIED, "This user may not set the governor of this machine.");
        complaint_hint(&complaint,
                        "Root may, whom set_governor= of benchd.conf names, and whom polkit allows " GOVERNOR_ACTION
                        ".");
        ask_complain(ask, &complaint);
}

/* An answer for a session that ended allows nothing: its question was freed. */
static void ask_on_polkit(void *userdata, PolkitAnswer answer) {
        GovernorAsk *ask = userdata;

        ask->question = polkit_question_free(ask->question);
        if (answer == POLKIT_YES)
                ask_launcher(ask);
        else
                ask_deny(ask);
}

static void ask_polkit(GovernorAsk *ask, const WhoPeer *peer) {
        sd_bus *bus;

        if (polkit_connect(ask->manager->event, &bus) ||
                        polkit_ask(bus, peer->pid, peer->uid, GOVERNOR_ACTION, ask_on_polkit, ask, &ask->question))
                ask_deny(ask);
}

/* What runs as its user alone may do what that user may: the kernel decides. */
static bool is_allowed(const Manager *manager, const WhoPeer *peer) {
        if (peer->uid == 0 || who_has(&manager->may_set_governor, peer))
                return true;
        return manager->has_machine && !manager->machine.privileged && peer->uid == geteuid();
}

static void ask_allowance(GovernorAsk *ask) {
        WhoPeer peer;

        if (who_read_peer(ask->session->fd, &peer))
                ask_deny(ask);
        else if (is_allowed(ask->manager, &peer))
                ask_launcher(ask);
        else
                ask_polkit(ask, &peer);
}

void governor_ask(Session *session, uint64_t id, const Benchd__SetGovernorRequest *request) {
        Complaint complaint;
        OpsGovernor wanted;
        GovernorAsk *ask;

        if (governor_words_check(request, &wanted, &complaint)) {
                session_complain(session, id, &complaint);
                return;
        }
        if (session->governor_ask) {
                complaint_set(&complaint, BENCHD__ERROR__CODE__BUSY, "This connection sets a governor already.");
                session_complain(session, id, &complaint);
                return;
        }
        ask = ask_new(session, id, &wanted);
        if (ask)
                ask_allowance(ask);
        else
                session->broken = true;
}

/* ---- ended */

void governor_ask_forget(Session *session) {
        GovernorAsk *ask = session->governor_ask;

        if (!ask)
                return;
        ask->session = NULL;
        if (ask->question)
                ask_free(ask);
}

void governor_asks_free(Manager *manager) {
        while (!LIST_EMPTY(&manager->governor_asks))
                ask_free(LIST_FIRST(&manager->governor_asks));
}
