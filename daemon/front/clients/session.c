/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/clients/session.h"

#include <stdlib.h>
#include <sys/epoll.h>
#include <systemd/sd-event.h>

#include "front/base/arena.h"
#include "front/base/config.h"
#include "front/base/log.h"
#include "front/base/message.h"
#include "front/clients/clients.h"
#include "front/jobs/job.h"
#include "proto/allocator.h"
#include "proto/frame-queue.h"
#include "proto/frame-reader.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/time.h"

#define SESSION_UNREAD_BYTES (64u << 10) /* beyond this no further request is read */

DEFINE_CLEANUP(Session *, session_free)

/* ---- out */

bool session_is_full(const Session *session) {
        return frame_queue_pending(session->queue) >= SESSION_UNREAD_BYTES;
}

/* Waits for room to send, and for requests unless too much is unread or the end is near. */
static void session_update_events(Session *session) {
        uint32_t events = 0;

        if (frame_queue_pending(session->queue) > 0)
                events |= EPOLLOUT;
        else if (session->closing)
                session->broken = true;
        if (!session->closing && !session_is_full(session))
                events |= EPOLLIN;
        if (sd_event_source_set_io_events(session->source, events) < 0)
                session->broken = true;
}

size_t session_count_unread(const Session *session) {
        const Session *other;
        size_t n = 0;

        TAILQ_FOREACH(other, &session->clients->sessions, sessions) {
                if (other->client.uid == session->client.uid && other->queue)
                        n += frame_queue_pending(other->queue);
        }
        return n;
}

void session_reply(Session *session, uint64_t id, bool last, Benchd__Reply *reply) {
        ReplyError why;
        int r;

        if (session->broken)
                return;
        message_set(reply, id, id);
        message_set(reply, last, last);
        r = FRAME_E_FULL;
        if (session_count_unread(session) < SESSION_UNREAD_USER_MAX)
                r = frame_queue_push(session->queue, &reply->base, FRAME_REPLY_MAX, NULL, 0);
        if (r == FRAME_E_TOO_LARGE) {
                reply_error_set(&why, BENCHD__ERROR__CODE__UNSUPPORTED, "The reply is longer than 1 MiB.");
                reply_error_hint(&why, "Name fewer benchmarks in filters.");
                session_complain(session, id, &why);
                return;
        }
        if (r == FRAME_E_FULL)
                log_say(LOG_CLIENT_SLOW, LOG_OF_UID(session->client.uid), NULL);
        if (r)
                session->broken = true;
        else
                session_update_events(session);
}

void session_complain(Session *session, uint64_t id, const ReplyError *why) {
        _cleanup_(arena_freep) Arena *arena = NULL;
        Benchd__Reply reply = BENCHD__REPLY__INIT;
        Benchd__Error error = BENCHD__ERROR__INIT;

        if (arena_new(&arena)) {
                session->broken = true;
                return;
        }
        reply_error_fill_error(why, arena, &error);
        reply.error = &error;
        session_reply(session, id, true, &reply);
}

void session_turn_away(int fd, const char *message) {
        Benchd__Reply reply = BENCHD__REPLY__INIT;
        Benchd__Error error = BENCHD__ERROR__INIT;
        FrameQueue *queue;

        if (frame_queue_new(FRAME_QUEUE_MAX, &queue))
                return;
        message_set(&error, code, BENCHD__ERROR__CODE__BUSY);
        error.message = (char *)message;
        error.hint = (char *)"Try again later.";
        message_set(&reply, id, 0);
        message_set(&reply, last, true);
        reply.error = &error;
        if (frame_queue_push(queue, &reply.base, FRAME_REPLY_MAX, NULL, 0) == 0)
                (void)frame_queue_send(queue, fd);
        frame_queue_free(queue);
}

/* Complains, and ends the connection once that is sent. */
static void session_end(Session *session, const char *message) {
        ReplyError why;

        reply_error_set(&why, BENCHD__ERROR__CODE__PROTOCOL, "%s", message);
        log_say(LOG_CLIENT_BROKE_RULES, LOG_OF_UID(session->client.uid), "%s", message);
        session->closing = true;
        session_complain(session, 0, &why);
}

/* ---- in */

static void session_take_frame(Session *session, Frame *frame) {
        BudgetAllocator budget;
        Benchd__Request *request;

        budget_allocator_init(&budget, BUDGET_MESSAGE_BYTES);
        request = benchd__request__unpack(&budget.allocator, frame->n_data, frame->data);
        if (request)
                session->clients->handlers->request(session, request, frame->fds, frame->n_fds);
        else
                session_end(session, "A frame does not hold a request, or one that takes too much memory.");
}

