/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/match.h"

#include <string.h>

#include "front/database.h"
#include "front/history.h"
#include "front/job.h"
#include "front/manager.h"
#include "front/record.h"
#include "front/session.h"

#define MATCH_DIGITS_MIN 4u

Viewer match_viewer(const Session *session, bool changes) {
        return (Viewer){
                .uid = session->uid,
                .all = session->uid == 0 || (!changes && session->manager->config.history_shared),
        };
}

/* Notes that a job is meant; the same one twice is one. */
static int match_add(char match[static RUN_ID_BYTES], const char *run_id) {
        if (match[0] && strcmp(match, run_id) != 0)
                return PAST_E_AMBIGUOUS;
        strcpy(match, run_id);
        return 0;
}

/* The job that @prefix means. Returns 0 or PAST_E_*. */
static int match_prefix(const Manager *manager, const char *prefix, Viewer viewer,
                char ret_run_id[static RUN_ID_BYTES]) {
        char match[RUN_ID_BYTES] = "", found[RUN_ID_BYTES];
        const Job *job;
        int r = 0;

        TAILQ_FOREACH(job, &manager->jobs, of_manager) {
                if (r == 0 && job_is_known(job) && (viewer.all || job->uid == viewer.uid) &&
                                strncmp(job->record->run_id, prefix, strlen(prefix)) == 0)
                        r = match_add(match, job->record->run_id);
        }
        if (r)
                return r;
        r = past_find(history_database(manager->history), prefix, viewer, found);
        if (r == 0)
                r = match_add(match, found);
        if (r == 0 || (r == PAST_E_NOT_FOUND && match[0]))
                strcpy(ret_run_id, match);
        return r == PAST_E_NOT_FOUND && match[0] ? 0 : r;
}

static bool is_run_id(const char *text) {
        size_t n = strlen(text);

        return n >= MATCH_DIGITS_MIN && n < RUN_ID_BYTES && strspn(text, "0123456789abcdef") == n;
}

static void match_complain(int outcome, const char *text, const Manager *manager, Complaint *ret_complaint) {
        if (outcome == PAST_E_AMBIGUOUS) {
                complaint_set(ret_complaint, BENCHD__ERROR__CODE__NOT_FOUND, "Several jobs begin with %s.", text);
                complaint_hint(ret_complaint, "Give more of its digits.");
        } else if (outcome == PAST_E_NOT_FOUND) {
                complaint_set(ret_complaint, BENCHD__ERROR__CODE__NOT_FOUND, "No job of yours begins with %s.", text);
                complaint_hint(ret_complaint, "benchctl history lists them.");
        } else {
                complaint_set(ret_complaint, BENCHD__ERROR__CODE__INTERNAL, "The history cannot be read: %s.",
                                database_words(history_database(manager->history)));
        }
}

int match_job(const Session *session, const char *text, bool changes, char ret_run_id[static RUN_ID_BYTES],
                Complaint *ret_complaint) {
        int r;

        if (!text || !is_run_id(text)) {
                complaint_set(ret_complaint, BENCHD__ERROR__CODE__BAD_REQUEST,
                                "run_id is not 4 to 32 hexadecimal digits in lower case.");
                return MATCH_E_NONE;
        }
        r = match_prefix(session->manager, text, match_viewer(session, changes), ret_run_id);
        if (r == 0)
                return 0;
        match_complain(r, text, session->manager, ret_complaint);
        return MATCH_E_NONE;
}
