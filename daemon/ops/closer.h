/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Closer: the expendable process (ops/receiver.h) that does the last close of the files that this one holds and somebody else made large.
 *
 * While there is one, fd_close_received() hands descriptors over to it, and nobody hears when they are closed. Those that find no room wait
 * here, in order. If no process can be had they are closed here: else they would stay open for ever.
 */

#include <stddef.h>
#include <sys/types.h>

#include "ops/call-filter.h"

typedef struct Closer Closer;
typedef struct sd_event sd_event;

/* Starts the process, which has @calls for a system call that it does not need, and takes over fd_close_received(). Returns 0 or a negative errno. */
int closer_new(sd_event *event, CallFilterMode calls, Closer **ret_closer);

/* Closes what waits. The process ends by itself. */
Closer *closer_free(Closer *closer);

/* The process, a child; -1: there is none now. */
pid_t closer_pid(const Closer *closer);

/* The number of descriptors that wait here. */
size_t closer_count_waiting(const Closer *closer);