static uint64_t session_patience_us(const Session *session) {
        return session->clients->services->config->patience_s * (NS_PER_S / 1000);
}

static int session_set_deadline(Session *session) {
        bool wanted = !session->greeted || (frame_reader_pending(session->reader) > 0 && !session_is_full(session));
        int enabled, r;

        r = sd_event_source_get_enabled(session->deadline, &enabled);
        if (r < 0)
                return error_origin(r);
        if (!wanted)
                return error_trace(sd_event_source_set_enabled(session->deadline, SD_EVENT_OFF));
        if (enabled != SD_EVENT_OFF)
                return 0;
        r = sd_event_source_set_time_relative(session->deadline, session_patience_us(session));
        if (r < 0)
                return error_origin(r);
        return error_trace(sd_event_source_set_enabled(session->deadline, SD_EVENT_ONESHOT));
}

static void session_pop_frames(Session *session) {
        while (!session->closing && !session->broken && !session_is_full(session)) {
                Frame frame;
                int r;

                r = frame_reader_pop(session->reader, &frame);
                if (r == FRAME_E_AGAIN)
                        return;
                if (r) {
                        session_end(session,
                                        "A frame breaks the rules: too long, or with descriptors that belong to none.");
                        return;
                }
                session_take_frame(session, &frame);
                frame_close(&frame);
        }
}

static void session_receive(Session *session) {
        int r;

        r = frame_reader_receive(session->reader, session->client.fd);
        if (r == FRAME_E_AGAIN)
                return;
        if (r == FRAME_E_MALFORMED)
                session_end(session, "Too many descriptors came at once.");
        else if (r)
                session->broken = true;
        else
                session_pop_frames(session);
}

static int session_on_io(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        Session *session = userdata;
        int r;

        if (events & (EPOLLERR | EPOLLHUP) && !(events & EPOLLIN)) {
                session->broken = true;
                return sd_event_source_set_enabled(source, SD_EVENT_OFF);
        }
        if (events & EPOLLOUT) {
                r = frame_queue_send(session->queue, session->client.fd);
                if (r && r != FRAME_E_AGAIN)
                        session->broken = true;
                session->clients->handlers->has_room(session);
                session_pop_frames(session);
        }
        if (events & EPOLLIN)
                session_receive(session);
        if (session_set_deadline(session))
                session->broken = true;
        if (!session->broken)
                session_update_events(session);
        return 0;
}

static int session_on_deadline(sd_event_source *source, uint64_t usec, void *userdata) {
        Session *session = userdata;

        session_end(session, "A frame or the Hello did not come whole in time.");
        return 0;
}

/* ---- life */

static void session_tell(void *userdata, uint64_t id, bool last, Benchd__Reply *reply) {
        session_reply(userdata, id, last, reply);
}

static int session_replay(void *userdata, uint64_t id, const char *run_id) {
        Session *session = userdata;

        return error_trace(session->clients->handlers->replay(session, id, run_id));
}

int session_new(Clients *clients, int fd, uid_t uid, Session **ret_session) {
        _cleanup_(session_freep) Session *session = NULL;
        sd_event *event = clients->services->event;
        int r;

        session = calloc(1, sizeof *session);
        if (!session) {
                fd_close(fd);
                return error_origin(-ENOMEM);
        }
        session->clients = clients;
        session->client = (Watcher){
                .uid = uid,
                .fd = fd,
                .tell = session_tell,
                .replay = session_replay,
                .userdata = session,
        };
        LIST_INIT(&session->client.watches);
        LIST_INIT(&session->replays);
        TAILQ_INSERT_TAIL(&clients->sessions, session, sessions);

        r = frame_reader_new(FRAME_REQUEST_MAX, &session->reader);
        if (r)
                return error_trace(r);
        r = frame_queue_new(FRAME_QUEUE_MAX, &session->queue);
        if (r)
                return error_trace(r);
        r = sd_event_add_io(event, &session->source, fd, EPOLLIN, session_on_io, session);
        if (r < 0)
                return error_origin(r);
        r = sd_event_add_time_relative(event, &session->deadline, CLOCK_MONOTONIC, session_patience_us(session), 0,
                        session_on_deadline, session);
        if (r < 0)
                return error_origin(r);
        *ret_session = take_pointer(session);
        return 0;
}

Session *session_free(Session *session) {
        if (!session)
                return NULL;
        session->broken = true;
        session->clients->handlers->ends(session);
        TAILQ_REMOVE(&session->clients->sessions, session, sessions);
        sd_event_source_disable_unref(session->source);
        sd_event_source_disable_unref(session->deadline);
        frame_reader_free(session->reader);
        frame_queue_free(session->queue);
        fd_close(session->client.fd);
        free(session);
        return NULL;
}
