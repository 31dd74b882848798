/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/connection.h"
#include "ctl/ask/retry.h"
#include "ctl/base/job-id.h"

#include <errno.h>
#include <jansson.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchd/client.h"
#include "ctl/ask/fleet/hosts.h"
#include "ctl/ask/fleet/transport.h"
#include "ctl/ask/private.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/interrupt.h"
#include "ctl/base/json-path.h"
#include "ctl/model/settings.h"
#include "ctl/model/verb.h"
#include "ctl/show/output.h"
#include "lib/event.h"
#include "util/cleanup.h"

DEFINE_CLEANUP(benchd_config *, benchd_config_free)
DEFINE_CLEANUP(benchd_event *, benchd_event_free)

typedef struct ConnectProblem {
        int error;           /* BENCHD_E_* */
        const char *hint;    /* without its full stop */
        bool without_daemon; /* a private daemon helps too */
} ConnectProblem;

static const ConnectProblem connect_problems[] = {
        { BENCHD_E_NO_DAEMON, "Start it with 'systemctl start benchd'", true },
        { BENCHD_E_ACCESS, "Ask to be added to the group 'benchd'", true },
        { BENCHD_E_BUSY, "Try again later", false },
        { BENCHD_E_VERSION, "Use the benchctl that was installed with this daemon", false },
        { BENCHD_E_PROTOCOL, "The program that listens there may not be benchd", false },
};

static void complain_connect(const Settings *settings, const ConnectProblem *problem) {
        _cleanup_(freep) char *command = problem->without_daemon ? retry_with_private(settings) : NULL;

        if (problem->without_daemon && settings->verb->traits & VERB_BRIDGE)
                complain_hint("%s there, or give --private beside --host.", problem->hint);
        else if (command)
                complain_hint("%s, or do without it: %s", problem->hint, command);
        else if (problem->without_daemon && settings->verb->traits & VERB_PRIVATE_RESULTS)
                complain_hint("%s. To list private runs, which need none: benchctl history --private", problem->hint);
        else
                complain_hint("%s.", problem->hint);
}

int connection_refused(const Settings *settings, int r, const char *socket, benchd_client *client) {
        _cleanup_(benchd_event_freep) benchd_event *refusal = client ? benchd_client_pop_event(client) : NULL;
        const char *where = socket ? socket : "/run/benchd/benchd.sock";

        if (r == -EINTR)
                return EXIT_CANCELLED;
        if (r == BENCHD_E_BUSY && refusal) {
                complain("The daemon at %s accepts no connection: %s", where, benchd_event_error_message(refusal));
                return complain_remedy(refusal, NULL);
        }
        complain("Cannot reach the daemon at %s: %s.", where, benchd_error_string(r));
        for (size_t i = 0; i < N_ELEMENTS(connect_problems); i++)
                if (connect_problems[i].error == r)
                        complain_connect(settings, &connect_problems[i]);
        return EXIT_DAEMON;
}

static int connection_start_private(Connection *connection) {
        int r;

        r = private_daemon_new(&connection->private_daemon);
        if (r == 0)
                return 0;
        if (r == PRIVATE_E_INTERRUPTED)
                return EXIT_CANCELLED;
        if (r == PRIVATE_E_MISSING) {
                complain("Cannot start a private daemon: benchd-launch is not in %s.", BENCHD_BINDIR);
                complain_hint("Install the package benchd, or build it: ninja -C build");
        } else if (r == PRIVATE_E_ENDED) { /* its own words are printed above */
                complain("The private daemon ended before it was ready.");
                complain_hint("The lines above name the cause: fix it and run the command again.");
        } else {
                complain("Cannot start a private daemon: %s.", benchd_error_string(r));
                if (r == -EMFILE)
                        complain_hint("Raise the limit with 'ulimit -n 1024'; where that is refused, in a new shell.");
        }
        return EXIT_DAEMON;
}

void connection_close(Connection *connection) {
        connection->client = benchd_client_free(connection->client);
        connection->private_daemon = private_daemon_free(connection->private_daemon);
        free(connection->options);
        connection->options = NULL;
}

static const char *socket_of_environment(void) {
        const char *socket = getenv("BENCHD_SOCKET");

        return socket && *socket ? socket : NULL;
}

int connection_find_socket(const Settings *settings, Connection *connection, const char **ret_socket) {
        int r;

        *ret_socket = settings->socket ? settings->socket : socket_of_environment();
        if (!settings->private_daemon)
                return 0;
        r = connection_start_private(connection);
        if (r)
                return r;
        *ret_socket = private_daemon_socket(connection->private_daemon);
        return 0;
}

