/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The command that reaches a machine and ends in "benchctl bridge" there: ssh, the user's own (--rsh), or srun within an allocation of Slurm.
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
 * Has the clients of @config reach @host, on which the settings name a socket or ask for a private daemon. Returns 0, or, having said
 * what is wrong, an exit code.
 */
int transport_configure(const Settings *settings, Transport transport, const char *host, benchd_config *config);

/* The options by which another command asks the daemon on @host: " --host=lab1". The caller's; NULL where memory ran out. */
char *transport_options(const Settings *settings, Transport transport, const char *host);

/*
 * Says why the connection to @host did not come about, and what to do; @r and what @client, which may be NULL, heard are the library's.
 * Writes the sentence to @ret_text. Returns an exit code.
 */
int transport_refused(const Settings *settings, Transport transport, const char *host, int r, benchd_client *client,
                char ret_text[static TRANSPORT_PROBLEM_MAX]);
