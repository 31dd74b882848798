/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The way to a daemon, the user's own or a private one, for as long as a verb needs it. What goes wrong is said here, so
 * that the functions return what benchctl exits with.
 */

#include <stdbool.h>
#include <stdint.h>

typedef struct PrivateDaemon PrivateDaemon;
typedef struct Settings Settings;
typedef struct benchd_client benchd_client;
typedef struct benchd_event benchd_event;

typedef struct Session {
        benchd_client *client;
        PrivateDaemon *private_daemon; /* NULL: somebody else's */
} Session;

enum {
        _SESSION_E_SUCCESS,

        SESSION_E_INTERRUPTED, /* Ctrl-C: what is under way goes on until it is cancelled */
        SESSION_E_LOST,        /* the daemon is gone; it was said */
};

/* Returns 0 or an exit code. */
int session_open(const Settings *settings, Session *ret_session);
void session_close(Session *session);

/*
 * Waits for the next event, which is then the caller's; for an interrupt too where @interruptible. Returns 0,
 * E_INTERRUPTED or E_LOST.
 */
int session_next(Session *session, bool interruptible, benchd_event **ret_event);
