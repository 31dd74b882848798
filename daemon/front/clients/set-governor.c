/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/clients/set-governor.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "front/base/log.h"
#include "front/base/message.h"
#include "front/clients/clients.h"
#include "front/clients/session.h"
#include "front/jobs/job.h"
#include "front/jobs/launch-link.h"
#include "front/jobs/launch-refusal.h"
#include "util/cpu-list.h"
#include "util/error.h"

#define SCHEMES "high-performance, balanced and power-saver"

/* ---- the request */

static bool is_name(const char *name) {
        if (!*name || strlen(name) >= OPS_GOVERNOR_NAME_MAX)
                return false;
        for (; *name; name++)
                if (!isalnum((unsigned char)*name) && *name != '-' && *name != '_')
                        return false;
        return true;
}

int set_governor_check(const Benchd__SetGovernorRequest *request, OpsGovernor *ret_wanted, ReplyError *ret_why) {
        OpsGovernor wanted = { .restore = request->has_restore && request->restore };

        if (!request->name == !wanted.restore) {
                reply_error_bad(ret_why, "Give either the name of a governor or restore.");
                return SET_GOVERNOR_E_BAD;
        }
        if (request->name && !is_name(request->name)) {
                reply_error_bad(ret_why, "A governor's name has 1 to %u letters, digits and dashes.",
                                OPS_GOVERNOR_NAME_MAX - 1);
                return SET_GOVERNOR_E_BAD;
        }
        if (request->name)
                strcpy(wanted.name, request->name);
        for (size_t i = 0; i < request->n_cpus; i++) {
                if (request->cpus[i] >= CPU_SETSIZE) {
                        reply_error_bad(ret_why, "There is no CPU %u: CPUs are numbered from 0 to %u.",
                                        request->cpus[i], CPU_SETSIZE - 1);
                        return SET_GOVERNOR_E_BAD;
                }
                CPU_SET(request->cpus[i], &wanted.cpus);
        }
        *ret_wanted = wanted;
        return 0;
}

/* ---- its outcome */

static const char *commas(const char *names, char *text, size_t n_text) {
        size_t n = 0;

        for (; *names && n + 2 < n_text; names++) {
                if (*names == ' ')
                        text[n++] = ',';
                text[n++] = *names;
        }
        text[n] = 0;
        return text;
}

void set_governor_explain(const OpsGovernorDone *done, const OpsGovernor *wanted, ReplyError *ret_why) {
        char names[OPS_GOVERNOR_NAMES_MAX];

        switch (done->end) {
        case OPS_GOVERNOR_UNKNOWN:
                reply_error_bad(ret_why,
                                "There is no governor '%s' on these CPUs. There are: %s; and %s, which set more than the "
                                "governor.",
                                wanted->name, commas(done->names, names, sizeof names), SCHEMES);
                break;
        case OPS_GOVERNOR_NO_CPU:
                reply_error_set(ret_why, BENCHD__ERROR__CODE__UNSUPPORTED,
                                "This machine does not have all of these CPUs. It has: %s.", done->names);
                break;
        case OPS_GOVERNOR_OFF:
                reply_error_set(ret_why, BENCHD__ERROR__CODE__UNSUPPORTED,
                                "These CPUs are switched off, and have no governor until they are on.");
                break;
        case OPS_GOVERNOR_FULL:
                reply_error_bad(ret_why, "At most %u sets of CPUs can each have their own governor.", OPS_STICKY_MAX);
                reply_error_hint(ret_why, "Restore some of them, or set one governor for all CPUs.");
                break;
        default:
                reply_error_set(ret_why, BENCHD__ERROR__CODE__UNSUPPORTED,
                                "These CPUs have no governor: the kernel does not control their frequency (it has no "
                                "cpufreq driver for them), as in most virtual machines.");
                reply_error_hint(ret_why, "Cycles do not depend on the frequency: 'run' shows them beside the time.");
                break;
        }
}

