/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/clients/governor-ask.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "front/base/allow-list.h"
#include "front/base/arena.h"
#include "front/base/log.h"
#include "front/clients/governor-words.h"
#include "front/clients/polkit.h"
#include "front/clients/session.h"
#include "front/daemon.h"
#include "front/jobs/launch-link.h"
#include "front/jobs/launch-refusal.h"
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
        *ask = (GovernorAsk){ .daemon = session->daemon, .session = session, .id = id, .wanted = *wanted };
        LIST_INSERT_HEAD(&session->daemon->governor_asks, ask, asks);
        session->governor_ask = ask;
        return ask;
}

static void ask_complain(GovernorAsk *ask, const ReplyError *why) {
        if (ask->session)
                session_complain(ask->session, ask->id, why);
        ask_free(ask);
}

/* ---- answered */

static void refused_complain(const OpsRefused *refused, ReplyError *ret_why) {
        if (refused->reason != OPS_REFUSAL_SYSTEM) {
                launch_refusal_explain(refused, ret_why);
                return;
        }
        reply_error_set(ret_why, BENCHD__ERROR__CODE__INTERNAL, "benchd-launch could not set the governor: %s.",
                        strerrordesc_np(refused->error) ? strerrordesc_np(refused->error) : "no reason given");
        reply_error_hint(ret_why, "The journal of benchd-launch says more.");
}

static void ask_reply(GovernorAsk *ask, const OpsGovernorDone *done) {
        _cleanup_(arena_freep) Arena *arena = NULL;
        Benchd__Reply reply = BENCHD__REPLY__INIT;

        if (arena_new(&arena) || governor_words_reply(arena, done, &reply.set_governor))
                ask->session->broken = true;
        else
                session_reply(ask->session, ask->id, true, &reply);
        log_say(LOG_GOVERNOR, LOG_OF_UID(ask->session->uid), "%s", ask->wanted.restore ? "restored" : ask->wanted.name);
}

static void ask_on_done(void *userdata, OpsPacket *packet) {
        const OpsRecord *record = &packet->record;
        GovernorAsk *ask = userdata;
        ReplyError why;

        if (record->kind == OPS_GOVERNOR_DONE && record->governor_done.end == OPS_GOVERNOR_SET) {
                if (ask->session)
                        ask_reply(ask, &record->governor_done);
                ask_free(ask);
                return;
        }
        if (record->kind == OPS_GOVERNOR_DONE)
                governor_words_complain(&record->governor_done, &ask->wanted, &why);
        else
                refused_complain(&record->refused, &why);
        ask_complain(ask, &why);
}

static void ask_launcher(GovernorAsk *ask) {
        ReplyError why;
        OpsRecord record;

        memset(&record, 0, sizeof record);
        record.kind = OPS_GOVERNOR;
        record.governor = ask->wanted;
        if (launch_link_ask(ask->daemon->link, &record, NULL, 0, ask_on_done, ask)) {
                reply_error_set(&why, BENCHD__ERROR__CODE__INTERNAL, "benchd-launch could not be asked.");
                ask_complain(ask, &why);
        }
}

/* ---- allowed */

static void ask_deny(GovernorAsk *ask) {
        ReplyError why;

        reply_error_set(&why, BENCHD__ERROR__CODE__DENIED, "This user may not set the governor of this machine.");
        reply_error_hint(&why,
                        "Root may, whom set_governor= of benchd.conf names, and whom polkit allows " GOVERNOR_ACTION
                        ".");
        ask_complain(ask, &why);
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

static void ask_polkit(GovernorAsk *ask, const AllowPeer *peer) {
        sd_bus *bus;

        if (polkit_connect(ask->daemon->event, &bus) ||
                        polkit_ask(bus, peer->pid, peer->uid, GOVERNOR_ACTION, ask_on_polkit, ask, &ask->question))
                ask_deny(ask);
}

/* What runs as its user alone may do what that user may: the kernel decides. */
static bool is_allowed(const Daemon *daemon, const AllowPeer *peer) {
        if (peer->uid == 0 || allow_list_has(&daemon->may_set_governor, peer))
                return true;
        return daemon->has_machine && !daemon->machine.privileged && peer->uid == geteuid();
}

static void ask_allowance(GovernorAsk *ask) {
        AllowPeer peer;

        if (allow_list_read_peer(ask->session->fd, &peer))
                ask_deny(ask);
        else if (is_allowed(ask->daemon, &peer))
                ask_launcher(ask);
        else
                ask_polkit(ask, &peer);
}

void governor_ask(Session *session, uint64_t id, const Benchd__SetGovernorRequest *request) {
        ReplyError why;
        OpsGovernor wanted;
        GovernorAsk *ask;

        if (governor_words_check(request, &wanted, &why)) {
                session_complain(session, id, &why);
                return;
        }
        if (session->governor_ask) {
                reply_error_set(&why, BENCHD__ERROR__CODE__BUSY, "This connection sets a governor already.");
                session_complain(session, id, &why);
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

void governor_asks_free(Daemon *daemon) {
        while (!LIST_EMPTY(&daemon->governor_asks))
                ask_free(LIST_FIRST(&daemon->governor_asks));
}
