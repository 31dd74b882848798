/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * One connection: frames in, requests out of them, replies back. It greets first; a request becomes a job or is
 * answered at once; a frame that breaks the rules ends this connection and no other. What a client leaves unread is
 * bounded: beyond some of it no request is read, beyond all of it the connection is dropped.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "front/base/reply-error.h"
#include "proto/benchd.pb-c.h"

typedef struct FrameQueue FrameQueue;
typedef struct FrameReader FrameReader;
typedef struct GovernorAsk GovernorAsk;
typedef struct Daemon Daemon;
typedef struct Replay Replay;
typedef struct StatusAsk StatusAsk;
typedef struct Watch Watch;
typedef struct sd_event_source sd_event_source;

typedef struct Session {
        TAILQ_ENTRY(Session) sessions;
        Daemon *daemon;
        uid_t uid;
        int fd;
        sd_event_source *source;
        sd_event_source *deadline; /* of the greeting, and of a frame that has begun */
        FrameReader *reader;
        FrameQueue *queue;
        LIST_HEAD(, Watch) watches;  /* requests that a job answers */
        LIST_HEAD(, Replay) replays; /* ... and that the history does */
        StatusAsk *status_ask;       /* one that waits for the launcher, or NULL */
        GovernorAsk *governor_ask;   /* one that is under way, or NULL */
        bool greeted;
        bool closing; /* reads no more, and ends when all is sent */
        bool broken;  /* to be swept up */
} Session;

/* Makes a session of the connected socket @fd, which it takes, of a client of @uid. Returns 0 or a negative errno. */
int session_new(Daemon *daemon, int fd, uid_t uid, Session **ret_session);

/* Ends the connection, and with it the jobs that were submitted on it and are not detached. */
Session *session_free(Session *session);

/* Sends @reply, whose id and last are set here. What cannot be sent breaks the session; nobody needs to look. */
void session_reply(Session *session, uint64_t id, bool last, Benchd__Reply *reply);

/* Whether the client leaves so much unread that its requests wait. */
bool session_is_full(const Session *session);

/* Sends @why as the last reply to request @id. */
void session_complain(Session *session, uint64_t id, const ReplyError *why);

/* Says to a client that is not admitted why, if its socket takes it at once. */
void session_turn_away(int fd, const char *message);
