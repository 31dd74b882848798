/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The clients: the socket on which they connect, who is connected, and how much each user may take. Who may connect at all
 * is the socket's mode and group; those beyond the limits are turned away with a sentence.
 *
 * Broken sessions are only marked; they are freed in one place, in a later turn of the loop, so no caller is left holding a
 * freed pointer.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "front/clients/access.h"
#include "front/clients/looks.h"
#include "ops/call-filter.h"

typedef struct ShareHold ShareHold;
typedef struct JobServices JobServices;
typedef struct Receivers Receivers;
typedef struct Session Session;
typedef struct SessionHandlers SessionHandlers;
typedef struct sd_event_source sd_event_source;

/* All sessions, and the state that their requests share. */
typedef struct Clients {
        JobServices *services;           /* borrowed */
        const SessionHandlers *handlers; /* of each session */
        Access access;
        Receivers *receivers; /* of what they send */
        uint64_t started_ns;  /* CLOCK_MONOTONIC */
        int fd;
        sd_event_source *source;
        int64_t priority;         /* of the user who connected last */
        sd_event_source *retry;   /* of accepting, where there was no room for a connection */
        sd_event_source *sweeper; /* NULL: nothing to sweep */
        size_t n_open;            /* sessions that are not broken */
        size_t n_ends;            /* of connections, one after another with nothing between */
        TAILQ_HEAD(, Session) sessions;
        Looks looks;
        LIST_HEAD(, StatusRequest) status_requests; /* ... that wait for a look */
        LIST_HEAD(, SetGovernor) governor_requests;
        LIST_HEAD(, Permission) permissions; /* ... requests that wait for one */
} Clients;

/*
 * Listens on @fd, which it takes; each request is given to @handlers. @calls is the fate of system calls that a receiver does not need.
 * Returns 0 or a negative errno.
 */
int clients_new(JobServices *services, const SessionHandlers *handlers, int fd, CallFilterMode calls,
                Clients **ret_clients);

/* Frees the sessions, then the rest. */
Clients *clients_free(Clients *clients);

/*
 * Stops broken sessions, and frees them in batches, each in a turn of its own, so that a thousand that end at once hold up nobody;
 * then accepts again if descriptors had run out. To be called after each turn of the loop.
 */
void clients_sweep(Clients *clients);

/* Lets go the replies that wait for the history (session_release()). */
void clients_release(Clients *clients, uint64_t until, const char *lost);

/* Sends what waits to be sent and is not held, as far as the clients take it now: the daemon ends. */
void clients_flush(Clients *clients);
