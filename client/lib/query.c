/* SPDX-License-Identifier: MIT */
#include "lib/query.h"

#include <stdlib.h>
#include <string.h>

#include "benchd/client.h"
#include "util/cleanup.h"
#include "util/error.h"

#define QUERY_LIMIT_MAX 1000u

int benchd_query_new(benchd_query **ret_query) {
        benchd_query *query;

        query = calloc(1, sizeof *query);
        if (!query)
                return error_origin(-ENOMEM);
        benchd__history_request__init(&query->request);
        *ret_query = query;
        return 0;
}

benchd_query *benchd_query_free(benchd_query *query) {
        if (!query)
                return NULL;
        free(query->request.module_glob);
        free(query);
        return NULL;
}

int benchd_query_set_module(benchd_query *query, const char *glob) {
        char *copy = strdup(glob);

        if (!copy)
                return error_origin(-ENOMEM);
        free(query->request.module_glob);
        query->request.module_glob = copy;
        return 0;
}

void benchd_query_set_since(benchd_query *query, uint64_t unix_ns) {
        query->request.has_since_unix_ns = true;
        query->request.since_unix_ns = unix_ns;
}

typedef struct StateWord {
        const char *word;
        Benchd__JobState state;
} StateWord;

static const StateWord state_words[] = {
        { "queued", BENCHD__JOB_STATE__JOB_QUEUED },
        { "running", BENCHD__JOB_STATE__JOB_RUNNING },
        { "done", BENCHD__JOB_STATE__JOB_DONE },
        { "failed", BENCHD__JOB_STATE__JOB_FAILED },
        { "cancelled", BENCHD__JOB_STATE__JOB_CANCELLED },
        { "lost", BENCHD__JOB_STATE__JOB_LOST },
};

int benchd_query_set_state(benchd_query *query, const char *state) {
        for (size_t i = 0; i < N_ELEMENTS(state_words); i++) {
                if (strcmp(state_words[i].word, state) != 0)
                        continue;
                query->request.has_state = true;
                query->request.state = state_words[i].state;
                return 0;
        }
        return BENCHD_E_BAD_OPTION;
}

int benchd_query_set_limit(benchd_query *query, uint32_t limit) {
        if (limit < 1 || limit > QUERY_LIMIT_MAX)
                return BENCHD_E_BAD_OPTION;
        query->request.has_limit = true;
        query->request.limit = limit;
        return 0;
}

void benchd_query_set_all_users(benchd_query *query, bool all_users) {
        query->request.has_all_users = true;
        query->request.all_users = all_users;
}
