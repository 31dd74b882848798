/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * wait: follows a job to its end and prints its result. Ctrl-C ends the waiting, not the job.
 */

#include "benchd/client.h"
#include "ctl/connection.h"
#include "ctl/follow.h"
#include "ctl/settings.h"
#include "ctl/verb.h"

static int wait_for_job(const Settings *settings, Connection *connection, Output *output) {
        Follow follow = {
                .connection = connection,
                .output = output,
                .name = settings->job,
                .goes_on = settings->job,
                .interrupt_leaves = true,
                .fail_on = settings->fail_on,
                .quiet = settings->quiet,
        };
        int r;

        r = benchd_client_wait(connection->client, settings->job, &follow.id);
        return r ? connection_unsent(r) : follow_job(&follow);
}

int verb_wait(const Settings *settings) {
        return connection_use(settings, wait_for_job);
}
