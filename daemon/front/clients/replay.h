/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A replay: the results of a job that is over, sent again from the history, no faster than its client reads.
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
 * Answers request @id of @session with the results of the job @run_id, whose first @n_told benchmarks it has been sent. Returns 0 or a
 * negative errno.
 */
int replay_start(Session *session, uint64_t id, const char *run_id, size_t n_told);
Replay *replay_free(Replay *replay);

/* The replay of request @id; NULL if there is none. */
Replay *replay_find(Session *session, uint64_t id);

/* Goes on with all replays of @session, as far as there is room. */
void replays_continue(Session *session);
