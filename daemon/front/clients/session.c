/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/clients/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <systemd/sd-event.h>

#include "front/base/arena.h"
#include "front/base/config.h"
#include "front/base/log.h"
#include "front/base/message.h"
#include "front/base/turns.h"
#include "front/clients/clients.h"
#include "front/clients/receivers.h"
#include "front/clients/request.h"
#include "front/history/history.h"
#include "front/jobs/job.h"
#include "proto/allocator.h"
#include "proto/frame-queue.h"
#include "proto/frame-reader.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/socket.h"
#include "util/time.h"

#define SESSION_UNREAD_BYTES (64u << 10) /* beyond this no further request is read */
#define SESSION_LAG_BYTES    (1u << 20)  /* beyond this results wait in the history */
#define SESSION_TURN_FRAMES  8u          /* handled in one turn of the loop */

/* After this many ends in a row, and this share of the open connections, all sessions are checked. */
#define SESSION_ENDS_MIN   8u
#define SESSION_ENDS_SHARE 16u

DEFINE_CLEANUP(Session *, session_free)

/* ---- out */

bool session_is_full(const Session *session) {
        return frame_queue_pending(session->queue) >= SESSION_UNREAD_BYTES;
}

/*
 * Waits for room to send, and for requests unless too much is unread or the end is near. With frames that are read already it waits for
 * room alone, which there is at once where the client reads.
 */
static void session_update_events(Session *session) {
        uint32_t events = 0;

        if (frame_queue_pending(session->queue) > 0)
                events |= frame_queue_is_held(session->queue) ? 0 : EPOLLOUT;
        else if (session->closing)
                session->broken = true;
        if (session->has_frames)
                events |= EPOLLOUT;
        else if (!session->closing && !session->receiving && !session_is_full(session))
                events |= EPOLLIN;
        if (sd_event_source_set_io_events(session->source, events) < 0)
                session->broken = true;
}

/* Charges the user with what is unread now. Returns 0, or FRAME_E_FULL where that is too much. */
static int session_charge_unread(Session *session) {
        return share_change(&session->unread, frame_queue_pending(session->queue)) ? (int)FRAME_E_FULL : 0;
}

