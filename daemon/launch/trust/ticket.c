/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/trust/ticket.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "launch/base/thread.h"
#include "launch/trust/hash-queue.h"
#include "launch/trust/voucher.h"
#include "ops/receiver.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

/* The files of a ticket whose vouchers are being checked, one after another. */
struct TicketProof {
        Tickets *of;
        Ticket *ticket;
        uint64_t serial; /* of the question */
        uid_t uid;       /* of the client */
        int client_fd;
        OpsVoucher vouchers[1 + RUNNER_LIBRARIES_MAX]; /* not given: the file's owner is the user */
        size_t at;
        HashTask *task;
};

void tickets_init(Tickets *tickets, const TicketsConfig *config) {
        *tickets = (Tickets){ .config = *config };
}

int tickets_make_places(Tickets *tickets, size_t n_files) {
        tickets->tickets = calloc(TICKETS_MAX, sizeof *tickets->tickets);
        if (!tickets->tickets)
                return error_origin(-ENOMEM);
        tickets->n_files_max = n_files;
        return 0;
}

void tickets_close_all(Tickets *tickets) {
        for (size_t i = 0; i < tickets->n_used; i++)
                if (tickets->tickets[i].id)
                        ticket_close(&tickets->tickets[i]);
        tickets->n_used = 0;
}

void tickets_clear(Tickets *tickets) {
        tickets_close_all(tickets);
        tickets->tickets = (free(tickets->tickets), NULL);
}

/* A socket of the front-end's own making is not bound to the path on which clients are accepted. */
static bool is_accepted_on(int fd, const char *path) {
        struct sockaddr_un address = {};
        socklen_t n = sizeof address;
        int listens;

        /* The listening socket itself has that path too, and its peer is the process that bound it. */
        if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &(socklen_t){ sizeof listens }) < 0 || listens)
                return false;

        if (getsockname(fd, (struct sockaddr *)&address, &n) < 0 || address.sun_family != AF_UNIX)
                return false;
        if (n <= offsetof(struct sockaddr_un, sun_path))
                return false;
        return strncmp(address.sun_path, path, sizeof address.sun_path) == 0;
}

/* A client that hung up cannot be impersonated: a front-end that keeps old sockets open gets no ticket with them. */
static bool is_hung_up(int fd) {
        struct pollfd client = { .fd = fd, .events = POLLRDHUP };

        return poll(&client, 1, 0) != 0;
}

int tickets_identify(const Tickets *tickets, int client_fd, SocketPeer *ret_peer, Identity *ret_identity) {
        SocketPeer peer = SOCKET_PEER_NULL;
        int r;

        if (!is_accepted_on(client_fd, tickets->config.listening_path))
                return OPS_REFUSAL_IDENTITY;
        if (is_hung_up(client_fd))
                return OPS_REFUSAL_HUNG_UP;
        r = socket_peer_read(client_fd, &peer);
        if (r)
                return error_trace(r);
        r = identities_map(tickets->config.identities, &peer, ret_identity);
        if (r)
                return r == IDENTITY_E_REFUSED ? (int)OPS_REFUSAL_IDENTITY : error_fold(r);
        *ret_peer = peer;
        return 0;
}

int tickets_read_peer(const Tickets *tickets, RootDir *root, const OpsPacket *packet, OpsPeer *ret_peer) {
        const int client_fd = packet->fds[0];
        SocketPeer peer = SOCKET_PEER_NULL;
        uint64_t started;
        int r;

        if (!is_accepted_on(client_fd, tickets->config.listening_path))
                return OPS_REFUSAL_IDENTITY;
        r = socket_peer_read(client_fd, &peer);
        if (r)
                return error_trace(r);
        r = thread_read_start(root, peer.pid, &started);
        if (r < 0)
                return error_trace(r);
        if (r || is_hung_up(client_fd))
                return OPS_REFUSAL_HUNG_UP;
        *ret_peer = (OpsPeer){ .pid = peer.pid, .uid = peer.uid, .started_ticks = started };
        return 0;
}

