/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/run/adopting.h"

#include <errno.h>

#include "launch/base/identity.h"
#include "launch/run/adopted.h"
#include "launch/run/process.h"
#include "launch/trust/ticket.h"
#include "util/error.h"
#include "util/socket.h"

/* Returns 0, a positive OpsRefusal, or a negative errno. */
static int adopting_identify(const Tickets *tickets, Process *process, int client_fd, pid_t *ret_pid) {
        SocketPeer peer = SOCKET_PEER_NULL;
        Identity identity = IDENTITY_NULL;
        int r;

        r = tickets_identify(tickets, client_fd, &peer, &identity);
        if (r)
                return error_trace(r);
        if (!process || process_mode(process) != RUNNER_MODE_RUN || identity.uid != process_uid(process))
                return OPS_REFUSAL_STRANGER;
        *ret_pid = peer.pid;
        return 0;
}

/* A peer that is connected still after it was taken in is the process that was meant, and no other that has its pid now. */
static int adopting_take(const Tickets *tickets, Process *process, int client_fd, OpsAdopted *ret_adopted) {
        pid_t pid;
        int r;

        r = adopting_identify(tickets, process, client_fd, &pid);
        if (r)
                return r;
        r = process_adopt(process, pid, ret_adopted);
        if (r == ADOPTED_E_FULL)
                return OPS_REFUSAL_BUSY;
        if (r == ADOPTED_E_GONE)
                return OPS_REFUSAL_HUNG_UP;
        return r ? error_trace(r) : adopting_identify(tickets, process, client_fd, &pid);
}

void adopting_do(const Tickets *tickets, Process *process, const OpsPacket *packet, OpsRecord *ret_answer) {
        OpsRecord answer = { .kind = OPS_ADOPTED, .serial = packet->record.serial };
        int r;

        r = adopting_take(tickets, process, packet->fds[0], &answer.adopted);
        if (r)
                answer = r > 0 ? ops_refusal(answer.serial, r, 0) : ops_refusal(answer.serial, OPS_REFUSAL_SYSTEM, -r);
        *ret_answer = answer;
}
