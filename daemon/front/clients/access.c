/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/clients/access.h"

#include <stddef.h>
#include <unistd.h>

#include "front/base/config.h"
#include "front/base/log.h"
#include "ops/ops.h"
#include "util/cleanup.h"

typedef struct AccessRow {
        const char *option;
        size_t offset; /* in Config */
        const char *action;
        const char *words; /* to follow "may not" */
} AccessRow;

static const AccessRow access_rows[_ACCESS_VERB_N] = {
        [ACCESS_RUN] = { "run", offsetof(Config, access_run), "org.benchd.run", "run benchmarks" },
        [ACCESS_LIST] = { "list", offsetof(Config, access_list), "org.benchd.list", "list or inspect modules" },
        [ACCESS_STATUS] = { "status", offsetof(Config, access_status), "org.benchd.status", "ask for the status" },
        [ACCESS_HISTORY] = { "history", offsetof(Config, access_history), "org.benchd.history",
                        "see other users' jobs" },
        [ACCESS_CANCEL] = { "cancel", offsetof(Config, access_cancel), "org.benchd.cancel",
                        "cancel or pin other users' jobs" },
        [ACCESS_SET_GOVERNOR] = { "set_governor", offsetof(Config, set_governor), "org.benchd.set-governor",
                        "set the governor of this machine" },
        [ACCESS_DROP_CACHES] = { "drop_caches", offsetof(Config, drop_caches), "org.benchd.drop-caches",
                        "have the page cache dropped" },
};

static void access_on_nobody(void *context, const char *name) {
        const AccessRow *row = context;

        log_say(LOG_CONFIG, NULL, "%s: there is no %s", row->option, name);
}

void access_init(Access *access, const Config *config) {
        for (size_t verb = ACCESS_ALWAYS + 1; verb < _ACCESS_VERB_N; verb++)
                allow_list_init(&access->allowed[verb], (const char *)config + access_rows[verb].offset,
                                access_on_nobody, (void *)&access_rows[verb]);
}

bool access_allows(const Access *access, AccessVerb verb, uid_t uid, int fd, const OpsMachine *machine) {
        const AllowList *allowed = &access->allowed[verb];
        AllowPeer peer;

        if (verb == ACCESS_ALWAYS || uid == 0 || allowed->everyone)
                return true;
        if (machine && !machine->privileged && uid == geteuid())
                return true;
        return allow_list_read_peer(fd, &peer) == 0 && peer.uid == uid && allow_list_has(allowed, &peer);
}

const char *access_action(AccessVerb verb) {
        return access_rows[verb].action;
}

void access_explain(AccessVerb verb, ReplyError *ret_why) {
        const AccessRow *row = &access_rows[verb];

        reply_error_set(ret_why, BENCHD__ERROR__CODE__DENIED, "This user may not %s.", row->words);
        reply_error_hint(ret_why,
                        "Allowed: root, users and groups listed in %s= of [access] (benchd.conf), and users whom polkit "
                        "authorises for %s.",
                        row->option, row->action);
}

void access_hint_others(AccessVerb verb, ReplyError *why) {
        const AccessRow *row = &access_rows[verb];

        reply_error_hint(why,
                        "'benchctl history' lists yours. Those of others are for root, %s= of [access] (benchd.conf) and "
                        "polkit's %s.",
                        row->option, row->action);
}
