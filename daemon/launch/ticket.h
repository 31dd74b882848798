/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Tickets: what the launcher itself knows of a job. The identity, which it read from the client's own socket, and the
 * module, libraries and inputs, which are sealed and so stay what they were. A front-end gone bad can run a module of its own, but
 * only as somebody who is connected at that moment, never as root and never as itself.
 */

#include <stdint.h>

#include "launch/identity.h"
#include "ops/ops.h"

#define TICKETS_MAX 128u

typedef struct Ticket {
        uint64_t id; /* 0: the place is free */
        Identity identity;
        int module_fd;
        int library_fds[RUNNER_LIBRARIES_MAX];
        uint32_t n_libraries;
        int input_fds[RUNNER_INPUTS_MAX];
        uint32_t n_inputs;
} Ticket;

typedef struct Tickets {
        const Identities *identities;
        const char *listening_path; /* the clients' sockets are accepted on it */
        uint64_t last_id;
        Ticket tickets[TICKETS_MAX];
} Tickets;

void tickets_init(Tickets *tickets, const Identities *identities, const char *listening_path);
void tickets_close_all(Tickets *tickets);

/*
 * Opens a ticket for the client, module, libraries and inputs in @packet, whose descriptors it takes; the client's socket is
 * closed. Returns 0, a positive OpsRefusal, or a negative errno.
 */
int tickets_open(Tickets *tickets, OpsPacket *packet, Ticket **ret_ticket);

/* NULL if there is no such ticket. */
Ticket *tickets_find(Tickets *tickets, uint64_t id);
void ticket_close(Ticket *ticket);
