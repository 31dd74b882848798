/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A request to set the governor: allowed by the configuration or by polkit, then done by the launcher, whose answer is
 * the reply. One a session at a time. The session may end before it is answered: what is still to be allowed is then
 * not done.
 */

#include <stdint.h>
#include <sys/queue.h>

#include "ops/ops.h"
#include "proto/benchd.pb-c.h"

typedef struct Daemon Daemon;
typedef struct PolkitQuestion PolkitQuestion;
typedef struct Session Session;

#define GOVERNOR_ACTION "org.benchd.set-governor"

typedef struct GovernorAsk {
        LIST_ENTRY(GovernorAsk) asks;
        Daemon *daemon;
        Session *session;         /* NULL: it ended */
        uint64_t id;              /* of the request */
        PolkitQuestion *question; /* NULL: it is allowed */
        OpsGovernor wanted;
} GovernorAsk;

/* Does what @request says, and answers request @id of @session. */
void governor_ask(Session *session, uint64_t id, const Benchd__SetGovernorRequest *request);

/* @session ends. */
void governor_ask_forget(Session *session);

/* Frees what is still asked of a launcher that will not answer any more. */
void governor_asks_free(Daemon *daemon);