static int change_build(Arena *arena, const OpsChange *from, Benchd__GovernorChange **ret_change) {
        static const Benchd__GovernorChange__Outcome outcomes[_OPS_OUTCOME_N] = {
                [OPS_OUTCOME_APPLIED] = BENCHD__GOVERNOR_CHANGE__OUTCOME__APPLIED,
                [OPS_OUTCOME_ALREADY] = BENCHD__GOVERNOR_CHANGE__OUTCOME__ALREADY,
                [OPS_OUTCOME_UNSUPPORTED] = BENCHD__GOVERNOR_CHANGE__OUTCOME__UNSUPPORTED,
                [OPS_OUTCOME_DENIED] = BENCHD__GOVERNOR_CHANGE__OUTCOME__DENIED,
                [OPS_OUTCOME_OVERRIDDEN] = BENCHD__GOVERNOR_CHANGE__OUTCOME__OVERRIDDEN,
                [OPS_OUTCOME_LEASED] = BENCHD__GOVERNOR_CHANGE__OUTCOME__LEASED,
                [OPS_OUTCOME_RESTORED] = BENCHD__GOVERNOR_CHANGE__OUTCOME__RESTORED,
                [OPS_OUTCOME_LEFT_ALONE] = BENCHD__GOVERNOR_CHANGE__OUTCOME__LEFT_ALONE,
                [OPS_OUTCOME_GONE] = BENCHD__GOVERNOR_CHANGE__OUTCOME__GONE,
                [OPS_OUTCOME_WAITING] = BENCHD__GOVERNOR_CHANGE__OUTCOME__WAITING,
                [OPS_OUTCOME_OFF] = BENCHD__GOVERNOR_CHANGE__OUTCOME__OFF,
        };
        Benchd__GovernorChange *change = message_new(arena, Benchd__GovernorChange, benchd__governor_change);

        if (!change)
                return error_origin(-ENOMEM);
        change->file = arena_text(arena, from->file);
        change->was = from->was[0] ? arena_text(arena, from->was) : NULL;
        change->is = from->is[0] ? arena_text(arena, from->is) : NULL;
        message_set(change, outcome, outcomes[from->outcome]);
        change->policies = arena_zero(arena, CPU_COUNT(&from->policies) * sizeof *change->policies + 1);
        if (!change->policies)
                return error_origin(-ENOMEM);
        for (unsigned number = 0; number < CPU_SETSIZE; number++)
                if (CPU_ISSET(number, &from->policies))
                        change->policies[change->n_policies++] = number;
        *ret_change = change;
        return 0;
}

int set_governor_build(Arena *arena, const OpsGovernorDone *done, Benchd__SetGovernorReply **ret_reply) {
        Benchd__SetGovernorReply *reply = message_new(arena, Benchd__SetGovernorReply, benchd__set_governor_reply);
        int r = 0;

        if (!reply)
                return error_origin(-ENOMEM);
        reply->changes = arena_zero(arena, OPS_CHANGES_MAX * sizeof *reply->changes);
        if (!reply->changes)
                return error_origin(-ENOMEM);
        for (uint32_t i = 0; !r && i < done->n_changes; i++)
                r = change_build(arena, &done->changes[i], &reply->changes[reply->n_changes++]);
        if (r)
                return error_trace(r);
        message_set(reply, more, done->n_more);
        *ret_reply = reply;
        return error_trace(arena_check(arena));
}

/* ---- the status */

static int sticky_build(Arena *arena, const OpsSticky *from, Benchd__StickyGovernor **ret_sticky) {
        Benchd__StickyGovernor *sticky = message_new(arena, Benchd__StickyGovernor, benchd__sticky_governor);
        char list[4 * CPU_SETSIZE];

        if (!sticky)
                return error_origin(-ENOMEM);
        sticky->name = arena_text(arena, from->name);
        if (CPU_COUNT(&from->cpus) < CPU_SETSIZE) {
                cpu_list_format(&from->cpus, list, sizeof list);
                sticky->cpus = arena_text(arena, list);
        }
        *ret_sticky = sticky;
        return 0;
}

