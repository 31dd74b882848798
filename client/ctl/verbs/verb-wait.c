/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * wait: follows a job, the latest where none is named, to its end and prints its result. Ctrl-C ends the waiting, not the job.
 */

#include "benchd/client.h"
#include "ctl/ask/connection.h"
#include "ctl/ask/follow.h"
#include "ctl/ask/load.h"
#include "ctl/base/job-id.h"
#include "ctl/model/settings.h"
#include "ctl/verbs/verbs.h"

static int wait_for_job(const Settings *settings, Connection *connection, Output *output) {
        Follow follow = {
                .connection = connection,
                .output = output,
                .interrupt_leaves = true,
                .fail_on = &settings->fail_on,
                .quiet = settings->quiet,
        };
        char latest[JOB_ID_BYTES];
        int r = 0;

        follow.name = *settings->job ? settings->job : latest;
        follow.goes_on = follow.name;
        if (!*settings->job)
                r = connection_latest_job(connection, latest);
        if (r)
                return r;
        r = benchd_client_wait(connection->client, follow.name, &follow.id);
        return r ? connection_unsent(r) : follow_job(&follow);
}

int verb_wait(const Settings *settings) {
        return connection_use(settings, wait_for_job);
}
