/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/run/adopting.h"

#include "launch/base/identity.h"
#include "launch/run/adopted.h"
#include "launch/run/process.h"
#include "launch/trust/ticket.h"
#include "util/error.h"
#include "util/socket.h"

static const OpsRefusal refusals[] = {
        [ADOPTED_E_FULL] = OPS_REFUSAL_CROWD,
        [ADOPTED_E_GONE] = OPS_REFUSAL_DEAD,
        [ADOPTED_E_STRANGER] = OPS_REFUSAL_STRANGER,
        [ADOPTED_E_THREADS] = OPS_REFUSAL_THREADS,
        [ADOPTED_E_ENDLESS] = OPS_REFUSAL_ENDLESS,
        [ADOPTED_E_OVER] = OPS_REFUSAL_OVER,
};

/* Finds who made the connection @client_fd, for a process of the same user. Returns 0, a positive OpsRefusal, or a negative errno. */
static int identify(const Tickets *tickets, const Process *process, int client_fd, SocketPeer *ret_peer) {
        Identity identity = IDENTITY_NULL;
        int r;

        r = tickets_identify(tickets, client_fd, ret_peer, &identity);
        if (r)
                return error_trace(r);
        if (!process)
                return OPS_REFUSAL_OVER;
        if (process_mode(process) != RUNNER_MODE_RUN || identity.uid != process_uid(process))
                return OPS_REFUSAL_STRANGER;
        return 0;
}

int adopting_check(const Tickets *tickets, const Process *process, int client_fd) {
        SocketPeer peer = SOCKET_PEER_NULL;
        int r;

        r = identify(tickets, process, client_fd, &peer);
        if (r)
                return error_trace(r);
        return process_has_adopted(process, peer.pid) ? 0 : (int)OPS_REFUSAL_OUTSIDE;
}

/* Returns 0, a positive OpsRefusal, or a negative errno. */
static int adopting_take(const Tickets *tickets, Process *process, int client_fd, OpsAdopted *ret_adopted) {
        SocketPeer peer = SOCKET_PEER_NULL;
        int r;

        r = identify(tickets, process, client_fd, &peer);
        if (r)
                return error_trace(r);
        r = process_adopt(process, peer.pid, peer.uid, ret_adopted);
        return r > 0 ? (int)refusals[r] : error_trace(r);
}

void adopting_do(const Tickets *tickets, Process *process, const OpsPacket *packet, OpsRecord *ret_answer) {
        OpsRecord answer = { .kind = OPS_ADOPTED, .serial = packet->record.serial };
        int r;

        r = adopting_take(tickets, process, packet->fds[0], &answer.adopted);
        if (r)
                answer = r > 0 ? ops_refusal(answer.serial, r, 0) : ops_refusal(answer.serial, OPS_REFUSAL_SYSTEM, -r);
        *ret_answer = answer;
}
