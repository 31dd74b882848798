/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/clients/governor-words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "front/base/message.h"
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

int governor_words_check(const Benchd__SetGovernorRequest *request, OpsGovernor *ret_wanted, ReplyError *ret_why) {
        OpsGovernor wanted = { .restore = request->has_restore && request->restore };

        if (!request->name == !wanted.restore) {
                reply_error_set(ret_why, BENCHD__ERROR__CODE__BAD_REQUEST,
                                "A governor is set by its name, or restored: one of the two.");
                return GOVERNOR_WORDS_E_BAD;
        }
        if (request->name && !is_name(request->name)) {
                reply_error_set(ret_why, BENCHD__ERROR__CODE__BAD_REQUEST,
                                "A governor's name has 1 to %u letters, digits and dashes.", OPS_GOVERNOR_NAME_MAX - 1);
                return GOVERNOR_WORDS_E_BAD;
        }
        if (request->name)
                strcpy(wanted.name, request->name);
        for (size_t i = 0; i < request->n_cpus; i++) {
                if (request->cpus[i] >= CPU_SETSIZE) {
                        reply_error_set(ret_why, BENCHD__ERROR__CODE__BAD_REQUEST,
                                        "There is no CPU %u: CPUs are numbered from 0 to %u.", request->cpus[i],
                                        CPU_SETSIZE - 1);
                        return GOVERNOR_WORDS_E_BAD;
                }
                CPU_SET(request->cpus[i], &wanted.cpus);
        }
        *ret_wanted = wanted;
        return 0;
}

/* ---- what became of it */

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

void governor_words_complain(const OpsGovernorDone *done, const OpsGovernor *wanted, ReplyError *ret_why) {
        char names[OPS_GOVERNOR_NAMES_MAX];

        switch (done->end) {
        case OPS_GOVERNOR_UNKNOWN:
                reply_error_set(ret_why, BENCHD__ERROR__CODE__BAD_REQUEST,
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
                reply_error_set(ret_why, BENCHD__ERROR__CODE__BAD_REQUEST,
                                "As many sets of CPUs as can be have a governor of their own: %u.", OPS_STICKY_MAX);
                reply_error_hint(ret_why, "Restore some of them, or set it for all CPUs.");
                break;
        default:
                reply_error_set(ret_why, BENCHD__ERROR__CODE__UNSUPPORTED,
                                "These CPUs have no governor: the kernel does not control their frequency (it has no "
                                "cpufreq driver for them), as in most virtual machines.");
                reply_error_hint(ret_why, "Cycles do not depend on the frequency: 'run' shows them beside the time.");
                break;
        }
}

static int change_policies(Arena *arena, const cpu_set_t *policies, Benchd__GovernorChange *ret_change) {
        ret_change->policies = arena_zero(arena, CPU_COUNT(policies) * sizeof *ret_change->policies + 1);
        if (!ret_change->policies)
                return error_origin(-ENOMEM);
        for (unsigned number = 0; number < CPU_SETSIZE; number++)
                if (CPU_ISSET(number, policies))
                        ret_change->policies[ret_change->n_policies++] = number;
        return 0;
}

static int change_build(Arena *arena, const OpsChange *from, Benchd__GovernorChange **ret_change) {
        Benchd__GovernorChange *change = message_new(arena, Benchd__GovernorChange, benchd__governor_change);

        if (!change)
                return error_origin(-ENOMEM);
        change->file = arena_text(arena, from->file);
        change->was = from->was[0] ? arena_text(arena, from->was) : NULL;
        change->is = from->is[0] ? arena_text(arena, from->is) : NULL;
        message_set(change, outcome, (Benchd__GovernorChange__Outcome)from->outcome);
        *ret_change = change;
        return error_trace(change_policies(arena, &from->policies, change));
}

int governor_words_reply(Arena *arena, const OpsGovernorDone *done, Benchd__SetGovernorReply **ret_reply) {
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

int governor_words_status(Arena *arena, const OpsMachine *machine, Benchd__Status *status) {
        int r = 0;

        status->sticky_governors = arena_zero(arena, OPS_STICKY_MAX * sizeof *status->sticky_governors);
        if (!status->sticky_governors)
                return error_origin(-ENOMEM);
        for (uint32_t i = 0; !r && i < machine->n_sticky; i++)
                r = sticky_build(arena, &machine->sticky[i], &status->sticky_governors[status->n_sticky_governors++]);
        return error_trace(r);
}
