/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A request for the status that waits until benchd-launch has looked at the clock, so that what it tells is of now; of a
 * daemon that has just begun, until there is a clock to tell of, or it has taken too long. One a session: while it waits, a
 * second request gets what is known, so that a client that asks and asks makes nothing grow. The session may end before it
 * is answered.
 */

#include <stdint.h>
#include <sys/queue.h>

typedef struct Daemon Daemon;
typedef struct Session Session;
typedef struct sd_event_source sd_event_source;

typedef struct StatusAsk {
        LIST_ENTRY(StatusAsk) asks;
        Session *session;          /* NULL: it ended */
        uint64_t id;               /* of the request */
        sd_event_source *patience; /* with the first calibration; NULL: the launcher has not looked yet */
} StatusAsk;

/* Answers request @id of @session when the launcher has looked, or at once where it cannot be asked. */
void status_ask(Session *session, uint64_t id);

/* Something new is known of the machine: answers those that waited for the first calibration, if it is over. */
void status_asks_retry(Daemon *daemon);

/* @session ends. */
void status_ask_forget(Session *session);

/* Frees what is still asked of a launcher that will not answer any more. */
void status_asks_free(Daemon *daemon);
