/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Tickets: what the launcher itself knows of a job. It reads the identity from the client's own socket while the client is connected. The
 * module, libraries and inputs are sealed and so cannot change. Each file is the client's own: its user made it, as the owner of the memfd
 * shows, or submitted it once before, as a voucher shows. So a compromised front-end can run only what a user who is connected at that
 * moment has submitted; it never runs anything as root or as itself.
 *
 * Their descriptors have a share of the launcher's open files. The front-end knows its size and admits no more jobs than fit; a ticket
 * beyond it is refused.
 */

#include <stddef.h>
#include <stdint.h>

#include "launch/base/identity.h"
#include "ops/ops.h"

typedef struct ReceiverCloser ReceiverCloser;
typedef struct HashQueue HashQueue;
typedef struct RootDir RootDir;
typedef struct Ticket Ticket;
typedef struct TicketProof TicketProof;
typedef struct VoucherKey VoucherKey;

enum {
        _TICKETS_E_SUCCESS,

        TICKETS_E_LATER = 1000, /* above the values of OpsRefusal: vouchers must be checked first */
};

#define TICKETS_MAX 8192u /* two for each job of the largest limit in benchd.conf */

struct Ticket {
        uint64_t id; /* 0: the place is free */
        Identity identity;
        int module_fd;
        int library_fds[RUNNER_LIBRARIES_MAX];
        uint32_t n_libraries;
        int input_fds[RUNNER_INPUTS_MAX];
        uint32_t n_inputs;
        TicketProof *proof; /* NULL: the ticket is open */
};

/*
 * Called with the outcome of a ticket of E_LATER: 0, it is open; a positive OpsRefusal or a negative errno, it is
 * closed afterwards.
 */
typedef void (*TicketsProven)(void *userdata, uint64_t serial, const Ticket *ticket, int r);

/* Closes a client's socket, which is taken: the client may have sent files that lie in it unread. */
typedef void (*TicketsCloseClient)(void *userdata, int client_fd);

typedef struct TicketsConfig {
        const Identities *identities;
        const char *listening_path; /* where the clients' sockets are accepted */
        VoucherKey *key;
        HashQueue *hashes;
        const ReceiverCloser *closer; /* of their files */
        TicketsProven proven;
        TicketsCloseClient close_client;
        void *userdata;
} TicketsConfig;

typedef struct Tickets {
        TicketsConfig config;
        uint64_t last_id;
        size_t n_files_max; /* descriptors of all tickets together */
        Ticket *tickets;    /* TICKETS_MAX places; places from @n_used on have never been used */
        size_t n_used;
} Tickets;

void tickets_init(Tickets *tickets, const TicketsConfig *config);

/* Makes the places, for @n_files descriptors in all. Returns 0 or a negative errno. */
int tickets_make_places(Tickets *tickets, size_t n_files);
void tickets_close_all(Tickets *tickets);

/* Closes all tickets and frees the places. */
void tickets_clear(Tickets *tickets);

/*
 * Opens a ticket for the client, module, libraries and inputs in @packet, whose descriptors it takes, except the client's socket if the
 * ticket is open at once. Returns 0, E_LATER if TicketsProven will report the outcome, a positive OpsRefusal, or a negative errno.
 */
int tickets_open(Tickets *tickets, OpsPacket *packet, Ticket **ret_ticket);

/*
 * Identifies the client at the other end of @client_fd, and the identity that its processes have here. Returns 0, a positive OpsRefusal,
 * or a negative errno.
 */
int tickets_identify(const Tickets *tickets, int client_fd, SocketPeer *ret_peer, Identity *ret_identity);

/*
 * Reads the process of the client in @packet from /proc below @root. Returns 0, a positive OpsRefusal, or a negative
 * errno.
 */
int tickets_read_peer(const Tickets *tickets, RootDir *root, const OpsPacket *packet, OpsPeer *ret_peer);

/* NULL if no such ticket is open. */
Ticket *tickets_find(Tickets *tickets, uint64_t id);
void ticket_close(Ticket *ticket);
