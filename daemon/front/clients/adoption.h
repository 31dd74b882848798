/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Requests of a client's process to be taken in by the process of a job that runs now, and to have the page cache dropped once it is. The
 * launcher decides, by the client's own socket; its answer becomes the reply. One per session at a time; the session may end before the
 * answer.
 */

#include <sys/queue.h>

#include "front/jobs/watch.h"
#include "proto/benchd.pb-c.h"

typedef struct Clients Clients;
typedef struct Session Session;

typedef struct Adoption {
        LIST_ENTRY(Adoption) adoptions;
        Session *session;  /* NULL: it ended */
        WatchRequest open; /* of the request */
        const char *what;  /* it is to do, in a message */
} Adoption;

/* Execute @request and answer it. */
void adoption_request(Session *session, const Benchd__Request *request);
void adoption_drop_caches(Session *session, const Benchd__Request *request);

/* @session ends. */
void adoption_forget(Session *session);

/* Frees the requests that a lost launcher will not answer. */
void adoption_free_all(Clients *clients);
