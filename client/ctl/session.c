/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/session.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>

#include "benchd/client.h"
#include "ctl/exit.h"
#include "ctl/interrupt.h"
#include "ctl/message.h"
#include "ctl/private.h"
#include "ctl/settings.h"
#include "util/cleanup.h"

DEFINE_CLEANUP(benchd_config *, benchd_config_free)

typedef struct ConnectProblem {
        int error; /* BENCHD_E_* */
        const char *hint;
} ConnectProblem;

static const ConnectProblem connect_problems[] = {
        { BENCHD_E_NO_DAEMON,
                        "Start it with 'systemctl start benchd', or run without one: benchctl run --private MODULE.so" },
        { BENCHD_E_ACCESS,
                        "Ask to be added to the group 'benchd', or run without it: benchctl run --private MODULE.so" },
        { BENCHD_E_BUSY, "Try again later." },
        { BENCHD_E_VERSION, "Use the benchctl that was installed with this daemon." },
        { BENCHD_E_PROTOCOL, "What listens there may not be benchd." },
};

static int session_refused(int r, const char *socket) {
        if (r == -EINTR)
                return EXIT_CANCELLED;
        complain("Cannot reach the daemon at %s: %s.", socket ? socket : "/run/benchd/benchd.sock",
                        benchd_error_string(r));
        for (size_t i = 0; i < N_ELEMENTS(connect_problems); i++)
                if (connect_problems[i].error == r)
                        hint("%s", connect_problems[i].hint);
        return EXIT_DAEMON;
}

static int session_connect(Session *session, const char *socket) {
        _cleanup_(benchd_config_freep) benchd_config *config = NULL;
        int r;

        r = benchd_config_new(&config);
        if (r == 0)
                r = benchd_config_set_name(config, "benchctl " BENCHD_VERSION);
        if (r == 0 && socket)
                r = benchd_config_set_socket(config, socket);
        if (r == 0)
                r = benchd_client_new(config, &session->client);
        return r ? session_refused(r, socket) : 0;
}

/* Its own words, printed before, name the cause. */
static void session_private_ended(void) {
        complain("The private daemon ended before it was ready.");
        hint("The lines above name the cause: mend it and run the command again.");
}

static int session_start_private(Session *session) {
        int r;

        r = private_daemon_new(&session->private_daemon);
        if (r == 0)
                return 0;
        if (r == PRIVATE_E_INTERRUPTED)
                return EXIT_CANCELLED;
        if (r == PRIVATE_E_MISSING) {
                complain("Cannot start a private daemon: benchd-launch is not in %s.", BENCHD_BINDIR);
                hint("Install the package benchd, or build it: ninja -C build");
        } else if (r == PRIVATE_E_ENDED)
                session_private_ended();
        else
                complain("Cannot start a private daemon: %s.", benchd_error_string(r));
        return EXIT_DAEMON;
}

int session_open(const Settings *settings, Session *ret_session) {
        Session session = {};
        const char *socket = settings->socket;
        int r;

        if (settings->private_daemon) {
                r = session_start_private(&session);
                if (r)
                        return r;
                socket = private_daemon_socket(session.private_daemon);
        }
        r = session_connect(&session, socket);
        if (r) {
                if (session.private_daemon)
                        private_daemon_complain(session.private_daemon);
                session_close(&session);
                return r;
        }
        *ret_session = session;
        return 0;
}

void session_close(Session *session) {
        session->client = benchd_client_free(session->client);
        session->private_daemon = private_daemon_free(session->private_daemon);
}

/* ---- events */

static int session_lost(Session *session, int r) {
        complain("The daemon is lost: %s.", benchd_error_string(r));
        if (session->private_daemon)
                private_daemon_complain(session->private_daemon);
        else
                hint("Its journal may say more: journalctl -u benchd -u benchd-launch");
        return SESSION_E_LOST;
}

static int session_poll(Session *session, bool interruptible) {
        struct pollfd fds[] = {
                { .fd = benchd_client_fd(session->client), .events = benchd_client_poll_events(session->client) },
                { .fd = interruptible ? interrupt_fd() : -1, .events = POLLIN },
        };

        if (poll(fds, N_ELEMENTS(fds), -1) < 0 && errno != EINTR)
                return session_lost(session, -errno);
        return interruptible && interrupt_came() ? SESSION_E_INTERRUPTED : 0;
}

int session_next(Session *session, bool interruptible, benchd_event **ret_event) {
        int r = 0;

        for (;;) {
                benchd_event *event = benchd_client_pop_event(session->client);

                if (event) {
                        *ret_event = event;
                        return 0;
                }
                if (r)
                        return session_lost(session, r);
                r = session_poll(session, interruptible);
                if (r)
                        return r;
                r = benchd_client_dispatch(session->client);
        }
}
