/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A daemon of one's own, for --private: started for this run, with whatever rights the user has, on a socket in a new
 * directory. It lives as long as a pipe that benchctl holds, so it ends when benchctl does, however that may be.
 */

typedef struct PrivateDaemon PrivateDaemon;

enum {
        _PRIVATE_E_SUCCESS,

        PRIVATE_E_MISSING,     /* benchd-launch is not installed */
        PRIVATE_E_ENDED,       /* it ended before it was ready; its own words were printed, if it had any */
        PRIVATE_E_INTERRUPTED, /* by Ctrl-C */
};

/* Starts one and waits until clients can connect. One at a time. Returns 0, PRIVATE_E_*, or a negative errno. */
int private_daemon_new(PrivateDaemon **ret_daemon);

/* Ends it, and waits for that. */
PrivateDaemon *private_daemon_free(PrivateDaemon *daemon);

/* Prints on stderr what it said there, if anything. */
void private_daemon_complain(PrivateDaemon *daemon);

const char *private_daemon_socket(const PrivateDaemon *daemon);
