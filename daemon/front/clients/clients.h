/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The clients: the listening socket, the connected sessions, and the limits of each user. The socket's mode and group decide who may
 * connect; a connection beyond the limits is refused with a sentence.
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
        const SessionHandlers *handlers; /* of every session */
        Access access;
        Receivers *receivers; /* for the descriptors that they send */
        uint64_t started_ns;  /* CLOCK_MONOTONIC */
        int fd;
        sd_event_source *source;
        int64_t priority;         /* for the user of the last connection */
        sd_event_source *retry;   /* of accepting, after a connection found no room */
        sd_event_source *sweeper; /* NULL: nothing to sweep */
        size_t n_open;            /* sessions that are not broken */
        size_t n_ends;            /* connections that ended in a row, with nothing in between */
        TAILQ_HEAD(, Session) sessions;
        Looks looks;
        LIST_HEAD(, StatusRequest) status_requests; /* waiting for a look */
        LIST_HEAD(, SetGovernor) governor_requests;
        LIST_HEAD(, Adoption) adoptions;
        LIST_HEAD(, Permission) permissions; /* requests waiting for polkit */
} Clients;

/*
 * Listens on @fd, which it takes, and passes each request to @handlers. @calls says what happens to a receiver that makes a system call it
 * does not need. Returns 0 or a negative errno.
 */
int clients_new(JobServices *services, const SessionHandlers *handlers, int fd, CallFilterMode calls,
                Clients **ret_clients);

/* Frees the sessions, then the rest. */
Clients *clients_free(Clients *clients);

/*
 * Stops broken sessions and frees them in batches, one batch a turn, so that a thousand that end at once do not block the loop; then
 * accepts again if descriptors had run out. To be called after each turn of the loop.
 */
void clients_sweep(Clients *clients);

/* Sends the replies that wait for the history (session_release()). */
void clients_release(Clients *clients, uint64_t until, const char *lost);

/* Sends queued replies that are not held back, as far as the sockets accept them now: the daemon is ending. */
void clients_flush(Clients *clients);
