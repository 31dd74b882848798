/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/clients/permission.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include "front/base/share.h"
#include "front/clients/clients.h"
#include "front/clients/polkit.h"
#include "front/clients/session.h"
#include "front/jobs/job.h"
#include "front/jobs/launch-link.h"
#include "ops/ops.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/socket.h"
#include "util/time.h"

#ifndef SO_PEERPIDFD
# define SO_PEERPIDFD 77
#endif

struct Permission {
        LIST_ENTRY(Permission) permissions;
        Session *session;  /* NULL: it ended while the launcher was asked */
        WatchRequest open; /* of the request, while there is a session */
        AccessVerb verb;
        const RequestRow *row;
        Benchd__Request *request;
        int fds[SOCKET_FDS_MAX];
        size_t n_fds;
        ShareHold held; /* these, among the descriptors of its user */
        PermissionTell tell;
        sd_bus *bus;              /* to polkit; NULL once the question has it */
        PolkitQuestion *question; /* NULL: the launcher is asked first */
};

static void permission_free(Permission *permission) {
        if (permission->session)
                permission->session->permission = NULL;
        LIST_REMOVE(permission, permissions);
        watch_client_close(&permission->open);
        polkit_question_free(permission->question);
        sd_bus_close_unref(permission->bus);
        share_close(&permission->held, permission->fds, permission->n_fds);
        if (permission->request)
                benchd__request__free_unpacked(permission->request, NULL);
        free(permission);
}

static void permission_end(Permission *permission, bool granted) {
        const SessionFds fds = { .fds = permission->fds, .n = permission->n_fds, .held = &permission->held };
        Session *session = permission->session;

        if (session) {
                session->permission = NULL; /* the request may ask again */
                watch_client_close(&permission->open);
                permission->tell(session, permission->row, granted, &permission->request, &fds);
                permission->session = NULL;
        }
        permission_free(permission);
}

static void permission_on_polkit(void *userdata, PolkitAnswer answer) {
        permission_end(userdata, answer == POLKIT_YES);
}

/* -1 on an older kernel. */
static int peer_pidfd(int fd) {
        int pidfd;

        return getsockopt(fd, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &(socklen_t){ sizeof pidfd }) == 0 ? pidfd : -1;
}

/* True if a process started this many ticks after boot can have made a connection as old as @since_ns. */
static bool began_before(uint64_t started_ticks, uint64_t since_ns) {
        const uint64_t tick_ns = NS_PER_S / sysconf(_SC_CLK_TCK);

        return started_ticks > 0 && started_ticks * tick_ns <= since_ns + tick_ns;
}

static int permission_ask_polkit(Permission *permission, const OpsPeer *peer) {
        const Session *session = permission->session;
        _cleanup_(fd_closep) int pidfd = peer_pidfd(session->client.fd);
        const PolkitSubject subject = {
                .pid = peer->pid,
                .started_ticks = peer->started_ticks,
                .uid = session->client.uid,
                .pidfd = pidfd,
        };

        if (peer->uid != subject.uid || !began_before(peer->started_ticks, session->since_ns))
                return -ESRCH;
        return error_trace(polkit_ask(take_pointer(permission->bus), &subject, access_action(permission->verb),
                        permission_on_polkit, permission, &permission->question));
}

static void permission_on_peer(void *userdata, OpsPacket *packet) {
        Permission *permission = userdata;

        if (!permission->session)
                permission_free(permission);
        else if (packet->record.kind != OPS_PEER_IS || permission_ask_polkit(permission, &packet->record.peer))
                permission_end(permission, false);
}

/* The launcher, which has the processes of others to look after, is asked where there is polkit only. */
int permission_ask(Session *session, AccessVerb verb, const RequestRow *row, Benchd__Request **request,
                const SessionFds *fds, PermissionTell tell) {
        LaunchLink *link = session->clients->services->link;
        Permission *permission;
        OpsRecord record = { .kind = OPS_PEER };
        sd_bus *bus;
        int r;

        if (session->permission || fds->n > SOCKET_FDS_MAX)
                return -EBUSY;
        r = link ? polkit_connect(session->clients->services->event, &bus) : -ENOTCONN;
        if (r)
                return r > 0 ? -ENOTCONN : r;
        permission = calloc(1, sizeof *permission);
        r = permission ? launch_link_ask(link, &record, &session->client.fd, 1, permission_on_peer, permission)
                       : error_origin(-ENOMEM);
        if (r) {
                sd_bus_close_unref(bus);
                free(permission);
                return r;
        }
        *permission = (Permission){ .session = session, .verb = verb, .row = row, .tell = tell, .bus = bus };
        permission->request = take_pointer(*request);
        for (size_t i = 0; i < fds->n; i++)
                permission->fds[permission->n_fds++] = fd_take(&fds->fds[i]);
        permission->held = share_move(fds->held);
        session->permission = permission;
        watch_client_open(&session->client, &permission->open, permission->request->id);
        LIST_INSERT_HEAD(&session->clients->permissions, permission, permissions);
        return 0;
}

void permission_forget(Session *session) {
        Permission *permission = session->permission;

        if (!permission)
                return;
        if (permission->question) {
                permission_free(permission);
                return;
        }
        session->permission = NULL;
        permission->session = NULL;
        watch_client_close(&permission->open);
}

void permission_free_all(Clients *clients) {
        while (!LIST_EMPTY(&clients->permissions))
                permission_free(LIST_FIRST(&clients->permissions));
}
