/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The connection of a verb to a daemon, shared or private, and questions with one answer. Each function prints its own
 * errors, and returns an exit code.
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
        PrivateDaemon *private_daemon; /* NULL: not started by this command */
        const char *socket;            /* of that daemon, borrowed; NULL: the default, or another machine */
        const char *host;              /* another machine; NULL: this one */
        char *options;                 /* options for a command to ask the same daemon; NULL: none */
        bool private;                  /* its daemon, local or remote, ends with this command */
        const void *subject;           /* of connection_use_for() */
        BaselineFile baseline;         /* takes the results, if the settings name a baseline */
        char refusal[32]; /* the code word of the last error that connection_answer() printed ("no-match") */
} Connection;

enum {
        _CONNECTION_E_SUCCESS,

        CONNECTION_E_INTERRUPTED, /* Ctrl-C; open requests continue until cancelled */
        CONNECTION_E_LOST,        /* the daemon is gone; the user was told */
};

/*
 * Finds the socket of the daemon on this machine, and starts a private daemon if the settings ask for one. *@ret_socket is NULL for the
 * default socket. Returns 0 or an exit code.
 */
int connection_find_socket(const Settings *settings, Connection *connection, const char **ret_socket);

/*
 * Prints why the daemon on this machine cannot be reached: from the library's error @r, or in the daemon's own words if @client (or NULL)
 * has any. Returns an exit code.
 */
int connection_refused(const Settings *settings, int r, const char *socket, benchd_client *client);

/* Makes a configuration with benchctl's name. Returns 0 or an exit code. */
int connection_config_new(benchd_config **ret_config);

/* Closes the connection, and ends its private daemon. */
void connection_close(Connection *connection);

/* A verb's work with the daemon. Returns an exit code. */
typedef int (*ConnectionUse)(const Settings *settings, Connection *connection, Output *output);

/* Opens output, baseline and connection, calls @use, closes them, and saves the baseline on success. Returns an exit code. */
int connection_use(const Settings *settings, ConnectionUse use);

/* The same, with @subject, the verb's parsed arguments, in the connection. */
int connection_use_for(const Settings *settings, ConnectionUse use, const void *subject);

/*
 * Waits for the next event, which the caller then owns, and if @interruptible also for an interrupt. Returns 0,
 * E_INTERRUPTED or E_LOST.
 */
int connection_next(Connection *connection, bool interruptible, benchd_event **ret_event);

/* Prints that the request could not be sent because of the library's error @r. Returns an exit code. */
int connection_unsent(int r);

/* Waits for the answer to the request @id. Returns 0 or an exit code. */
int connection_answer(Connection *connection, uint64_t id, json_t **ret_json);

/*
 * Sends the protocol's @request with @fields, which it releases (NULL: memory ran out), and waits for the answer. Returns 0 or an exit
 * code.
 */
int connection_ask(Connection *connection, const char *request, json_t *fields, json_t **ret_json);

/* Asks for the id of this user's latest job. Returns 0 or an exit code. */
int connection_latest_job(Connection *connection, char ret_job[static JOB_ID_BYTES]);

/* Waits for the answer to the request @id and prints it as @kind. Returns 0 or an exit code. */
int connection_print(Connection *connection, uint64_t id, ShowKind kind, Output *output);
