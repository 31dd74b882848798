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

int ask_daemon(const Settings *settings, Ask ask) {
        Session session;
        Output output;
        int r, r_close;

        r = output_open(settings, &output);
        if (r)
                return r;
        r = session_open(settings, &session);
        if (r == 0) {
                r = ask(settings, &session, &output);
                session_close(&session);
        }
        r_close = output_close(&output);
        return r ? r : r_close;
}

int ask_unsent(int r) {
        complain("Cannot ask the daemon: %s.", benchd_error_string(r));
        return EXIT_DAEMON;
}

static int ask_read(const benchd_event *event, json_t **ret_json) {
        json_t *json;

        if (benchd_event_type(event) == BENCHD_EVENT_ERROR)
                return complain_event(event);
        json = benchd_event_json(event) ? json_loads(benchd_event_json(event), 0, NULL) : NULL;
        if (!json) {
                complain("The answer cannot be read.");
                return EXIT_DAEMON;
        }
        *ret_json = json;
        return 0;
}

int ask_answer(Session *session, uint64_t id, json_t **ret_json) {
        for (;;) {
                _cleanup_(benchd_event_freep) benchd_event *event = NULL;
                int r;

                r = session_next(session, true, &event);
                if (r == SESSION_E_INTERRUPTED)
                        return EXIT_CANCELLED;
                if (r)
                        return EXIT_DAEMON;
                if (benchd_event_last(event) && (benchd_event_request(event) == id || benchd_event_request(event) == 0))
                        return ask_read(event, ret_json);
        }
}

int ask_await(Session *session, uint64_t id, ShowKind kind, Output *output) {
        _cleanup_(json_decrefp) json_t *json = NULL;
        int r;

        r = ask_answer(session, id, &json);
        return r ? r : output_print(output, kind, json);
}
