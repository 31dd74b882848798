/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * history: the jobs that the daemon knows, the latest first.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "benchd/client.h"
#include "ctl/complain.h"
#include "ctl/connection.h"
#include "ctl/exit.h"
#include "ctl/instant.h"
#include "ctl/settings.h"
#include "ctl/verb.h"
#include "util/time.h"

/* ---- the words typed → a query: each function returns 0 or an exit code, having said why */

static int query_module(const Settings *settings, benchd_query *query) {
        const WordList *words = settings->filters.n > 0 ? &settings->filters : &settings->arguments;

        if (settings->arguments.n + settings->filters.n > 1) {
                complain("'history' takes one filter: a glob over module names.");
                return EXIT_USAGE;
        }
        if (words->n == 0 || benchd_query_set_module(query, words->words[0]) == 0)
                return 0;
        complain("Out of memory.");
        return EXIT_MACHINE;
}

static int query_since(const Settings *settings, benchd_query *query) {
        int64_t seconds;

        if (!settings->since)
                return 0;
        if (instant_parse(settings->since, time(NULL), &seconds) || seconds < 0) {
                complain("--since takes a date or an age, not '%s'.", settings->since);
                complain_hint("Examples: --since=2h, --since=3d, --since=yesterday, --since='2026-05-01 14:30'.");
                return EXIT_USAGE;
        }
        benchd_query_set_since(query, (uint64_t)seconds * NS_PER_S);
        return 0;
}

static int query_limit(const Settings *settings, benchd_query *query) {
        const char *text = settings->limit;
        unsigned long limit;

        if (!text)
                return 0;
        errno = 0;
        limit = strspn(text, "0123456789") == strlen(text) ? strtoul(text, NULL, 10) : 0;
        if (errno == 0 && limit <= UINT32_MAX && benchd_query_set_limit(query, (uint32_t)limit) == 0)
                return 0;
        complain("--limit takes a whole number from 1 to 1000, not '%s'.", text);
        return EXIT_USAGE;
}

static int query_fill(const Settings *settings, benchd_query *query) {
        int r;

        if (settings->all_users)
                benchd_query_set_all_users(query, true);
        r = query_module(settings, query);
        if (r == 0)
                r = query_since(settings, query);
        if (r == 0)
                r = query_limit(settings, query);
        if (r || !settings->state || benchd_query_set_state(query, settings->state) == 0)
                return r;
        complain("unknown state '%s'; states are queued, running, done, failed, cancelled and lost.", settings->state);
        return EXIT_USAGE;
}

/* ---- the verb */

static int history_print(const Settings *settings, Connection *connection, Output *output) {
        uint64_t id;
        int r;

        r = benchd_client_history(connection->client, settings->query, &id);
        return r ? connection_unsent(r) : connection_print(connection, id, SHOW_HISTORY, output);
}

int verb_history(const Settings *settings) {
        int r;

        r = query_fill(settings, settings->query);
        return r ? r : connection_use(settings, history_print);
}
