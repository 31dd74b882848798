/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A request that waits for polkit, since the configuration does not allow it: one a session at a time. It is carried out, or refused,
 * when the answer is there; with its session it ends unseen.
 *
 * polkit is told the client's process by a descriptor where the kernel has one of a socket's peer (Linux 6.5; polkit 124 takes it), and by
 * its number with the time of its start, which the launcher reads, since benchd sees no other users' processes. A process that began
 * after its connection is another one that got the number, and is not asked about.
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

/* Told the answer, and the @row of the request, which is the teller's. The request and those of its @fds that are not taken are freed afterwards. */
typedef void (*PermissionTell)(Session *session, const RequestRow *row, bool granted, Benchd__Request **request,
                const SessionFds *fds);

/*
 * Asks about @verb for @request, which is taken with its descriptors, and tells @tell. Returns 0, or a negative errno where nothing was
 * taken: polkit cannot be asked.
 */
int permission_ask(Session *session, AccessVerb verb, const RequestRow *row, Benchd__Request **request,
                const SessionFds *fds, PermissionTell tell);

/* @session ends. */
void permission_forget(Session *session);

/* Frees those that a launcher will not answer any more. */
void permission_free_all(Clients *clients);
