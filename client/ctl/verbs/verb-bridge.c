/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * bridge: what 'benchctl --host' runs on the other machine. Signals do not end it, since its client decides: a command that is stopped as a
 * whole still wants what was measured.
 */

#include <signal.h>
#include <unistd.h>

#include "benchd/client.h"
#include "ctl/ask/connection.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/model/settings.h"
#include "ctl/verbs/verbs.h"
#include "util/cleanup.h"
#include "util/end-signals.h"

DEFINE_CLEANUP(benchd_config *, benchd_config_free)

/* Refusals of the client's bytes; each also reaches the client's stderr through ssh. */
static const struct {
        int error;
        const char *sentence;
} refusals[] = {
        { BENCHD_E_TOO_MANY, "The client sends more files with a request than the 32 that may come." },
        { BENCHD_E_EMPTY, "The client sends a file of no bytes." },
        { BENCHD_E_TOO_LARGE, "The client sends a file of more than 64 MiB." },
        { BENCHD_E_PROTOCOL, "The client sends bytes that are no request: it may be of another version." },
};

static int bridge_refused(const Settings *settings, int r, const char *socket) {
        for (size_t i = 0; i < N_ELEMENTS(refusals); i++)
                if (refusals[i].error == r) {
                        complain("%s", refusals[i].sentence);
                        return EXIT_DAEMON;
                }
        if (r > 0)
                return connection_refused(settings, r, socket, NULL);
        complain("The bridge to the daemon failed: %s.", benchd_error_string(r));
        return EXIT_DAEMON;
}

static int bridge(const Settings *settings, Connection *connection) {
        _cleanup_(benchd_config_freep) benchd_config *config = NULL;
        const char *socket;
        int r;

        r = connection_find_socket(settings, connection, &socket);
        if (r)
                return r;
        r = benchd_config_new(&config);
        if (r == 0 && socket)
                r = benchd_config_set_socket(config, socket);
        if (r == 0)
                r = benchd_bridge(config, STDIN_FILENO, STDOUT_FILENO);
        return r ? bridge_refused(settings, r, socket) : 0;
}

int verb_bridge(const Settings *settings) {
        Connection connection = {};
        int r;

        if (isatty(STDIN_FILENO)) {
                complain("'bridge' is for programs: 'benchctl --host=HOST' runs it on HOST.");
                return EXIT_USAGE;
        }
        for (size_t i = 0; i < END_SIGNALS_N; i++)
                (void)signal(end_signals[i], SIG_IGN);
        r = bridge(settings, &connection);
        connection_close(&connection);
        return r;
}
