/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * All requests: one table row each. A request that breaks the rules is answered with an error; a run or list becomes a job; the function in
 * its row answers any other.
 */

typedef struct SessionHandlers SessionHandlers;

/* The handlers of every session. */
extern const SessionHandlers dispatch_handlers;
