/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The status of the daemon and its machine, at any time. A request for it waits some milliseconds for benchd-launch to look at the
 * clock, so that it tells of now; a launcher that is busy longer is not waited for. During the first calibration the answer comes at once
 * and says so, unless the request awaits the clock. One a session: while the launcher owes an answer, a second request gets what is
 * known, so that a client that asks and asks makes nothing grow. The session may end before it is answered.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "proto/benchd.pb-c.h"

typedef struct Clients Clients;
typedef struct Session Session;
typedef struct sd_event_source sd_event_source;

typedef struct StatusRequest {
        LIST_ENTRY(StatusRequest) requests;
        Session *session; /* NULL: it ended */
        uint64_t id;      /* of the request */
        bool awaits_clock;
        bool looked;   /* the launcher did */
        bool answered; /* from what is known, as the patience was over */
        sd_event_source *patience;
} StatusRequest;

/* Answers @request when the launcher has looked, or at once where it cannot be asked or is calibrating. */
void status_request(Session *session, const Benchd__Request *request);

/* The launcher told of its machine: answers the requests that waited for the first calibration, if it is over. */
void status_retry(Clients *clients);

/* @session ends. */
void status_forget(Session *session);

/* Frees the requests that a launcher will not answer any more. */
void status_free_all(Clients *clients);
