/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The history, read: which jobs there are, and what one of them gave. Nobody sees another user's, but who may see all.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "front/base/arena.h"
#include "front/base/run-id.h"
#include "proto/benchd.pb-c.h"

typedef struct Database Database;

#define PAST_ENTRIES     100u
#define PAST_ENTRIES_MAX 1000u
#define PAST_REPLY_BYTES (1000u << 10) /* of the entries in one reply */

enum {
        _PAST_E_SUCCESS,

        PAST_E_FAILED,     /* database_words() says why */
        PAST_E_NOT_FOUND,  /* no such thing, or not for who asks */
        PAST_E_AMBIGUOUS,  /* several jobs */
        PAST_E_UNREADABLE, /* it is there, and is not what was written */
};

/* Who asks. */
typedef struct Viewer {
        uid_t uid;
        bool all; /* sees the jobs of all users */
} Viewer;

/* A job as it stands in the history. */
typedef struct PastJob {
        int64_t id;
        Benchd__JobState state;
        size_t n_benchmarks;
        uid_t uid;
} PastJob;

/*
 * Finds the job whose id begins with @prefix among those that @viewer sees. Returns 0, E_NOT_FOUND, E_AMBIGUOUS, or
 * E_FAILED.
 */
int past_find(Database *database, const char *prefix, Viewer viewer, char ret_run_id[static RUN_ID_BYTES]);

/* What is known of the job @run_id. Returns 0, E_NOT_FOUND, or E_FAILED. */
int past_read(Database *database, const char *run_id, PastJob *ret_job);

/*
 * The benchmark at @place, from 0, of a job; its result; its error. Whoever gets one frees it. Return 0, E_NOT_FOUND,
 * E_UNREADABLE, or E_FAILED.
 */
int past_read_benchmark(Database *database, const PastJob *job, size_t place, Benchd__BenchmarkResult **ret_result);
int past_read_result(Database *database, const PastJob *job, Benchd__RunResult **ret_result);
int past_read_error(Database *database, const PastJob *job, Benchd__Error **ret_error);

/*
 * Lists in @arena what @request (checked) asks for and @viewer sees, the latest first, no more than fits a reply.
 * Returns 0, E_FAILED, or a negative errno.
 */
int past_list(Database *database, const Benchd__HistoryRequest *request, Viewer viewer, Arena *arena,
                Benchd__History **ret_history);
