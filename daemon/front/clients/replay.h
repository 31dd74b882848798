/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Replay: sends the results of a finished job from the history, no faster than the client reads.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "front/base/run-id.h"
#include "front/history/retention.h"
#include "front/jobs/watch.h"

typedef struct Session Session;

typedef struct Replay {
        LIST_ENTRY(Replay) of_session;
        Session *session;
        WatchRequest open; /* of the request */
        char run_id[RUN_ID_BYTES];
        size_t n_sent; /* benchmarks */
        RetentionReader reader;
} Replay;

/*
 * Answers request @id of @session with the results of the job @run_id after the first @n_told benchmarks, which it has already. Returns 0
 * or a negative errno.
 */
int replay_start(Session *session, uint64_t id, const char *run_id, size_t n_told);
Replay *replay_free(Replay *replay);

/* The replay of request @id; NULL if there is none. */
Replay *replay_find(Session *session, uint64_t id);

/* Continues all replays of @session while its queue has room. */
void replays_continue(Session *session);
