/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The command that runs "benchctl bridge" on another machine: ssh, the user's own command (--rsh), or srun within a Slurm allocation.
 */

#define TRANSPORT_PROBLEM_MAX 1024u

typedef struct Settings Settings;
typedef struct benchd_client benchd_client;
typedef struct benchd_config benchd_config;

typedef enum Transport {
        TRANSPORT_SSH, /* or --rsh */
        TRANSPORT_SRUN,
} Transport;

/*
 * Configures @config to reach @host, with the socket or the private daemon of the settings. Returns 0, or an exit code after printing the
 * error.
 */
int transport_configure(const Settings *settings, Transport transport, const char *host, benchd_config *config);

/* The options for another command to ask the daemon on @host: " --host=lab1". The caller frees it; NULL if memory ran out. */
char *transport_options(const Settings *settings, Transport transport, const char *host);

/*
 * Prints why the connection to @host failed, and what to do, from the library's error @r and the messages in @client (or NULL). Writes the
 * sentence to @ret_text. Returns an exit code.
 */
int transport_refused(const Settings *settings, Transport transport, const char *host, int r, benchd_client *client,
                char ret_text[static TRANSPORT_PROBLEM_MAX]);
