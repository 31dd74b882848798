/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Retention: how long the history keeps a job, and how much it keeps per user. Jobs are removed by age (aging.h); jobs of a user over the
 * limit are removed in the order in which they were added. Pinned and running jobs, and jobs being read, are never removed. A user's pins
 * may take at most half of that user's limits, and all pins half of the module store, so that there is always room for something new.
 *
 * A job to be removed is first hidden, in one short transaction, and then deleted in slices; a daemon that ends in between continues at its
 * next start. Pure but for the database: the time and the clock's state are parameters.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "front/base/run-id.h"

typedef struct History History;
typedef struct Retention Retention;

enum {
        _RETENTION_E_SUCCESS,

        RETENTION_E_MORE,      /* not done yet: call again */
        RETENTION_E_NOT_FOUND, /* no such job */
        RETENTION_E_FULL,      /* the pins would exceed a limit: ret_words names it */
        RETENTION_E_FAILED,    /* the database could not be written: history_words() says why */
};

#define RETENTION_PINS_MAX    256u /* jobs of one user */
#define RETENTION_WORDS_MAX   128u
#define RETENTION_SLICE_BYTES (1u << 20) /* of benchmarks removed at a time */

typedef struct RetentionLimits {
        uint64_t keep_ns;           /* age of a job */
        uint64_t user_bytes;        /* results of one user */
        uint64_t module_bytes;      /* all stored modules */
        uint64_t module_user_bytes; /* stored modules of one user */
} RetentionLimits;

/* The clock and its trustworthiness. If nothing synchronises it, as on a machine without NTP, jobs are removed for room only. */
typedef struct RetentionClock {
        uint64_t now_unix_ns;
        bool synchronised; /* as adjtimex(2) says; false: no job is removed by age */
} RetentionClock;

/* A job that is being read. */
typedef struct RetentionReader {
        LIST_ENTRY(RetentionReader) readers;
        char run_id[RUN_ID_BYTES];
} RetentionReader;

/* One user's part of history and module store. */
typedef struct RetentionUse {
        uint64_t history_bytes;
        uint64_t module_bytes;
        uint64_t removed_jobs;          /* by age or for room, since the beginning */
        uint64_t removed_until_unix_ns; /* when the latest of them was submitted; 0: none was removed */
} RetentionUse;

/* Keeps jobs of @history, which must outlive the retention, within @limits. Returns 0 or a negative errno. */
int retention_new(History *history, const RetentionLimits *limits, Retention **ret_retention);
Retention *retention_free(Retention *retention);

const RetentionLimits *retention_limits(const Retention *retention);

/* Removes a slice of what exceeds the limits at @clock. Returns 0 if nothing is left to remove, E_MORE, or E_FAILED. */
int retention_trim(Retention *retention, RetentionClock clock);

/*
 * Pins or unpins the module of the job @run_id. @ret_stored: the module is in the store. Returns 0, E_NOT_FOUND, E_FULL with
 * @ret_words, or E_FAILED.
 */
int retention_pin(Retention *retention, const char *run_id, bool pinned, uint64_t now_unix_ns, bool *ret_stored,
                char ret_words[static RETENTION_WORDS_MAX]);

/* Protects the job @run_id from removal until the reader ends. */
void retention_reader_begin(Retention *retention, RetentionReader *reader, const char *run_id);
void retention_reader_end(RetentionReader *reader);

/* Reads the part of @uid; zeros for a user without one. */
void retention_read_use(Retention *retention, uid_t uid, RetentionUse *ret_use);

/* Counts the removed jobs of all users; @ret_until_unix_ns: when the latest of them was submitted, 0 if there is none. */
uint64_t retention_count_removed(Retention *retention, uint64_t *ret_until_unix_ns);

/* The next user after @uid (-1: the first) with a part, by uid; -1 past the last. */
uid_t retention_next_user(Retention *retention, uid_t uid);
