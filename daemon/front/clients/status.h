/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The status of the daemon and its machine, at any time. A request for it waits some milliseconds for benchd-launch to look at the
 * clock, so that it tells of now; a launcher that is busy longer is not waited for. During the first calibration the answer comes at once
 * and says so, unless the request awaits the clock. One a session waits: a second request meanwhile gets what is known, so that a client
 * that asks and asks makes nothing grow. Each answer is a turn of its own, charged to who asked.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "proto/benchd.pb-c.h"

typedef struct Clients Clients;
typedef struct Session Session;
typedef struct sd_event_source sd_event_source;

/* One that waits. */
typedef struct StatusRequest {
        LIST_ENTRY(StatusRequest) requests;
        Session *session;
        uint64_t id; /* of the request */
        bool awaits_clock;
        uint64_t look;        /* that it waits for */
        sd_event_source *due; /* answers it */
} StatusRequest;

/* Lets the requests of @clients wait for looks. Returns 0 or a negative errno. */
int status_init(Clients *clients);

/* Answers @request when the launcher has looked, or at once where it cannot be asked or is calibrating. */
void status_request(Session *session, const Benchd__Request *request);

/* The launcher told of its machine: answers the requests that need not wait any longer. */
void status_retry(Clients *clients);

/* @session ends. */
void status_forget(Session *session);
