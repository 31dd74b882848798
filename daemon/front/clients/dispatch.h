/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The requests that there are: one row of a table each. A request that breaks the rules is answered with an error; a run or
 * list becomes a job, the others are answered by the module that their row names.
 */

typedef struct SessionHandlers SessionHandlers;

/* The handlers of every session: they answer its requests, and end them with it. */
extern const SessionHandlers dispatch_handlers;