/* Waits until the daemon has answered the greeting. Returns as the library does. */
static int connection_greet(Connection *connection) {
        while (!benchd_client_ready(connection->client)) {
                struct pollfd fds[] = {
                        { .fd = benchd_client_fd(connection->client),
                                        .events = benchd_client_poll_events(connection->client) },
                        { .fd = interrupt_fd(), .events = POLLIN },
                };
                int r;

                if (poll(fds, N_ELEMENTS(fds), -1) < 0 && errno != EINTR)
                        return -errno;
                r = interrupt_came() ? -EINTR : benchd_client_dispatch(connection->client);
                if (r)
                        return r;
        }
        return 0;
}

static int connection_connect(Connection *connection, const benchd_config *config) {
        int r;

        r = benchd_client_begin(config, &connection->client);
        return r ? r : connection_greet(connection);
}

/* True of commands where no daemon runs and none was asked for: a private one serves them too. */
static bool may_be_private(const Settings *settings, int r, const char *socket) {
        return r == BENCHD_E_NO_DAEMON && !socket && settings->verb->traits & VERB_EXEC;
}

/* Starts a private daemon in place of the missing one. Returns 0 or an exit code. */
static int connection_become_private(const Settings *settings, benchd_config *config, Connection *connection) {
        int r;

        if (!settings->quiet)
                complain("No daemon runs: a private one measures, with the rights of the user (--private).");
        connection->client = benchd_client_free(connection->client);
        r = connection_start_private(connection);
        if (r)
                return r;
        connection->private = true;
        connection->socket = private_daemon_socket(connection->private_daemon);
        connection->options = strdup(" --private");
        r = benchd_config_set_socket(config, connection->socket);
        if (r == 0)
                r = connection_connect(connection, config);
        return r ? connection_refused(settings, r, connection->socket, connection->client) : 0;
}

static int connection_open_here(const Settings *settings, benchd_config *config, Connection *connection) {
        const char *socket;
        int r;

        r = connection_find_socket(settings, connection, &socket);
        if (r)
                return r;
        connection->socket = socket;
        connection->options = settings->private_daemon ? strdup(" --private") : NULL;
        r = socket ? benchd_config_set_socket(config, socket) : 0;
        if (r == 0)
                r = connection_connect(connection, config);
        if (r == 0)
                return 0;
        if (may_be_private(settings, r, socket))
                return connection_become_private(settings, config, connection);
        r = connection_refused(settings, r, socket, connection->client);
        if (connection->private_daemon)
                private_daemon_complain(connection->private_daemon);
        return r;
}

static int connection_open_there(const Settings *settings, benchd_config *config, Connection *connection) {
        _cleanup_(hosts_clear) Hosts hosts = {}; /* settings_parse() has seen that it is one */
        char problem[TRANSPORT_PROBLEM_MAX];
        int r;

        connection->host = settings->host;
        r = hosts_find(settings, &hosts);
        if (r == 0)
                r = transport_configure(settings, hosts.transport, settings->host, config);
        if (r)
                return r;
        connection->options = transport_options(settings, hosts.transport, settings->host);
        r = connection_connect(connection, config);
        if (r == -EINTR)
                return EXIT_CANCELLED;
        return r ? transport_refused(settings, TRANSPORT_SSH, settings->host, r, connection->client, problem) : 0;
}

int connection_config_new(benchd_config **ret_config) {
        _cleanup_(benchd_config_freep) benchd_config *config = NULL;
        int r;

        r = benchd_config_new(&config);
        if (r == 0)
                r = benchd_config_set_name(config, "benchctl " BENCHD_VERSION);
        if (r) {
                complain("Out of memory.");
                return EXIT_MACHINE;
        }
        *ret_config = take_pointer(config);
        return 0;
}

static int connection_open(const Settings *settings, Connection *ret_connection) {
        _cleanup_(benchd_config_freep) benchd_config *config = NULL;
        Connection connection = { .private = settings->private_daemon };
        int r;

        r = connection_config_new(&config);
        if (r)
                return r;
        r = settings->host ? connection_open_there(settings, config, &connection)
                           : connection_open_here(settings, config, &connection);
        if (r) {
                connection_close(&connection);
                return r;
        }
        *ret_connection = connection;
        return 0;
}

