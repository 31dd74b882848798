/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * wait: follows a job until it is over, and prints what it gave. Ctrl-C ends the waiting, not the job.
 */

#include "benchd/client.h"
#include "ctl/ask.h"
#include "ctl/follow.h"
#include "ctl/session.h"
#include "ctl/settings.h"
#include "ctl/verb.h"

static int wait_for_job(const Settings *settings, Session *session, Output *output) {
        Follow follow = {
                .session = session,
                .output = output,
                .name = settings->job,
                .goes_on = settings->job,
                .interrupt_leaves = true,
                .quiet = settings->quiet,
        };
        int r;

        r = benchd_client_wait(session->client, settings->job, &follow.id);
        return r ? ask_unsent(r) : follow_job(&follow);
}

int verb_wait(const Settings *settings) {
        return ask_daemon(settings, wait_for_job);
}
