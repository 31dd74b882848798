/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask.h"

#include <jansson.h>

#include "benchd/client.h"
#include "ctl/exit.h"
#include "ctl/message.h"
#include "ctl/output.h"
#include "ctl/session.h"
#include "util/cleanup.h"

DEFINE_CLEANUP(benchd_event *, benchd_event_free)

static int ask_print(const benchd_event *event, ShowKind kind, Output *output) {
        _cleanup_(json_decrefp) json_t *json = NULL;

        if (benchd_event_type(event) == BENCHD_EVENT_ERROR)
                return complain_event(event);
        json = benchd_event_json(event) ? json_loads(benchd_event_json(event), 0, NULL) : NULL;
        if (!json) {
                complain("The answer cannot be read.");
                return EXIT_DAEMON;
        }
        return output_print(output, kind, json);
}

int ask_await(Session *session, uint64_t id, ShowKind kind, Output *output) {
        for (;;) {
                _cleanup_(benchd_event_freep) benchd_event *event = NULL;
                int r;

                r = session_next(session, true, &event);
                if (r == SESSION_E_INTERRUPTED)
                        return EXIT_CANCELLED;
                if (r)
                        return EXIT_DAEMON;
                if (benchd_event_last(event) && (benchd_event_request(event) == id || benchd_event_request(event) == 0))
                        return ask_print(event, kind, output);
        }
}
