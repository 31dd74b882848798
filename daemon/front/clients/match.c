/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/clients/match.h"

#include <string.h>

#include "front/clients/session.h"
#include "front/daemon.h"
#include "front/history/history.h"
#include "front/history/job-record.h"
#include "front/jobs/job.h"

#define MATCH_DIGITS_MIN 4u

Viewer match_viewer(const Session *session, bool changes) {
        return (Viewer){
                .uid = session->uid,
                .all = session->uid == 0 || (!changes && session->daemon->config.history_shared),
        };
}

/* Notes that a job is meant; the same one twice is one. */
static int match_add(char match[static RUN_ID_BYTES], const char *run_id) {
        if (match[0] && strcmp(match, run_id) != 0)
                return HISTORY_E_AMBIGUOUS;
        strcpy(match, run_id);
        return 0;
}

/* The job that @prefix means. Returns 0 or HISTORY_E_*. */
static int match_prefix(const Daemon *daemon, const char *prefix, Viewer viewer, char ret_run_id[static RUN_ID_BYTES]) {
        char match[RUN_ID_BYTES] = "", found[RUN_ID_BYTES];
        const Job *job;
        int r = 0;

        TAILQ_FOREACH(job, &daemon->jobs, of_daemon) {
                if (r == 0 && job_is_known(job) && (viewer.all || job->uid == viewer.uid) &&
                                strncmp(job->record->run_id, prefix, strlen(prefix)) == 0)
                        r = match_add(match, job->record->run_id);
        }
        if (r)
                return r;
        r = history_find(daemon->history, prefix, viewer, found);
        if (r == 0)
                r = match_add(match, found);
        if (r == 0 || (r == HISTORY_E_NOT_FOUND && match[0]))
                strcpy(ret_run_id, match);
        return r == HISTORY_E_NOT_FOUND && match[0] ? 0 : r;
}

static bool is_run_id(const char *text) {
        size_t n = strlen(text);

        return n >= MATCH_DIGITS_MIN && n < RUN_ID_BYTES && strspn(text, "0123456789abcdef") == n;
}

static void match_complain(int outcome, const char *text, const Daemon *daemon, ReplyError *ret_why) {
        if (outcome == HISTORY_E_AMBIGUOUS) {
                reply_error_set(ret_why, BENCHD__ERROR__CODE__NOT_FOUND, "Several jobs begin with %s.", text);
                reply_error_hint(ret_why, "Give more of its digits.");
        } else if (outcome == HISTORY_E_NOT_FOUND) {
                reply_error_set(ret_why, BENCHD__ERROR__CODE__NOT_FOUND, "No job of yours begins with %s.", text);
                reply_error_hint(ret_why, "benchctl history lists them.");
        } else {
                reply_error_set(ret_why, BENCHD__ERROR__CODE__INTERNAL, "The history cannot be read: %s.",
                                history_words(daemon->history));
        }
}

int match_job(const Session *session, const char *text, bool changes, char ret_run_id[static RUN_ID_BYTES],
                ReplyError *ret_why) {
        int r;

        if (!text || !is_run_id(text)) {
                reply_error_set(ret_why, BENCHD__ERROR__CODE__BAD_REQUEST,
                                "run_id is not 4 to 32 hexadecimal digits in lower case.");
                return MATCH_E_NONE;
        }
        r = match_prefix(session->daemon, text, match_viewer(session, changes), ret_run_id);
        if (r == 0)
                return 0;
        match_complain(r, text, session->daemon, ret_why);
        return MATCH_E_NONE;
}