/* ---- files */

/*
 * Checks a file of a client of @uid: its owner by fstat() is the client, or a voucher must prove that the client submitted it. A file
 * that root recalls may be any user's, since nothing runs as root. @voucher is NULL where the file can have none. Returns 0,
 * TICKETS_E_LATER if the voucher is to be checked, a positive OpsRefusal, or a negative errno.
 */
static int file_check(int fd, uid_t uid, const OpsVoucher *voucher) {
        struct stat status;
        size_t size;
        int r;

        r = fd_check_sealed(fd, OPS_MODULE_MAX, &size);
        if (r)
                return r > 0 ? (int)OPS_REFUSAL_MODULE : error_trace(r);
        if (fstat(fd, &status) < 0)
                return error_origin(-errno);
        if (status.st_uid == uid)
                return 0;
        if (!voucher || !voucher->given || (voucher->uid != uid && uid != 0))
                return OPS_REFUSAL_OWNER;
        return TICKETS_E_LATER;
}

/* Checks all files in @packet. The vouchers still in it afterwards are to be checked. */
static int files_check(OpsPacket *packet, uid_t uid) {
        OpsTicketOpen *open = &packet->record.ticket_open;
        bool later = false;

        for (size_t i = 0; i + 1 < packet->n_fds; i++) {
                OpsVoucher *voucher = i <= open->n_libraries ? &open->vouchers[i] : NULL;
                int r;

                r = file_check(packet->fds[1 + i], uid, voucher);
                if (r && r != TICKETS_E_LATER)
                        return error_trace(r);
                if (r == 0 && voucher)
                        *voucher = (OpsVoucher){};
                later |= r == TICKETS_E_LATER;
        }
        return later ? TICKETS_E_LATER : 0;
}

/* ---- proof */

static void proof_free(TicketProof *proof) {
        if (!proof)
                return;
        hash_task_free(proof->task);
        proof->of->config.close_client(proof->of->config.userdata, proof->client_fd);
        free(proof);
}

static int proof_new(Tickets *tickets, Ticket *ticket, uid_t uid, OpsPacket *packet) {
        TicketProof *proof = malloc(sizeof *proof);

        if (!proof)
                return error_origin(-ENOMEM);
        *proof = (TicketProof){ .of = tickets,
                .ticket = ticket,
                .serial = packet->record.serial,
                .uid = uid,
                .client_fd = fd_take(&packet->fds[0]) };
        memcpy(proof->vouchers, packet->record.ticket_open.vouchers, sizeof proof->vouchers);
        ticket->proof = proof;
        return 0;
}

static void ticket_prove(Ticket *ticket);

/* Opens the ticket, or closes it if @r is a refusal or an errno. */
static void ticket_end_proof(Ticket *ticket, int r) {
        TicketProof *proof = ticket->proof;
        const TicketsConfig *config = &proof->of->config;

        if (r == 0 && is_hung_up(proof->client_fd))
                r = OPS_REFUSAL_HUNG_UP;
        ticket->proof = NULL;
        config->proven(config->userdata, proof->serial, ticket, r);
        proof_free(proof);
        if (r)
                ticket_close(ticket);
}

static void ticket_on_hash(void *userdata, int r, const uint8_t sha256[HASH_BYTES]) {
        TicketProof *proof = userdata;

        proof->task = NULL;
        if (r == 0 && !voucher_holds(proof->of->config.key, &proof->vouchers[proof->at], sha256))
                r = OPS_REFUSAL_OWNER;
        proof->at++;
        if (r)
                ticket_end_proof(proof->ticket, r);
        else
                ticket_prove(proof->ticket);
}