void session_reply(Session *session, uint64_t id, bool last, Benchd__Reply *reply) {
        ReplyError why;
        int r;

        if (session->broken || session->gone)
                return;
        message_set(reply, id, id);
        message_set(reply, last, last);
        r = frame_queue_push(session->queue, &reply->base, FRAME_REPLY_MAX, NULL, 0);
        if (r == 0)
                r = session_charge_unread(session);
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

/* Replies that wait for the history, by what is merged with them if it is lost. */
enum {
        REPLY_PLAIN, /* nothing: it reports nothing that is stored */
        REPLY_ACCEPTED,
        REPLY_RESULT,
        REPLY_PIN,
        _REPLY_KINDS_N,
};

_Static_assert(_REPLY_KINDS_N <= FRAME_KINDS_MAX, "a frame knows its kind");

static unsigned reply_kind(const Benchd__Reply *reply) {
        return reply->accepted ? REPLY_ACCEPTED : reply->result ? REPLY_RESULT : reply->pin ? REPLY_PIN : REPLY_PLAIN;
}

void session_reply_after(Session *session, uint64_t ticket, uint64_t id, bool last, Benchd__Reply *reply) {
        session_reply(session, id, last, reply);
        if (session->broken || session->gone || ticket <= history_synced(session->clients->services->history))
                return;
        frame_queue_hold(session->queue, ticket, reply_kind(reply));
        session_update_events(session);
}

/* Releases with messages that report a loss for the reason @why. */
static int session_release_lost(Session *session, uint64_t until, const char *why) {
        Benchd__Reply replies[_REPLY_KINDS_N];
        Benchd__Accepted accepted = BENCHD__ACCEPTED__INIT;
        Benchd__RunResult result = BENCHD__RUN_RESULT__INIT;
        Benchd__Error error = BENCHD__ERROR__INIT;
        const ProtobufCMessage *if_lost[_REPLY_KINDS_N] = {};
        char words[512], *warnings[] = { words };

        for (unsigned i = 1; i < _REPLY_KINDS_N; i++) {
                benchd__reply__init(&replies[i]);
                if_lost[i] = &replies[i].base;
        }
        message_set(&accepted, stored, false);
        replies[REPLY_ACCEPTED].accepted = &accepted;
        snprintf(words, sizeof words, "not stored: %s", why);
        result.warnings = warnings;
        result.n_warnings = 1;
        replies[REPLY_RESULT].result = &result;
        message_set(&error, code, BENCHD__ERROR__CODE__INTERNAL);
        error.message = words;
        replies[REPLY_PIN].error = &error;
        return error_trace(frame_queue_release(session->queue, until, if_lost));
}

void session_release(Session *session, uint64_t until, const char *lost) {
        int r;

        if (session->broken || session->gone || frame_queue_pending(session->queue) == 0)
                return;
        r = lost ? session_release_lost(session, until, lost) : frame_queue_release(session->queue, until, NULL);
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

void session_turn_away(int fd, const ReplyError *why) {
        Benchd__Reply reply = BENCHD__REPLY__INIT;
        Benchd__Error error = BENCHD__ERROR__INIT;
        FrameQueue *queue;

        if (frame_queue_new(FRAME_QUEUE_MAX, &queue))
                return;
        message_set(&error, code, why->code);
        error.message = (char *)why->message;
        error.hint = (char *)why->hint;
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

/* The request is answered, though what it is about was not taken. */
static void session_complain_of_room(Session *session, uint64_t id) {
        const Config *config = session->clients->services->config;
        const bool own = session->own_share_full;
        ReplyError why;

        reply_error_set(&why, BENCHD__ERROR__CODE__BUSY,
                        "The requests of %s hold too many open files: the limit is %u for each of queue.%s=%" PRIu64
                        ".",
                        own ? "this user" : "all users together", SHARE_JOB_DESCRIPTORS, own ? "jobs_per_user" : "jobs",
                        own ? config->jobs_per_user : config->jobs);
        reply_error_hint(&why, "Try again when one of them has begun, or raise %s= of benchd.conf.",
                        own ? "jobs_per_user" : "jobs");
        session_complain(session, id, &why);
}

/* Closes the descriptors of @frame that are not taken. */
static void session_take_frame(Session *session, Frame *frame) {
        Allocator budget;
        Benchd__Request *request;
        ShareHold held = {};

        if (frame->n_fds > 0 || frame->lost)
                held = share_move(&session->held);
        allocator_init(&budget, ALLOCATOR_MESSAGE_BYTES);
        request = benchd__request__unpack(&budget.allocator, frame->n_data, frame->data);
        if (request && frame->lost) {
                session_complain_of_room(session, request->id);
                benchd__request__free_unpacked(request, NULL);
        } else if (request) {
                session->clients->handlers->request(session, request,
                                &(SessionFds){ .fds = frame->fds, .n = frame->n_fds, .held = &held });
        } else
                session_end(session, "A frame does not hold a request, or one that takes too much memory.");
        share_close(&held, frame->fds, frame->n_fds);
}

static uint64_t session_patience_us(const Session *session) {
        return session->clients->services->config->patience_s * (NS_PER_S / 1000);
}

static int session_set_deadline(Session *session) {
        bool wanted = !session->greeted || session->receiving ||
                      (frame_reader_pending(session->reader) > 0 && !session_is_full(session) && !session->has_frames);
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

/* Users who have had less of the loop come first. */
static int session_listen(Session *session) {
        const Turns *turns = session->clients->services->turns;
        int r;

        r = sd_event_source_set_priority(session->source, turns_priority(turns, session->client.uid));
        if (r >= 0)
                r = sd_event_source_set_enabled(session->source, SD_EVENT_ON);
        return r < 0 ? error_origin(r) : 0;
}

/* A broken session handles no more events, and waits for the sweep. */
static void session_update(Session *session) {
        if (!session->broken && (session_set_deadline(session) || session_listen(session)))
                session->broken = true;
        if (!session->broken)
                session_update_events(session);
        if (session->broken)
                session_stop(session);
}

/* Handles some of the frames that are read; with more of them, the others come first. */
static void session_pop_frames(Session *session) {
        size_t n = 0;

        session->has_frames = false;
        while (!session->closing && !session->broken && !session_is_full(session)) {
                Frame frame;
                int r;

                if (n++ == SESSION_TURN_FRAMES) {
                        session->has_frames = true;
                        return;
                }
                r = frame_reader_pop(session->reader, &frame);
                if (r == FRAME_E_AGAIN)
                        return;
                if (r) {
                        session_end(session,
                                        "A frame breaks the rules: too long, or with descriptors that belong to none.");
                        return;
                }
                session_take_frame(session, &frame);
        }
}

static void session_feed(Session *session, const uint8_t *data, size_t n_data, const SocketFds *fds) {
        int r;

        if (fds->lost)
                r = frame_reader_feed_lost(session->reader, data, n_data);
        else
                r = frame_reader_feed(session->reader, data, n_data, fds->fds, fds->n);
        if (r == FRAME_E_MALFORMED)
                session_end(session, "Descriptors came with the middle of a frame that has some.");
        else if (r)
                session->broken = true;
        else
                session_pop_frames(session);
}

/* Keeps as much of @held as descriptors came, while they are open. If others were lost, closes all of them. */
static void session_hold(Session *session, ShareHold *held, SocketFds *fds) {
        if (!share_is_held(held))
                return;
        (void)share_change(held, fds->n);
        if (fds->lost) {
                ShareHold of_some = {};

                share_split(held, fds->n, &of_some);
                share_close(&of_some, fds->fds, fds->n);
                fds->n = 0;
        }
        if (fds->n > 0 || fds->lost)
                session->held = share_move(held);
}

/* More descriptors than any request has, rather than more than there is room for, break the rules. */
static void session_on_received(void *userdata, ReceiverArrivals *received) {
        _cleanup_(share_release) ShareHold held = {};
        Session *session = userdata;
        const SocketFds *fds = &received->fds;
        uint64_t room;

        turns_note(session->clients->services->turns, TURN_CONNECTION, session->client.uid);
        held = share_move(&session->incoming);
        room = held.amount;
        session->receiving = NULL;
        session_hold(session, &held, &received->fds);
        if (received->outcome && received->outcome != SOCKET_E_AGAIN)
                session->broken = true;
        else if (fds->lost && room == SHARE_JOB_DESCRIPTORS)
                session_end(session, "Too many descriptors came at once.");
        else if (received->outcome == 0)
                session_feed(session, received->data, received->n_data, fds);
        session_update(session);
}

/* Has the next bytes and descriptors received by a receiver process, which may block. */
static void session_receive_fds(Session *session, size_t n_data) {
        const Clients *clients = session->clients;
        const Shares *shares = clients->services->shares;
        const uid_t uid = session->client.uid;
        int r = 0;

        if (!share_is_held(&session->held))
                r = share_take_some(clients->services->shares, uid, SHARE_DESCRIPTORS, SHARE_JOB_DESCRIPTORS,
                                &session->incoming);
        session->own_share_full = share_held(shares, uid, SHARE_DESCRIPTORS) >= share_most(shares, SHARE_DESCRIPTORS);
        if (!r)
                r = receivers_receive(clients->receivers, uid, session->client.fd, n_data, session->incoming.amount,
                                session_on_received, session, &session->receiving);
        if (r == RECEIVERS_E_FULL)
                session_end(session, "Descriptors of too many users wait to be closed, so no more can be received.");
        else if (r)
                session->broken = true;
}

static void session_receive(Session *session) {
        const size_t n_most = frame_reader_wants(session->reader);
        uint8_t data[FRAME_RECEIVE_MAX];
        SocketFds none = {};
        bool with_fds;
        size_t n_data;
        int r;

        r = socket_peek(session->client.fd, data, n_most, &n_data, &with_fds);
        if (r == 0 && with_fds) {
                session_receive_fds(session, n_most);
                return;
        }
        if (r == 0)
                r = socket_receive_some(session->client.fd, data, n_data, 0, &n_data, &none);
        if (r == 0)
                session_feed(session, data, n_data, &none);
        else if (r != SOCKET_E_AGAIN)
                session->broken = true;
}

/* ---- connections that end */

void session_stop(Session *session) {
        session->broken = true;
        receivers_forget(session->receiving);
        session->receiving = NULL;
        (void)sd_event_source_set_enabled(session->source, SD_EVENT_OFF);
        (void)sd_event_source_set_enabled(session->deadline, SD_EVENT_OFF);
}

/*
 * The loop learns of each connection separately, and in each turn again of all ended ones: when a program with many connections ends, that
 * work grows with the square of their number.
 */
static void session_note_end(Clients *clients, bool ended) {
        Session *session;
        char byte;

        clients->n_ends = ended ? clients->n_ends + 1 : 0;
        if (clients->n_ends < SESSION_ENDS_MIN + clients->n_open / SESSION_ENDS_SHARE)
                return;
        clients->n_ends = 0;
        TAILQ_FOREACH(session, &clients->sessions, sessions) {
                if (!session->broken && !session->receiving && !session->has_frames &&
                                recv(session->client.fd, &byte, sizeof byte, MSG_PEEK | MSG_DONTWAIT) == 0)
                        session_stop(session);
        }
}

/* ---- events */

/*
 * The client hung up. Its earlier frames still count, some in each turn; the socket holds a bounded number. Unread replies are dropped, so
 * that they do not hold back reading.
 */
static void session_finish(Session *session) {
        if (!session->gone)
                frame_queue_clear(session->queue);
        session->gone = true;
        (void)session_charge_unread(session);
        if (session->closing)
                session_stop(session);
        else if (session->receiving)
                (void)sd_event_source_set_enabled(session->source, SD_EVENT_OFF);
        else if (session->has_frames)
                session_pop_frames(session);
        else
                session_receive(session);
        if (!session->receiving)
                session_update(session);
        session_note_end(session->clients, session->broken);
}

static int session_on_io(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        Session *session = userdata;
        int r;

        turns_note(session->clients->services->turns, TURN_CONNECTION, session->client.uid);
        if (events & (EPOLLERR | EPOLLHUP)) {
                session_finish(session);
                return 0;
        }
        if (events & EPOLLOUT) {
                r = frame_queue_send(session->queue, session->client.fd);
                if (r && r != FRAME_E_AGAIN)
                        session->broken = true;
                (void)session_charge_unread(session);
                session->clients->handlers->has_room(session);
                session_pop_frames(session);
        }
        if (events & EPOLLIN && !session->has_frames)
                session_receive(session);
        session_update(session);
        session_note_end(session->clients, session->broken);
        return 0;
}

static int session_on_deadline(sd_event_source *source, uint64_t usec, void *userdata) {
        Session *session = userdata;
        const bool stuck = session->receiving;

        receivers_forget(session->receiving);
        session->receiving = NULL;
        share_release(&session->incoming);
        if (stuck)
                log_say(LOG_CLIENT_STUCK, LOG_OF_UID(session->client.uid), NULL);
        session_end(session, stuck ? "A file that this user sent does not close, and until it does no more descriptors "
                                     "are taken from this user: send memfds only."
                                   : "A frame, or the Hello, was not complete in time.");
        session_update(session);
        return 0;
}

/* ---- life */

static void session_tell(void *userdata, uint64_t ticket, uint64_t id, bool last, Benchd__Reply *reply) {
        session_reply_after(userdata, ticket, id, last, reply);
}

static bool session_lags(void *userdata) {
        const Session *session = userdata;

        return frame_queue_pending(session->queue) >= SESSION_LAG_BYTES;
}

static int session_replay(void *userdata, uint64_t id, const char *run_id, size_t n_told) {
        Session *session = userdata;

        return error_trace(session->clients->handlers->replay(session, id, run_id, n_told));
}

int session_new(Clients *clients, int fd, ShareHold *place, uid_t uid, Session **ret_session) {
        _cleanup_(session_freep) Session *session = NULL;
        sd_event *event = clients->services->event;
        int r;

        session = calloc(1, sizeof *session);
        if (!session) {
                fd_close_received(fd);
                return error_origin(-ENOMEM);
        }
        session->clients = clients;
        session->since_ns = time_boot_ns();
        session->client = (WatchClient){
                .uid = uid,
                .fd = fd,
                .tell = session_tell,
                .lags = session_lags,
                .replay = session_replay,
                .userdata = session,
        };
        LIST_INIT(&session->client.open);
        LIST_INIT(&session->client.watches);
        LIST_INIT(&session->replays);
        LIST_INIT(&session->history_requests);
        TAILQ_INSERT_TAIL(&clients->sessions, session, sessions);

        r = frame_reader_new(FRAME_REQUEST_MAX, &session->reader);
        if (r)
                return error_trace(r);
        r = frame_queue_new(FRAME_QUEUE_MAX, &session->queue);
        if (r)
                return error_trace(r);
        r = share_take(clients->services->shares, uid, SHARE_UNREAD_BYTES, 0, &session->unread);
        if (r)
                return error_fold(r);
        r = sd_event_add_io(event, &session->source, fd, EPOLLIN, session_on_io, session);
        if (r < 0)
                return error_origin(r);
        r = session_listen(session);
        if (r)
                return error_trace(r);
        r = sd_event_add_time_relative(event, &session->deadline, CLOCK_MONOTONIC, session_patience_us(session), 0,
                        session_on_deadline, session);
        if (r < 0)
                return error_origin(r);
        session->place = share_move(place);
        *ret_session = take_pointer(session);
        return 0;
}

/* With the descriptors of a frame that is not whole. */
static void session_free_reader(Session *session) {
        int fds[SOCKET_FDS_MAX];
        size_t n;

        if (session->reader) {
                n = frame_reader_take_fds(session->reader, fds);
                share_close(&session->held, fds, n);
        }
        frame_reader_free(session->reader);
}

Session *session_free(Session *session) {
        if (!session)
                return NULL;
        session->broken = true;
        session->clients->handlers->ends(session);
        TAILQ_REMOVE(&session->clients->sessions, session, sessions);
        sd_event_source_disable_unref(session->source);
        sd_event_source_disable_unref(session->deadline);
        receivers_forget(session->receiving);
        session_free_reader(session);
        frame_queue_free(session->queue);
        share_release(&session->incoming);
        receivers_close(session->clients->receivers, session->client.uid, session->client.fd, &session->place);
        share_release(&session->unread);
        free(session);
        return NULL;
}
