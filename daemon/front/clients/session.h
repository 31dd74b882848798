/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * One connection: frames in, replies out. The client greets first; a request becomes a job or is answered at once; a frame that breaks the
 * rules ends this connection only. This process reads bytes but never receives descriptors: a receiver does, as many as the user's share
 * has room for. Unread replies are bounded: above a first bound no more requests are read, above a second the connection is dropped.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "front/base/reply-error.h"
#include "front/base/share.h"
#include "front/jobs/watch.h"
#include "proto/benchd.pb-c.h"

typedef struct Adoption Adoption;
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

/* Descriptors that came with a request. A taken descriptor becomes -1. */
typedef struct SessionFds {
        int *fds;
        size_t n;
        ShareHold *held; /* of its user's descriptors: taking descriptors takes as much of it */
} SessionFds;

/* Callbacks of a session, implemented by dispatch.h. */
typedef struct SessionHandlers {
        /* Handles @request, which came with @fds, and frees it. */
        void (*request)(Session *session, Benchd__Request *request, const SessionFds *fds);

        /*
         * Answers request @id from the history of the job @run_id, after the first @n_told benchmarks. Returns 0 or a
         * negative errno.
         */
        int (*replay)(Session *session, uint64_t id, const char *run_id, size_t n_told);

        /* The client has read some replies: continues the replies that waited for room. */
        void (*has_room)(Session *session);

        /* Ends the requests of the session, before it is freed. */
        void (*ends)(Session *session);
} SessionHandlers;

struct Session {
        TAILQ_ENTRY(Session) sessions;
        Clients *clients;
        WatchClient client; /* with the requests that jobs answer */
        ShareHold place;    /* of its user's connections */
        ShareHold unread;   /* of its user's bytes of replies */
        sd_event_source *source;
        sd_event_source *deadline; /* of the greeting, or of a partial frame */
        FrameReader *reader;
        FrameQueue *queue;
        ReceiversTask *receiving;    /* the receiving task, during which nothing is read; or NULL */
        ShareHold incoming;          /* reserved for arriving descriptors, of its user's share */
        bool own_share_full;         /* `incoming` was limited by the user's share, not by all users' */
        ShareHold held;              /* descriptors of a partial frame */
        LIST_HEAD(, Replay) replays; /* requests answered from the history */
        LIST_HEAD(, JobHistoryRequest) history_requests;
        StatusRequest *status_request; /* waiting, or NULL */
        SetGovernor *set_governor;     /* under way, or NULL */
        Adoption *adoption;            /* the same */
        Permission *permission;        /* of a waiting request, or NULL */
        uint32_t granted;              /* a bit for each AccessVerb that polkit granted to the request being executed */
        uint64_t since_ns;             /* CLOCK_BOOTTIME */
        bool greeted;
        bool has_frames; /* read frames are left for a later turn */
        bool gone;       /* the client has hung up: its last frames are handled, but not answered */
        bool closing;    /* reads no more, and ends when everything is sent */
        bool broken;     /* to be swept up */
};

/*
 * Makes a session for a client of @uid on the connected socket @fd, which it takes. On success it takes @place too. Returns 0 or a negative
 * errno.
 */
int session_new(Clients *clients, int fd, ShareHold *place, uid_t uid, Session **ret_session);

/* Marks a session as broken: it handles no more events until it is freed. */
void session_stop(Session *session);

/* Ends the connection and all its jobs that are not detached. */
Session *session_free(Session *session);

/* Sends @reply, and sets its id and last. A reply that cannot be sent breaks the session, so callers need not check. */
void session_reply(Session *session, uint64_t id, bool last, Benchd__Reply *reply);

/*
 * The same, once everything up to history_ticket() @ticket is on stable storage; later replies to this client wait too. If the data is lost
 * instead, the reply says so.
 */
void session_reply_after(Session *session, uint64_t ticket, uint64_t id, bool last, Benchd__Reply *reply);

/*
 * Sends the replies that wait for tickets up to @until. With @lost, a reason, also sends the replies of later tickets, saying that the data
 * was lost.
 */
void session_release(Session *session, uint64_t until, const char *lost);

/* Sends @why as the last reply to request @id. */
void session_complain(Session *session, uint64_t id, const ReplyError *why);

/* True if the client has so much unread that its requests wait. */
bool session_is_full(const Session *session);

/* Tells a client why it is refused, if its socket accepts the reply at once. */
void session_turn_away(int fd, const ReplyError *why);
