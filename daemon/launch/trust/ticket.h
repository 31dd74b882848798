/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Tickets: what the launcher itself knows of a job. The identity, which it read from the client's own socket, as long as the client is
 * there, and the module, libraries and inputs, which are sealed and so stay what they were. Each of them is the client's own: made by
 * its user, as the owner of the memfd tells, or submitted by its user once before, as a voucher does. So a front-end gone bad can run
 * nothing that the user who is connected at that moment did not submit; it never runs anything as root or as itself.
 *
 * Their descriptors have a share of the launcher's table of open files. The front-end is told how large it is, and admits no more jobs than
 * it holds; a ticket beyond it is refused.
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

        TICKETS_E_LATER = 1000, /* beside the values of OpsRefusal: vouchers are to be checked first */
};

#define TICKETS_MAX 8192u /* two for each of the most jobs that benchd.conf allows */

struct Ticket {
        uint64_t id; /* 0: the place is free */
        Identity identity;
        int module_fd;
        int library_fds[RUNNER_LIBRARIES_MAX];
        uint32_t n_libraries;
        int input_fds[RUNNER_INPUTS_MAX];
        uint32_t n_inputs;
        TicketProof *proof; /* NULL: it is open */
};

/* Told how a ticket of E_LATER ends: with 0 it is open; with a positive OpsRefusal or a negative errno it is closed afterwards. */
typedef void (*TicketsProven)(void *userdata, uint64_t serial, const Ticket *ticket, int r);

/* Closes a client's socket, which is taken: files that the client sent may lie in it. */
typedef void (*TicketsCloseClient)(void *userdata, int client_fd);

typedef struct TicketsConfig {
        const Identities *identities;
        const char *listening_path; /* the clients' sockets are accepted on it */
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
        size_t n_files_max; /* descriptors of all together */
        Ticket *tickets;    /* TICKETS_MAX places, of which those at @n_used and beyond have never been taken */
        size_t n_used;
} Tickets;

void tickets_init(Tickets *tickets, const TicketsConfig *config);

/* Makes the places, for @n_files descriptors in all. Returns 0 or a negative errno. */
int tickets_make_places(Tickets *tickets, size_t n_files);
void tickets_close_all(Tickets *tickets);

/* Closes all, and frees the places. */
void tickets_clear(Tickets *tickets);

/*
 * Opens a ticket for the client, module, libraries and inputs in @packet, whose descriptors it takes, but for the client's socket where the
 * ticket is open at once. Returns 0, E_LATER where the end is told later, a positive OpsRefusal, or a negative errno.
 */
int tickets_open(Tickets *tickets, OpsPacket *packet, Ticket **ret_ticket);

/* Reads the process of the client in @packet from the processes below @root. Returns 0, a positive OpsRefusal, or a negative errno. */
int tickets_read_peer(const Tickets *tickets, RootDir *root, const OpsPacket *packet, OpsPeer *ret_peer);

/* NULL if no such ticket is open. */
Ticket *tickets_find(Tickets *tickets, uint64_t id);
void ticket_close(Ticket *ticket);
