/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * status: the daemon, its machine and its queue.
 */

#include "benchd/client.h"
#include "ctl/ask/connection.h"
#include "ctl/model/settings.h"
#include "ctl/verbs/verbs.h"

static int status_print(const Settings *settings, Connection *connection, Output *output) {
        uint64_t id;
        int r;

        /* a private daemon has just started, and is not asked again */
        r = connection->private ? benchd_client_status_calibrated(connection->client, &id)
                                : benchd_client_status(connection->client, &id);
        return r ? connection_unsent(r) : connection_print(connection, id, SHOW_STATUS, output);
}

int verb_status(const Settings *settings) {
        return connection_use(settings, status_print);
}
