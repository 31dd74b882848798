/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A private daemon (--private): started for this command, with the rights of the user, on a socket in a new directory.
 * It ends when a pipe held by benchctl closes, and so with benchctl, however benchctl ends.
 */

typedef struct PrivateDaemon PrivateDaemon;

enum {
        _PRIVATE_E_SUCCESS,

        PRIVATE_E_MISSING,     /* benchd-launch is not installed */
        PRIVATE_E_ENDED,       /* the daemon ended before it was ready; its messages, if any, were printed */
        PRIVATE_E_INTERRUPTED, /* by Ctrl-C */
};

/* Starts a daemon, one at a time, and waits until clients can connect. Returns 0, PRIVATE_E_*, or a negative errno. */
int private_daemon_new(PrivateDaemon **ret_daemon);

/* Ends the daemon and waits for it. */
PrivateDaemon *private_daemon_free(PrivateDaemon *daemon);

/* Prints the daemon's messages, if any, on stderr. */
void private_daemon_complain(PrivateDaemon *daemon);

const char *private_daemon_socket(const PrivateDaemon *daemon);
