/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * What verbs have in common: an output and a session around what they ask, and questions with one answer.
 */

#include <stdint.h>

#include "ctl/show.h"

typedef struct Output Output;
typedef struct Session Session;
typedef struct Settings Settings;

/* What a verb asks of the daemon. Returns an exit code. */
typedef int (*Ask)(const Settings *settings, Session *session, Output *output);

/* Opens output and session, calls @ask, closes them. Returns an exit code, having said why. */
int ask_daemon(const Settings *settings, Ask ask);

/* Says that the request could not be sent, for @r of the library. Returns an exit code. */
int ask_unsent(int r);

/* Waits for the answer to the request @id. Returns 0 or an exit code, having said why. */
int ask_answer(Session *session, uint64_t id, json_t **ret_json);

/* Waits for the answer to the request @id and prints it as @kind. Returns 0 or an exit code, having said why. */
int ask_await(Session *session, uint64_t id, ShowKind kind, Output *output);
