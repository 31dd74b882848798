/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A permitted (access.h) request to set the governor: the launcher sets it, and its answer becomes the reply. One per session at a time;
 * the session may end before the answer.
 */

#include <stdint.h>
#include <sys/queue.h>

#include "front/base/arena.h"
#include "front/base/reply-error.h"
#include "front/jobs/watch.h"
#include "ops/ops.h"
#include "proto/benchd.pb-c.h"

typedef struct Clients Clients;
typedef struct Session Session;

enum {
        _SET_GOVERNOR_E_SUCCESS,

        SET_GOVERNOR_E_BAD, /* ret_why has the reason */
};

typedef struct SetGovernor {
        LIST_ENTRY(SetGovernor) requests;
        Clients *clients;
        Session *session;  /* NULL: it ended */
        WatchRequest open; /* of the request */
        OpsGovernor wanted;
} SetGovernor;

/* Executes @request and answers it. */
void set_governor_request(Session *session, const Benchd__Request *request);

/* @session ends. */
void set_governor_forget(Session *session);

/* Frees the requests that a lost launcher will not answer. */
void set_governor_free_all(Clients *clients);

/* ---- in messages: pure */

/* Converts the governor that @request wants for the launcher. Returns 0 or E_BAD. */
int set_governor_check(const Benchd__SetGovernorRequest *request, OpsGovernor *ret_wanted, ReplyError *ret_why);

/* Explains @done, which says that nothing of @wanted was done. */
void set_governor_explain(const OpsGovernorDone *done, const OpsGovernor *wanted, ReplyError *ret_why);

/* The changes of @done, in @arena. Returns 0 or a negative errno. */
int set_governor_build(Arena *arena, const OpsGovernorDone *done, Benchd__SetGovernorReply **ret_reply);

/* Adds to @status the governors that are set until restored. Returns 0 or a negative errno. */
int set_governor_fill_status(Arena *arena, const OpsMachine *machine, Benchd__Status *status);
