/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The connection to a daemon, the user's own or a private one, for as long as a verb needs it; and questions with one
 * answer. Each function says what went wrong, and returns an exit code.
 */

#include <stdbool.h>
#include <stdint.h>

#include "ctl/ask/baseline-file.h"
#include "ctl/ask/load.h"
#include "ctl/base/job-id.h"
#include "ctl/show/show.h"

typedef struct Output Output;
typedef struct PrivateDaemon PrivateDaemon;
typedef struct Settings Settings;
typedef struct benchd_client benchd_client;
typedef struct benchd_config benchd_config;
typedef struct benchd_event benchd_event;

typedef struct Connection {
        benchd_client *client;
        PrivateDaemon *private_daemon; /* NULL: somebody else's */
        const char *host;              /* another machine; NULL: this one */
        char *options;                 /* by which a command asks the same daemon; NULL: none */
        bool private;                  /* nobody asks its daemon after this command, be it here or there */
        const void *subject;           /* of connection_use_for() */
        BaselineFile baseline;         /* takes the results, where the settings name one */
        char refusal[32]; /* the word for the error that connection_answer() told last, such as "no-match" */
} Connection;

enum {
        _CONNECTION_E_SUCCESS,

        CONNECTION_E_INTERRUPTED, /* Ctrl-C; requests under way go on until they are cancelled */
        CONNECTION_E_LOST,        /* the daemon is gone; the user was told */
};

/*
 * Finds the socket of the daemon on this machine, and starts a private one if the settings ask for it: *@ret_socket is NULL for the
 * daemon's own place. Returns 0 or an exit code.
 */
int connection_find_socket(const Settings *settings, Connection *connection, const char **ret_socket);

/*
 * Says why the daemon on this machine cannot be reached, for @r of the library, or in the daemon's own words, if @client, which may be
 * NULL, has any. Returns an exit code.
 */
int connection_refused(const Settings *settings, int r, const char *socket, benchd_client *client);

/* Makes a configuration with benchctl's name. Returns 0 or an exit code. */
int connection_config_new(benchd_config **ret_config);

/* Ends what the connection holds. */
void connection_close(Connection *connection);

/* A verb's work with the daemon. Returns an exit code. */
typedef int (*ConnectionUse)(const Settings *settings, Connection *connection, Output *output);

/* Opens output, baseline and connection, calls @use, closes them; saves the baseline if all went well. Returns an exit code. */
int connection_use(const Settings *settings, ConnectionUse use);

/* ... for @use to find @subject, what the verb made of its arguments before, in the connection. */
int connection_use_for(const Settings *settings, ConnectionUse use, const void *subject);

/*
 * Waits for the next event, which is then the caller's; for an interrupt too where @interruptible. Returns 0,
 * E_INTERRUPTED or E_LOST.
 */
int connection_next(Connection *connection, bool interruptible, benchd_event **ret_event);

/* Says that the request could not be sent, for @r of the library. Returns an exit code. */
int connection_unsent(int r);

/* Waits for the answer to the request @id. Returns 0 or an exit code. */
int connection_answer(Connection *connection, uint64_t id, json_t **ret_json);

/*
 * Asks the daemon @request of the protocol with @fields, which are released (NULL: memory ran out), and waits for the answer. Returns 0 or
 * an exit code.
 */
int connection_ask(Connection *connection, const char *request, json_t *fields, json_t **ret_json);

/* Asks for the id of this user's latest job. Returns 0 or an exit code. */
int connection_latest_job(Connection *connection, char ret_job[static JOB_ID_BYTES]);

/* Waits for the answer to the request @id and prints it as @kind. Returns 0 or an exit code. */
int connection_print(Connection *connection, uint64_t id, ShowKind kind, Output *output);
