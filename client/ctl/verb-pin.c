/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * pin, unpin: whether a job's module is kept when the daemon needs its room.
 */

#include <jansson.h>

#include "benchd/client.h"
#include "ctl/ask.h"
#include "ctl/exit.h"
#include "ctl/json-path.h"
#include "ctl/message.h"
#include "ctl/output.h"
#include "ctl/session.h"
#include "ctl/settings.h"
#include "ctl/verb.h"
#include "util/cleanup.h"

static int pin_job(const Settings *settings, Session *session, Output *output, bool pinned) {
        _cleanup_(json_decrefp) json_t *json = NULL;
        uint64_t id;
        int r;

        r = benchd_client_pin(session->client, settings->job, pinned, &id);
        if (r)
                return ask_unsent(r);
        r = ask_answer(session, id, &json);
        if (r)
                return r;
        r = output_print(output, SHOW_CHANGE, json);
        if (r || !pinned || json_flag_at(json, "stored"))
                return r;
        complain("The module of job %s is gone already.", settings->job);
        return EXIT_DAEMON;
}

static int pin(const Settings *settings, Session *session, Output *output) {
        return pin_job(settings, session, output, true);
}

static int unpin(const Settings *settings, Session *session, Output *output) {
        return pin_job(settings, session, output, false);
}

int verb_pin(const Settings *settings) {
        return ask_daemon(settings, pin);
}

int verb_unpin(const Settings *settings) {
        return ask_daemon(settings, unpin);
}
