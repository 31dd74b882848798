/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * One connection: frames in, requests out of them, replies back. It greets first; a request becomes a job or is
 * answered at once; a frame that breaks the rules ends this connection and no other. Bytes are read here, descriptors never: a
 * receiver takes them, as many as the share of their user has room for. Unread replies are bounded: beyond a first bound no request is read, beyond a second the connection is dropped.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "front/base/reply-error.h"
#include "front/base/share.h"
#include "front/jobs/watch.h"
#include "proto/benchd.pb-c.h"

typedef struct Clients Clients;
typedef struct FrameQueue FrameQueue;
typedef struct FrameReader FrameReader;
typedef struct JobHistoryRequest JobHistoryRequest;
typedef struct Permission Permission;
typedef struct ReceiversTask ReceiversTask;
typedef struct Replay Replay;
typedef struct Session Session;
typedef struct SetGovernor SetGovernor;
typedef struct StatusRequest StatusRequest;
typedef struct sd_event_source sd_event_source;

/* Descriptors that came with a request. Those that are taken are then -1. */
typedef struct SessionFds {
        int *fds;
        size_t n;
        ShareHold *held; /* of its user's descriptors: who takes some takes as much of it */
} SessionFds;

/* The users of sessions: dispatch.h. */
typedef struct SessionHandlers {
        /* Handles @request, which came with @fds, and frees it. */
        void (*request)(Session *session, Benchd__Request *request, const SessionFds *fds);

        /* Answers request @id with all that the history holds of the job @run_id. Returns 0 or a negative errno. */
        int (*replay)(Session *session, uint64_t id, const char *run_id, size_t n_told);

        /* The client has read some replies: goes on with those that waited for room. */
        void (*has_room)(Session *session);

        /* Ends the requests of the session, which is freed afterwards. */
        void (*ends)(Session *session);
} SessionHandlers;

struct Session {
        TAILQ_ENTRY(Session) sessions;
        Clients *clients;
        WatchClient client; /* with its requests that a job answers */
        ShareHold place;    /* of its user's connections */
        ShareHold unread;   /* of its user's bytes of replies */
        sd_event_source *source;
        sd_event_source *deadline; /* of the greeting, and of a frame that has begun */
        FrameReader *reader;
        FrameQueue *queue;
        ReceiversTask *receiving;    /* descriptors that come; nothing is read meanwhile; or NULL */
        ShareHold incoming;          /* room for those that come, among its user's descriptors */
        bool own_share_full;         /* that room was bounded by its user's share, and not by all users' */
        ShareHold held;              /* those of a frame that is not whole */
        LIST_HEAD(, Replay) replays; /* requests that the history answers */
        LIST_HEAD(, JobHistoryRequest) history_requests;
        StatusRequest *status_request; /* one that waits, or NULL */
        SetGovernor *set_governor;     /* one that is under way, or NULL */
        Permission *permission;        /* of a request that waits for it, or NULL */
        uint32_t granted;  /* a bit for each AccessVerb that polkit allows the request that is carried out now */
        uint64_t since_ns; /* CLOCK_BOOTTIME */
        bool greeted;
        bool has_frames; /* read, and left for a later turn */
        bool gone;       /* the client has hung up: its last frames are handled, and nothing is answered */
        bool closing;    /* reads no more, and ends when all is sent */
        bool broken;     /* to be swept up */
};

/*
 * Makes a session of the connected socket @fd, which it takes, of a client of @uid. On success it takes @place too. Returns 0
 * or a negative errno.
 */
int session_new(Clients *clients, int fd, ShareHold *place, uid_t uid, Session **ret_session);

/* Breaks a session: nothing is heard of it any more until it is swept up. */
void session_stop(Session *session);

/* Ends the connection, and with it the jobs that were submitted on it and are not detached. */
Session *session_free(Session *session);

/* Sends @reply, whose id and last are set here. A reply that cannot be sent breaks the session; no caller needs to look. */
void session_reply(Session *session, uint64_t id, bool last, Benchd__Reply *reply);

/*
 * The same, when what was written by history_ticket() @ticket is on stable storage; whatever is sent to this client later waits too. If it is
 * lost instead, the reply says so.
 */
void session_reply_after(Session *session, uint64_t ticket, uint64_t id, bool last, Benchd__Reply *reply);

/* Lets go the replies that wait for tickets up to @until; with @lost, the reason, those of later ones too, as of something that was lost. */
void session_release(Session *session, uint64_t until, const char *lost);

/* Sends @why as the last reply to request @id. */
void session_complain(Session *session, uint64_t id, const ReplyError *why);

/* True where the client leaves so much unread that its requests wait. */
bool session_is_full(const Session *session);

/* Says to a client that is not admitted why, if its socket takes it at once. */
void session_turn_away(int fd, const ReplyError *why);
