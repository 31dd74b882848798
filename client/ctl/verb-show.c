/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * show: what a job that is over gave.
 */

#include "benchd/client.h"
#include "ctl/ask.h"
#include "ctl/follow.h"
#include "ctl/session.h"
#include "ctl/settings.h"
#include "ctl/verb.h"

static int show_job(const Settings *settings, Session *session, Output *output) {
        Follow follow = {
                .session = session,
                .output = output,
                .name = settings->job,
                .interrupt_leaves = true,
                .quiet = settings->quiet,
        };
        int r;

        r = benchd_client_show(session->client, settings->job, &follow.id);
        return r ? ask_unsent(r) : follow_job(&follow);
}

int verb_show(const Settings *settings) {
        return ask_daemon(settings, show_job);
}
