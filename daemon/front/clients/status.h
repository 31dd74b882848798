/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The status of the daemon and its machine. A request waits a few milliseconds for benchd-launch to look at the clock, so that the answer
 * is current; if the launcher is busy for longer, the answer does not wait. During the first calibration the answer comes at once and says
 * so, unless the request awaits the clock. Only one request per session waits; a second one gets the state as known, so a client that keeps
 * asking makes no queue grow. Each answer takes one turn of the loop, charged to its user.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "proto/benchd.pb-c.h"

typedef struct Clients Clients;
typedef struct Session Session;
typedef struct sd_event_source sd_event_source;

/* A waiting request. */
typedef struct StatusRequest {
        LIST_ENTRY(StatusRequest) requests;
        Session *session;
        uint64_t id; /* of the request */
        bool awaits_clock;
        uint64_t look;        /* the look that it waits for */
        sd_event_source *due; /* answers it at the latest */
} StatusRequest;

/* Prepares @clients for requests that wait for looks. Returns 0 or a negative errno. */
int status_init(Clients *clients);

/* Answers @request when the launcher has looked, or at once if it cannot be asked or is calibrating. */
void status_request(Session *session, const Benchd__Request *request);

/* The launcher sent the machine's state: answers the requests that need not wait any longer. */
void status_retry(Clients *clients);

/* @session ends. */
void status_forget(Session *session);
