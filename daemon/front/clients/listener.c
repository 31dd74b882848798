/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/clients/listener.h"

#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <systemd/sd-event.h>

#include "front/base/log.h"
#include "front/base/reply-error.h"
#include "front/clients/policy.h"
#include "front/clients/session.h"
#include "front/daemon.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/socket.h"

struct Listener {
        Daemon *daemon;
        int fd;
        sd_event_source *source;
};

DEFINE_CLEANUP(Listener *, listener_free)

static int listener_admit(Listener *listener, int fd) {
        const Config *config = &listener->daemon->config;
        const PolicyUse most = { .all = config->clients, .user = config->clients_per_user };
        SocketPeer peer = SOCKET_PEER_NULL;
        Session *session;
        int r;

        r = socket_peer_read(fd, &peer);
        if (r) {
                fd_close(fd); /* who cannot be identified is nobody */
                return 0;
        }
        r = policy_take(peer.uid, daemon_count_sessions(listener->daemon, peer.uid), most);
        if (r) {
                session_turn_away(fd, r == POLICY_E_USER_FULL ? "This user has too many connections open."
                                                              : "Too many connections are open.");
                log_say(LOG_CLIENT_REFUSED, LOG_OF_UID(peer.uid), "%s",
                                r == POLICY_E_USER_FULL ? "its user has too many" : "there are too many");
                fd_close(fd);
                return 0;
        }
        r = session_new(listener->daemon, fd, peer.uid, &session);
        return error_trace(r);
}

static int listener_on_io(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        Listener *listener = userdata;
        int client;

        client = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (client >= 0)
                return error_trace(listener_admit(listener, client));
        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
                return sd_event_source_set_enabled(source, SD_EVENT_OFF);
        return 0; /* the client was gone before it was accepted */
}

int listener_new(Daemon *daemon, int fd, Listener **ret_listener) {
        _cleanup_(listener_freep) Listener *listener = NULL;
        int r;

        listener = calloc(1, sizeof *listener);
        if (!listener) {
                fd_close(fd);
                return error_origin(-ENOMEM);
        }
        listener->daemon = daemon;
        listener->fd = fd;
        r = fd_set_nonblock(fd, true);
        if (r)
                return error_trace(r);
        r = sd_event_add_io(daemon->event, &listener->source, fd, EPOLLIN, listener_on_io, listener);
        if (r < 0)
                return error_origin(r);
        r = sd_event_source_set_exit_on_failure(listener->source, true);
        if (r < 0)
                return error_origin(r);
        *ret_listener = take_pointer(listener);
        return 0;
}

Listener *listener_free(Listener *listener) {
        if (!listener)
                return NULL;
        sd_event_source_disable_unref(listener->source);
        fd_close(listener->fd);
        free(listener);
        return NULL;
}

void listener_wake(Listener *listener) {
        sd_event_source_set_enabled(listener->source, SD_EVENT_ON);
}
