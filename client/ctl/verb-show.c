/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * show: prints the result of a job that has ended.
 */

#include "benchd/client.h"
#include "ctl/connection.h"
#include "ctl/follow.h"
#include "ctl/settings.h"
#include "ctl/verb.h"

static int show_job(const Settings *settings, Connection *connection, Output *output) {
        Follow follow = {
                .connection = connection,
                .output = output,
                .name = settings->job,
                .interrupt_leaves = true,
                .fail_on = settings->fail_on,
                .quiet = settings->quiet,
        };
        int r;

        r = benchd_client_show(connection->client, settings->job, &follow.id);
        return r ? connection_unsent(r) : follow_job(&follow);
}

int verb_show(const Settings *settings) {
        return connection_use(settings, show_job);
}
