/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A question with one answer: waits for it and prints it.
 */

#include <stdint.h>

#include "ctl/show.h"

typedef struct Output Output;
typedef struct Session Session;

/* Waits for the answer to the request @id and prints it as @kind. Returns 0 or an exit code, having said why. */
int ask_await(Session *session, uint64_t id, ShowKind kind, Output *output);
