/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * cancel: ends a job, even if other clients wait for it. A job that has already ended is not an error.
 */

#include <jansson.h>

#include "ctl/ask/connection.h"
#include "ctl/base/complain.h"
#include "ctl/base/json-path.h"
#include "ctl/model/settings.h"
#include "ctl/show/output.h"
#include "ctl/verbs/verbs.h"
#include "util/cleanup.h"

static int cancel_job(const Settings *settings, Connection *connection, Output *output) {
        _cleanup_(json_decrefp) json_t *json = NULL;
        int r;

        r = connection_ask(connection, "cancel", json_pack("{ss}", "run_id", settings->job), &json);
        if (r)
                return r;
        if (!json_flag_at(json, "found"))
                complain("Job %s had already ended.", settings->job);
        return output_print(output, SHOW_CHANGE, json);
}

int verb_cancel(const Settings *settings) {
        return connection_use(settings, cancel_job);
}