int connection_use_for(const Settings *settings, ConnectionUse use, const void *subject) {
        _cleanup_(baseline_file_clear) BaselineFile baseline = {};
        Connection connection;
        Output output;
        int r, r_close;

        r = baseline_file_open(settings, &baseline);
        if (r == 0)
                r = output_open(settings, &output);
        if (r)
                return r;
        r = connection_open(settings, &connection);
        if (r == 0) {
                connection.subject = subject;
                connection.baseline = baseline;
                r = use(settings, &connection, &output);
                connection_close(&connection);
        }
        r_close = output_close(&output);
        r = r ? r : r_close;
        return r ? r : baseline_file_save(&baseline);
}

int connection_use(const Settings *settings, ConnectionUse use) {
        return connection_use_for(settings, use, NULL);
}

/* ---- events */

static int connection_lost(Connection *connection, int r) {
        complain("Lost the daemon: %s.", benchd_error_string(r));
        if (connection->private_daemon)
                private_daemon_complain(connection->private_daemon);
        else if (!connection->private)
                complain_hint("See its log%s%s: journalctl -u benchd -u benchd-launch", connection->host ? " at " : "",
                                connection->host ? connection->host : "");
        return CONNECTION_E_LOST;
}

static int connection_poll(Connection *connection, bool interruptible) {
        struct pollfd fds[] = {
                { .fd = benchd_client_fd(connection->client), .events = benchd_client_poll_events(connection->client) },
                { .fd = interruptible ? interrupt_fd() : -1, .events = POLLIN },
        };

        if (poll(fds, N_ELEMENTS(fds), -1) < 0 && errno != EINTR)
                return connection_lost(connection, -errno);
        return interruptible && interrupt_came() ? CONNECTION_E_INTERRUPTED : 0;
}

int connection_next(Connection *connection, bool interruptible, benchd_event **ret_event) {
        int r = 0;

        for (;;) {
                benchd_event *event = benchd_client_pop_event(connection->client);

                if (event) {
                        *ret_event = event;
                        return 0;
                }
                if (r)
                        return connection_lost(connection, r);
                r = connection_poll(connection, interruptible);
                if (r)
                        return r;
                r = benchd_client_dispatch(connection->client);
        }
}

/* ---- questions with one answer */

int connection_unsent(int r) {
        complain("Cannot send the request: %s.", benchd_error_string(r));
        return EXIT_DAEMON;
}

static int connection_read(Connection *connection, const benchd_event *event, json_t **ret_json) {
        if (benchd_event_type(event) == BENCHD_EVENT_ERROR) {
                snprintf(connection->refusal, sizeof connection->refusal, "%s", benchd_event_error_code(event));
                return complain_event(event, connection->options);
        }
        if (!event_json(event)) {
                complain("The daemon ended the request without an answer.");
                return EXIT_DAEMON;
        }
        *ret_json = json_incref(event_json(event));
        return 0;
}

int connection_answer(Connection *connection, uint64_t id, json_t **ret_json) {
        for (;;) {
                _cleanup_(benchd_event_freep) benchd_event *event = NULL;
                int r;

                r = connection_next(connection, true, &event);
                if (r == CONNECTION_E_INTERRUPTED)
                        return EXIT_CANCELLED;
                if (r)
                        return EXIT_DAEMON;
                if (benchd_event_last(event) && (benchd_event_request(event) == id || benchd_event_request(event) == 0))
                        return connection_read(connection, event, ret_json);
        }
}

int connection_ask(Connection *connection, const char *request, json_t *fields, json_t **ret_json) {
        _cleanup_(json_decrefp) json_t *own = fields;
        _cleanup_(freep) char *text = json_dumps(own, JSON_COMPACT);
        uint64_t id;
        int r;

        r = text ? benchd_client_ask(connection->client, request, text, &id) : -ENOMEM;
        return r ? connection_unsent(r) : connection_answer(connection, id, ret_json);
}

int connection_latest_job(Connection *connection, char ret_job[static JOB_ID_BYTES]) {
        _cleanup_(json_decrefp) json_t *json = NULL;
        const char *job;
        int r;

        r = connection_ask(connection, "history", json_pack("{si}", "limit", 1), &json);
        if (r)
                return r;
        job = json_text_at(json_array_get(json_at(json, "entries"), 0), "run_id");
        if (job && load_job(job, ret_job) == 0)
                return 0;
        complain("There are no jobs yet.");
        return EXIT_USAGE;
}

int connection_print(Connection *connection, uint64_t id, ShowKind kind, Output *output) {
        _cleanup_(json_decrefp) json_t *json = NULL;
        int r;

        r = connection_answer(connection, id, &json);
        return r ? r : output_print(output, kind, json);
}