int set_governor_fill_status(Arena *arena, const OpsMachine *machine, Benchd__Status *status) {
        int r = 0;

        status->sticky_governors = arena_zero(arena, OPS_STICKY_MAX * sizeof *status->sticky_governors);
        if (!status->sticky_governors)
                return error_origin(-ENOMEM);
        for (uint32_t i = 0; !r && i < machine->n_sticky; i++)
                r = sticky_build(arena, &machine->sticky[i], &status->sticky_governors[status->n_sticky_governors++]);
        return error_trace(r);
}

/* ---- one that is asked */

static void ask_free(SetGovernor *ask) {
        if (ask->session)
                ask->session->set_governor = NULL;
        watch_client_close(&ask->open);
        LIST_REMOVE(ask, requests);
        free(ask);
}

static SetGovernor *ask_new(Session *session, uint64_t id, const OpsGovernor *wanted) {
        SetGovernor *ask = malloc(sizeof *ask);

        if (!ask)
                return NULL;
        *ask = (SetGovernor){ .clients = session->clients, .session = session, .wanted = *wanted };
        watch_client_open(&session->client, &ask->open, id);
        LIST_INSERT_HEAD(&session->clients->governor_requests, ask, requests);
        session->set_governor = ask;
        return ask;
}

static void ask_complain(SetGovernor *ask, const ReplyError *why) {
        if (ask->session)
                session_complain(ask->session, ask->open.id, why);
        ask_free(ask);
}

/* ---- answered */

static void ask_reply(SetGovernor *ask, const OpsGovernorDone *done) {
        _cleanup_(arena_freep) Arena *arena = NULL;
        Benchd__Reply reply = BENCHD__REPLY__INIT;

        if (arena_new(&arena) || set_governor_build(arena, done, &reply.set_governor))
                ask->session->broken = true;
        else
                session_reply(ask->session, ask->open.id, true, &reply);
        log_say(LOG_GOVERNOR, LOG_OF_UID(ask->session->client.uid), "%s",
                        ask->wanted.restore ? "restored" : ask->wanted.name);
}

static void ask_on_done(void *userdata, OpsPacket *packet) {
        const OpsRecord *record = &packet->record;
        SetGovernor *ask = userdata;
        ReplyError why;

        if (record->kind == OPS_GOVERNOR_DONE && record->governor_done.end == OPS_GOVERNOR_SET) {
                if (ask->session)
                        ask_reply(ask, &record->governor_done);
                ask_free(ask);
                return;
        }
        if (record->kind == OPS_GOVERNOR_DONE)
                set_governor_explain(&record->governor_done, &ask->wanted, &why);
        else
                launch_refusal_explain(&record->refused, "set the governor", &why);
        ask_complain(ask, &why);
}

static void ask_launcher(SetGovernor *ask) {
        ReplyError why;
        OpsRecord record;

        memset(&record, 0, sizeof record);
        record.kind = OPS_GOVERNOR;
        record.governor = ask->wanted;
        if (launch_link_ask(ask->clients->services->link, &record, NULL, 0, ask_on_done, ask)) {
                reply_error_set(&why, BENCHD__ERROR__CODE__INTERNAL, "benchd-launch could not be asked.");
                ask_complain(ask, &why);
        }
}

void set_governor_request(Session *session, const Benchd__Request *request) {
        ReplyError why;
        OpsGovernor wanted;
        SetGovernor *ask;

        if (set_governor_check(request->set_governor, &wanted, &why)) {
                session_complain(session, request->id, &why);
                return;
        }
        if (session->set_governor) {
                reply_error_set(&why, BENCHD__ERROR__CODE__BUSY, "This connection sets a governor already.");
                session_complain(session, request->id, &why);
                return;
        }
        ask = ask_new(session, request->id, &wanted);
        if (ask)
                ask_launcher(ask);
        else
                session->broken = true;
}

/* ---- ended */

void set_governor_forget(Session *session) {
        SetGovernor *ask = session->set_governor;

        if (!ask)
                return;
        watch_client_close(&ask->open);
        ask->session = NULL;
}

void set_governor_free_all(Clients *clients) {
        while (!LIST_EMPTY(&clients->governor_requests))
                ask_free(LIST_FIRST(&clients->governor_requests));
}
