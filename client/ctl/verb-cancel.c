/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * cancel: ends a job, whoever waits for it. One that is over needs no ending, which is no failure.
 */

#include <jansson.h>

#include "benchd/client.h"
#include "ctl/ask.h"
#include "ctl/json-path.h"
#include "ctl/message.h"
#include "ctl/output.h"
#include "ctl/session.h"
#include "ctl/settings.h"
#include "ctl/verb.h"
#include "util/cleanup.h"

static int cancel_job(const Settings *settings, Session *session, Output *output) {
        _cleanup_(json_decrefp) json_t *json = NULL;
        uint64_t id;
        int r;

        r = benchd_client_cancel_job(session->client, settings->job, &id);
        if (r)
                return ask_unsent(r);
        r = ask_answer(session, id, &json);
        if (r)
                return r;
        if (!json_flag_at(json, "found"))
                complain("Job %s was over already.", settings->job);
        return output_print(output, SHOW_CHANGE, json);
}

int verb_cancel(const Settings *settings) {
        return ask_daemon(settings, cancel_job);
}
