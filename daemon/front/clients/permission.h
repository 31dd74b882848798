/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A request that waits for polkit, since the configuration does not allow it: one per session at a time. It is executed or refused when the
 * answer arrives, and dropped if its session ends first.
 *
 * polkit identifies the client's process by a pidfd where the kernel has one for a socket's peer (Linux 6.5; polkit 124 accepts it), and by
 * its PID with its start time. The launcher reads the start time, since benchd cannot see other users' processes. A process that started
 * after the connection has reused the PID; polkit is not asked about it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>

#include "front/clients/access.h"
#include "proto/benchd.pb-c.h"

typedef struct Clients Clients;
typedef struct RequestRow RequestRow;
typedef struct Session Session;
typedef struct SessionFds SessionFds;

/*
 * Called with the answer and with the @row that permission_ask() was given. Afterwards the request and its descriptors not taken from @fds
 * are freed.
 */
typedef void (*PermissionTell)(Session *session, const RequestRow *row, bool granted, Benchd__Request **request,
                const SessionFds *fds);

/*
 * Asks about @verb for @request, takes the request and its descriptors, and calls @tell later. Returns 0, or a negative errno if polkit
 * cannot be asked; then nothing was taken.
 */
int permission_ask(Session *session, AccessVerb verb, const RequestRow *row, Benchd__Request **request,
                const SessionFds *fds, PermissionTell tell);

/* @session ends. */
void permission_forget(Session *session);

/* Frees the requests that a lost launcher will not answer. */
void permission_free_all(Clients *clients);
