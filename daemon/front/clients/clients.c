/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/clients/clients.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <systemd/sd-event.h>

#include "front/base/config.h"
#include "front/base/limits.h"
#include "front/base/log.h"
#include "front/base/share.h"
#include "front/base/slices.h"
#include "front/base/turns.h"
#include "front/clients/receivers.h"
#include "front/clients/request.h"
#include "front/clients/session.h"
#include "front/jobs/job.h"
#include "proto/frame-queue.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/socket.h"
#include "util/time.h"

#define CLIENTS_RETRY_US 1000000u
#define CLIENTS_BATCH    16u /* sessions that are begun or freed in one turn: half a millisecond */

DEFINE_CLEANUP(Clients *, clients_free)

/* ---- admission */

static void clients_turn_away(const Clients *clients, uid_t uid, bool user_full, int fd) {
        ReplyError why;

        limits_refuse(clients->services->config, LIMIT_CONNECTION, uid, user_full, &why);
        session_turn_away(fd, &why);
        log_say(LOG_CLIENT_REFUSED, LOG_OF_UID(uid), "%s", user_full ? "its user has too many" : "there are too many");
}

static int clients_admit(Clients *clients, int fd) {
        Turns *turns = clients->services->turns;
        SocketPeer peer = SOCKET_PEER_NULL;
        Session *session;
        ShareHold place = {};
        int r;

        /* Out of band, the kernel would drop a byte, and a descriptor with it, wherever another byte is read. */
        (void)setsockopt(fd, SOL_SOCKET, SO_OOBINLINE, &(int){ 1 }, sizeof(int));
        r = socket_peer_read(fd, &peer);
        turns_note(turns, TURN_CONNECTION, peer.uid);
        clients->priority = turns_priority(turns, peer.uid);
        if (r == 0)
                r = share_take(clients->services->shares, peer.uid, SHARE_CONNECTIONS, 1, &place);
        if (r == SHARE_E_USER_FULL || r == SHARE_E_FULL)
                clients_turn_away(clients, peer.uid, r == SHARE_E_USER_FULL, fd);
        if (r) { /* refused, or the peer is unknown */
                receivers_close(clients->receivers, peer.uid, fd, &place);
                return 0;
        }
        r = session_new(clients, fd, &place, peer.uid, &session);
        share_release(&place);
        return error_trace(r);
}

/*
 * Room comes when a session ends, which the sweep notices; or elsewhere in the system, without notice: hence the timer.
 */
static int clients_pause(Clients *clients) {
        int r;

        r = sd_event_source_set_enabled(clients->source, SD_EVENT_OFF);
        if (r >= 0)
                r = sd_event_source_set_time_relative(clients->retry, CLIENTS_RETRY_US);
        if (r >= 0)
                r = sd_event_source_set_enabled(clients->retry, SD_EVENT_ONESHOT);
        return r < 0 ? error_origin(r) : 0;
}

static int clients_on_retry(sd_event_source *source, uint64_t usec, void *userdata) {
        Clients *clients = userdata;

        return sd_event_source_set_enabled(clients->source, SD_EVENT_ON);
}

/* Connections wait in one line, so who fills it waits as what that user asks for does, and holds up those behind. */
static int clients_on_io(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        Clients *clients = userdata;
        int r;

        turns_note(clients->services->turns, TURN_CONNECTION, TURNS_NOBODY);
        clients->n_ends = 0;
        for (size_t n = 0; n < CLIENTS_BATCH; n++) {
                int client = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

                if (client < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS))
                        return error_trace(clients_pause(clients));
                if (client < 0) /* that was all, or the client was gone before it was accepted */
                        break;
                r = clients_admit(clients, client);
                if (r)
                        return error_trace(r);
        }
        r = sd_event_source_set_priority(source, clients->priority);
        return r < 0 ? error_origin(r) : 0;
}

/* ---- after each turn of the loop */

