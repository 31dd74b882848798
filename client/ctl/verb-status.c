/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * status: the daemon, the machine it sees, and what it does now.
 */

#include "benchd/client.h"
#include "ctl/ask.h"
#include "ctl/exit.h"
#include "ctl/message.h"
#include "ctl/output.h"
#include "ctl/session.h"
#include "ctl/settings.h"
#include "ctl/verb.h"

static int status_print(Session *session, Output *output) {
        uint64_t id;
        int r;

        r = benchd_client_status(session->client, &id);
        if (r) {
                complain("Cannot ask the daemon: %s.", benchd_error_string(r));
                return EXIT_DAEMON;
        }
        return ask_await(session, id, SHOW_STATUS, output);
}

int verb_status(const Settings *settings) {
        Session session;
        Output output;
        int r, r_close;

        if (settings->arguments.n > 0 || settings->filters.n > 0) {
                complain("'status' takes no arguments.");
                return EXIT_USAGE;
        }
        r = output_open(settings, &output);
        if (r)
                return r;
        r = session_open(settings, &session);
        if (r == 0) {
                r = status_print(&session, &output);
                session_close(&session);
        }
        r_close = output_close(&output);
        return r ? r : r_close;
}
