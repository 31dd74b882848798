/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * pin, unpin: a job's module is kept, or not, when the daemon needs the space.
 */

#include <jansson.h>

#include "ctl/ask/connection.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/json-path.h"
#include "ctl/model/settings.h"
#include "ctl/show/output.h"
#include "ctl/verbs/verbs.h"
#include "util/cleanup.h"

static int pin_job(const Settings *settings, Connection *connection, Output *output, bool pinned) {
        _cleanup_(json_decrefp) json_t *json = NULL;
        int r;

        r = connection_ask(connection, "pin", json_pack("{ss sb}", "run_id", settings->job, "pinned", pinned), &json);
        if (r)
                return r;
        r = output_print(output, SHOW_CHANGE, json);
        if (r || !pinned || json_flag_at(json, "stored"))
                return r;
        complain("The module of job %s is no longer kept.", settings->job);
        return EXIT_DAEMON;
}

static int pin(const Settings *settings, Connection *connection, Output *output) {
        return pin_job(settings, connection, output, true);
}

static int unpin(const Settings *settings, Connection *connection, Output *output) {
        return pin_job(settings, connection, output, false);
}

int verb_pin(const Settings *settings) {
        return connection_use(settings, pin);
}

int verb_unpin(const Settings *settings) {
        return connection_use(settings, unpin);
}
