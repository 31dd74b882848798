/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/ticket.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

void tickets_init(Tickets *tickets, const Identities *identities, const char *listening_path) {
        *tickets = (Tickets){ .identities = identities, .listening_path = listening_path };
}

void tickets_close_all(Tickets *tickets) {
        for (size_t i = 0; i < TICKETS_MAX; i++)
                if (tickets->tickets[i].id)
                        ticket_close(&tickets->tickets[i]);
}

/* A socket of the front-end's own making is not bound to the path on which clients are accepted. */
static bool is_accepted_on(int fd, const char *path) {
        struct sockaddr_un address = {};
        socklen_t n = sizeof address;
        int listens;

        /* The listening socket itself bears the path too, and its peer is whoever bound it. */
        if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &(socklen_t){ sizeof listens }) < 0 || listens)
                return false;

        if (getsockname(fd, (struct sockaddr *)&address, &n) < 0 || address.sun_family != AF_UNIX)
                return false;
        if (n <= offsetof(struct sockaddr_un, sun_path))
                return false;
        return strncmp(address.sun_path, path, sizeof address.sun_path) == 0;
}

static int ticket_identify(const Tickets *tickets, int client_fd, Identity *ret_identity) {
        SocketPeer peer = SOCKET_PEER_NULL;
        int r;

        if (!is_accepted_on(client_fd, tickets->listening_path))
                return OPS_REFUSAL_IDENTITY;
        r = socket_peer_read(client_fd, &peer);
        if (r)
                return error_trace(r);
        r = identities_map(tickets->identities, &peer, ret_identity);
        return r == IDENTITY_E_REFUSED ? (int)OPS_REFUSAL_IDENTITY : error_fold(r);
}

static int ticket_check_files(const int *fds, size_t n_fds) {
        size_t size;
        int r;

        for (size_t i = 0; i < n_fds; i++) {
                r = fd_check_sealed(fds[i], OPS_MODULE_MAX, &size);
                if (r > 0)
                        return OPS_REFUSAL_MODULE;
                if (r)
                        return error_trace(r);
        }
        return 0;
}

static Ticket *tickets_place(Tickets *tickets) {
        for (size_t i = 0; i < TICKETS_MAX; i++)
                if (!tickets->tickets[i].id)
                        return &tickets->tickets[i];
        return NULL;
}

int tickets_open(Tickets *tickets, OpsPacket *packet, Ticket **ret_ticket) {
        _cleanup_(fd_close_receivedp) int client_fd = fd_take(&packet->fds[0]);
        Identity identity = IDENTITY_NULL;
        Ticket *ticket;
        int r;

        r = ticket_identify(tickets, client_fd, &identity);
        if (r)
                return r;
        r = ticket_check_files(packet->fds + 1, packet->n_fds - 1);
        if (r)
                return r;
        ticket = tickets_place(tickets);
        if (!ticket)
                return OPS_REFUSAL_BUSY;

        *ticket = (Ticket){
                .id = ++tickets->last_id,
                .identity = identity,
                .module_fd = fd_take(&packet->fds[1]),
                .n_libraries = packet->record.ticket_open.n_libraries,
                .n_inputs = packet->record.ticket_open.n_inputs,
        };
        for (uint32_t i = 0; i < ticket->n_libraries; i++)
                ticket->library_fds[i] = fd_take(&packet->fds[2 + i]);
        for (uint32_t i = 0; i < ticket->n_inputs; i++)
                ticket->input_fds[i] = fd_take(&packet->fds[2 + ticket->n_libraries + i]);
        *ret_ticket = ticket;
        return 0;
}

Ticket *tickets_find(Tickets *tickets, uint64_t id) {
        for (size_t i = 0; i < TICKETS_MAX; i++)
                if (id && tickets->tickets[i].id == id)
                        return &tickets->tickets[i];
        return NULL;
}

void ticket_close(Ticket *ticket) {
        fd_close(ticket->module_fd);
        for (uint32_t i = 0; i < ticket->n_libraries; i++)
                fd_close(ticket->library_fds[i]);
        for (uint32_t i = 0; i < ticket->n_inputs; i++)
                fd_close(ticket->input_fds[i]);
        *ticket = (Ticket){};
}
