/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/clients/clients.h"

#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <systemd/sd-event.h>

#include "front/base/config.h"
#include "front/base/log.h"
#include "front/clients/session.h"
#include "front/jobs/job.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/socket.h"
#include "util/time.h"

DEFINE_CLEANUP(Clients *, clients_free)

int clients_check_use(uid_t uid, ClientsUse use, ClientsUse most) {
        if (uid == (uid_t)-1)
                return CLIENTS_E_UNKNOWN_USER;
        if (use.user >= most.user)
                return CLIENTS_E_USER_FULL;
        if (use.all >= most.all)
                return CLIENTS_E_FULL;
        return 0;
}

int clients_check_job(const Clients *clients, uid_t uid, ReplyError *ret_why) {
        const Config *config = clients->services->config;
        const ClientsUse most = { .all = config->jobs, .user = config->jobs_per_user };
        ClientsUse use = {};
        const Job *job;
        int r;

        TAILQ_FOREACH(job, &clients->services->jobs, jobs) {
                use.all++;
                use.user += job->uid == uid;
        }
        r = clients_check_use(uid, use, most);
        if (r == CLIENTS_E_USER_FULL)
                reply_error_set(ret_why, BENCHD__ERROR__CODE__BUSY, "This user may have no more jobs at once than %zu.",
                                most.user);
        else if (r == CLIENTS_E_FULL)
                reply_error_set(ret_why, BENCHD__ERROR__CODE__BUSY, "The daemon has no more jobs at once than %zu.",
                                most.all);
        else if (r)
                reply_error_set(ret_why, BENCHD__ERROR__CODE__DENIED, "The daemon does not know who is asking.");
        if (r == CLIENTS_E_USER_FULL || r == CLIENTS_E_FULL)
                reply_error_hint(ret_why, "Try again when one of them has ended.");
        return r;
}

/* ---- admission */

static ClientsUse clients_count(const Clients *clients, uid_t uid) {
        const Session *session;
        ClientsUse use = {};

        TAILQ_FOREACH(session, &clients->sessions, sessions) {
                use.all++;
                use.user += session->client.uid == uid;
        }
        return use;
}

static int clients_admit(Clients *clients, int fd) {
        const Config *config = clients->services->config;
        const ClientsUse most = { .all = config->clients, .user = config->clients_per_user };
        SocketPeer peer = SOCKET_PEER_NULL;
        Session *session;
        int r;

        r = socket_peer_read(fd, &peer);
        if (r) {
                fd_close(fd); /* who cannot be identified is nobody */
                return 0;
        }
        r = clients_check_use(peer.uid, clients_count(clients, peer.uid), most);
        if (r) {
                session_turn_away(fd, r == CLIENTS_E_USER_FULL ? "This user has too many connections open."
                                                               : "Too many connections are open.");
                log_say(LOG_CLIENT_REFUSED, LOG_OF_UID(peer.uid), "%s",
                                r == CLIENTS_E_USER_FULL ? "its user has too many" : "there are too many");
                fd_close(fd);
                return 0;
        }
        return error_trace(session_new(clients, fd, peer.uid, &session));
}

static int clients_on_io(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        Clients *clients = userdata;
        int client;

        client = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (client >= 0)
                return error_trace(clients_admit(clients, client));
        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
                return sd_event_source_set_enabled(source, SD_EVENT_OFF);
        return 0; /* the client was gone before it was accepted */
}

/* ---- after each turn of the loop */

void clients_sweep(Clients *clients) {
        Session *session = TAILQ_FIRST(&clients->sessions);
        bool freed = false;

        while (session) {
                Session *next = TAILQ_NEXT(session, sessions);

                if (session->broken) {
                        session_free(session);
                        freed = true;
                }
                session = next;
        }
        if (freed)
                (void)sd_event_source_set_enabled(clients->source, SD_EVENT_ON);
}

/* ---- life */

static void clients_on_nobody(void *context, const char *name) {
        log_say(LOG_CONFIG, NULL, "set_governor: there is no %s", name);
}

int clients_new(JobServices *services, const SessionHandlers *handlers, int fd, Clients **ret_clients) {
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
        allow_list_init(&clients->may_set_governor, services->config->set_governor, clients_on_nobody, NULL);
        r = fd_set_nonblock(fd, true);
        if (r)
                return error_trace(r);
        r = sd_event_add_io(services->event, &clients->source, fd, EPOLLIN, clients_on_io, clients);
        if (r < 0)
                return error_origin(r);
        r = sd_event_source_set_exit_on_failure(clients->source, true);
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
        sd_event_source_disable_unref(clients->source);
        fd_close(clients->fd);
        free(clients);
        return NULL;
}
