/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The status of the daemon and its machine, at any time. A request for it waits until benchd-launch has looked at the clock, so
 * that it tells of now; of a daemon that has just begun, until there is a clock to tell of, or it has taken too long. One a
 * session: while it waits, a second request gets what is known, so that a client that asks and asks makes nothing grow. The
 * session may end before it is answered.
 */

#include <stdint.h>
#include <sys/queue.h>

#include "proto/benchd.pb-c.h"

typedef struct Clients Clients;
typedef struct Session Session;
typedef struct sd_event_source sd_event_source;

typedef struct StatusRequest {
        LIST_ENTRY(StatusRequest) requests;
        Session *session;          /* NULL: it ended */
        uint64_t id;               /* of the request */
        sd_event_source *patience; /* with the first calibration; NULL: the launcher has not looked yet */
} StatusRequest;

/* Answers @request when the launcher has looked, or at once where it cannot be asked. */
void status_request(Session *session, const Benchd__Request *request);

/* The launcher told of its machine: answers the requests that waited for the first calibration, if it is over. */
void status_retry(Clients *clients);

/* @session ends. */
void status_forget(Session *session);

/* Frees the requests that a launcher will not answer any more. */
void status_free_all(Clients *clients);
