/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The clients: the socket on which they connect, who is connected, and how much each user may take. Who may connect at all
 * is the socket's mode and group; those beyond the limits are turned away with a sentence.
 *
 * Broken sessions are only marked; they are freed in one place, after each turn of the loop, so no caller is left holding a
 * freed pointer.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "front/base/allow-list.h"

typedef struct JobServices JobServices;
typedef struct ReplyError ReplyError;
typedef struct Session Session;
typedef struct SessionHandlers SessionHandlers;
typedef struct sd_event_source sd_event_source;

enum {
        _CLIENTS_E_SUCCESS,

        CLIENTS_E_UNKNOWN_USER, /* an identity that was never read */
        CLIENTS_E_FULL,         /* all places are taken */
        CLIENTS_E_USER_FULL,    /* this user has taken as many as one may */
};

/* The number of places that are taken, or may be, over all users and by the one in question. */
typedef struct ClientsUse {
        size_t all;
        size_t user;
} ClientsUse;

/* All sessions, and the state that their requests share. */
typedef struct Clients {
        JobServices *services;           /* borrowed */
        const SessionHandlers *handlers; /* of each session */
        AllowList may_set_governor;
        uint64_t started_ns; /* CLOCK_MONOTONIC */
        int fd;
        sd_event_source *source;
        TAILQ_HEAD(, Session) sessions;
        LIST_HEAD(, StatusRequest) status_requests; /* ... that wait for the launcher */
        LIST_HEAD(, SetGovernor) governor_requests;
} Clients;

/* Listens on @fd, which it takes; each request is given to @handlers. Returns 0 or a negative errno. */
int clients_new(JobServices *services, const SessionHandlers *handlers, int fd, Clients **ret_clients);

/* Frees the sessions, then the rest. */
Clients *clients_free(Clients *clients);

/* Frees broken sessions, and accepts again if descriptors had run out. To be called after each turn of the loop. */
void clients_sweep(Clients *clients);

/* Checks that @uid may have one more job. Returns 0 or E_*, with the reason. */
int clients_check_job(const Clients *clients, uid_t uid, ReplyError *ret_why);

/*
 * Tells whether @uid may take one more place, for a connection or a job, where @use are taken and @most may be. Returns 0,
 * E_UNKNOWN_USER, E_FULL, or E_USER_FULL. Pure.
 */
int clients_check_use(uid_t uid, ClientsUse use, ClientsUse most);