/* Goes on to the next file with a voucher. */
static void ticket_prove(Ticket *ticket) {
        TicketProof *proof = ticket->proof;
        int fd, r;

        while (proof->at < N_ELEMENTS(proof->vouchers) && !proof->vouchers[proof->at].given)
                proof->at++;
        if (proof->at == N_ELEMENTS(proof->vouchers)) {
                ticket_end_proof(ticket, 0);
                return;
        }
        fd = proof->at == 0 ? ticket->module_fd : ticket->library_fds[proof->at - 1];
        r = hash_queue_add(proof->of->config.hashes, proof->uid, fd, ticket_on_hash, proof, &proof->task);
        if (r)
                ticket_end_proof(ticket, r);
}

/* ---- opening */

/*
 * Counts the descriptors of all tickets, and those of closed tickets that still wait for their close, so that none is
 * forgotten.
 */
static size_t tickets_count_files(const Tickets *tickets) {
        size_t n = receiver_closer_count_waiting(tickets->config.closer);

        for (size_t i = 0; i < tickets->n_used; i++)
                if (tickets->tickets[i].id)
                        n += 1 + tickets->tickets[i].n_libraries + tickets->tickets[i].n_inputs;
        return n;
}

/* A place for a ticket of @n_files descriptors, or NULL. */
static Ticket *tickets_place(Tickets *tickets, size_t n_files) {
        if (tickets_count_files(tickets) + n_files > tickets->n_files_max)
                return NULL;
        for (size_t i = 0; i < tickets->n_used; i++)
                if (!tickets->tickets[i].id)
                        return &tickets->tickets[i];
        return tickets->n_used < TICKETS_MAX ? &tickets->tickets[tickets->n_used++] : NULL;
}

static void ticket_take(Ticket *ticket, uint64_t id, const Identity *identity, OpsPacket *packet) {
        *ticket = (Ticket){
                .id = id,
                .identity = *identity,
                .module_fd = fd_take(&packet->fds[1]),
                .n_libraries = packet->record.ticket_open.n_libraries,
                .n_inputs = packet->record.ticket_open.n_inputs,
        };
        for (uint32_t i = 0; i < ticket->n_libraries; i++)
                ticket->library_fds[i] = fd_take(&packet->fds[2 + i]);
        for (uint32_t i = 0; i < ticket->n_inputs; i++)
                ticket->input_fds[i] = fd_take(&packet->fds[2 + ticket->n_libraries + i]);
}

int tickets_open(Tickets *tickets, OpsPacket *packet, Ticket **ret_ticket) {
        Identity identity = IDENTITY_NULL;
        Ticket *ticket;
        SocketPeer peer = SOCKET_PEER_NULL;
        int r, proven;

        r = tickets_identify(tickets, packet->fds[0], &peer, &identity);
        if (r)
                return r;
        proven = files_check(packet, peer.uid);
        if (proven && proven != TICKETS_E_LATER)
                return proven;
        r = proven ? voucher_key_open(tickets->config.key) : 0;
        if (r)
                return error_trace(r);
        ticket = tickets_place(tickets, packet->n_fds - 1);
        if (!ticket)
                return OPS_REFUSAL_FILES;
        ticket_take(ticket, ++tickets->last_id, &identity, packet);
        if (proven == TICKETS_E_LATER) {
                r = proof_new(tickets, ticket, peer.uid, packet);
                if (r) {
                        ticket_close(ticket);
                        return error_trace(r);
                }
                ticket_prove(ticket);
                return TICKETS_E_LATER;
        }
        *ret_ticket = ticket;
        return 0;
}

Ticket *tickets_find(Tickets *tickets, uint64_t id) {
        for (size_t i = 0; i < tickets->n_used; i++)
                if (id && tickets->tickets[i].id == id && !tickets->tickets[i].proof)
                        return &tickets->tickets[i];
        return NULL;
}

void ticket_close(Ticket *ticket) {
        proof_free(ticket->proof);
        fd_close_received(ticket->module_fd);
        for (uint32_t i = 0; i < ticket->n_libraries; i++)
                fd_close_received(ticket->library_fds[i]);
        for (uint32_t i = 0; i < ticket->n_inputs; i++)
                fd_close_received(ticket->input_fds[i]);
        *ticket = (Ticket){};
}