/* Frees a batch of broken sessions; one that has jobs, whose ends are stored, is the last of its batch. */
static int clients_on_sweeper(sd_event_source *source, uint64_t usec, void *userdata) {
        Clients *clients = userdata;
        Session *session, *next;
        size_t n = 0;

        turns_note(clients->services->turns, TURN_SWEEP, TURNS_NOBODY);
        for (session = TAILQ_FIRST(&clients->sessions); session && n < CLIENTS_BATCH; session = next) {
                next = TAILQ_NEXT(session, sessions);
                if (!session->broken)
                        continue;
                n += LIST_EMPTY(&session->client.watches) ? 1 : CLIENTS_BATCH;
                session_free(session);
        }
        clients->sweeper = sd_event_source_disable_unref(source);
        return sd_event_source_set_enabled(clients->source, SD_EVENT_ON);
}

void clients_sweep(Clients *clients) {
        Session *session;
        bool any = false;

        clients->n_open = 0;
        TAILQ_FOREACH(session, &clients->sessions, sessions) {
                if (session->broken)
                        session_stop(session);
                any |= session->broken;
                clients->n_open += !session->broken;
        }
        if (any && !clients->sweeper)
                (void)slices_start(clients->services->event, SD_EVENT_PRIORITY_NORMAL, clients_on_sweeper, clients,
                                &clients->sweeper);
}

void clients_release(Clients *clients, uint64_t until, const char *lost) {
        Session *session;

        TAILQ_FOREACH(session, &clients->sessions, sessions) {
                session_release(session, until, lost);
        }
}

void clients_flush(Clients *clients) {
        Session *session;

        TAILQ_FOREACH(session, &clients->sessions, sessions) {
                if (!session->gone)
                        (void)frame_queue_send(session->queue, session->client.fd);
        }
}

/* ---- life */

int clients_new(JobServices *services, const SessionHandlers *handlers, int fd, CallFilterMode calls,
                Clients **ret_clients) {
        _cleanup_(clients_freep) Clients *clients = NULL;
        int r;

        clients = calloc(1, sizeof *clients);
        if (!clients) {
                fd_close(fd);
                return error_origin(-ENOMEM);
        }
        clients->services = services;
        clients->handlers = handlers;
        clients->fd = fd;
        clients->started_ns = time_monotonic_ns();
        TAILQ_INIT(&clients->sessions);
        LIST_INIT(&clients->status_requests);
        LIST_INIT(&clients->governor_requests);
        LIST_INIT(&clients->permissions);
        access_init(&clients->access, services->config);
        r = receivers_new(services->event, calls, &clients->receivers);
        if (r)
                return error_trace(r);
        shares_set_closer(services->shares, receivers_close_files, clients->receivers);
        r = fd_set_nonblock(fd, true);
        if (r)
                return error_trace(r);
        r = sd_event_add_io(services->event, &clients->source, fd, EPOLLIN, clients_on_io, clients);
        if (r < 0)
                return error_origin(r);
        r = sd_event_source_set_exit_on_failure(clients->source, true);
        if (r < 0)
                return error_origin(r);
        r = sd_event_add_time_relative(services->event, &clients->retry, CLOCK_MONOTONIC, 0, 0, clients_on_retry,
                        clients);
        if (r >= 0)
                r = sd_event_source_set_enabled(clients->retry, SD_EVENT_OFF);
        if (r < 0)
                return error_origin(r);
        *ret_clients = take_pointer(clients);
        return 0;
}

Clients *clients_free(Clients *clients) {
        if (!clients)
                return NULL;
        while (!TAILQ_EMPTY(&clients->sessions))
                session_free(TAILQ_FIRST(&clients->sessions));
        shares_set_closer(clients->services->shares, NULL, NULL);
        receivers_free(clients->receivers);
        looks_stop(&clients->looks);
        sd_event_source_disable_unref(clients->source);
        sd_event_source_disable_unref(clients->retry);
        sd_event_source_disable_unref(clients->sweeper);
        fd_close(clients->fd);
        free(clients);
        return NULL;
}
