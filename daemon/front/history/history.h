/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The history: each job that was accepted, how it ended, and what it gave. A job's row is on stable storage before it
 * is told that it was accepted, and its end with all its results, in one transaction, before they are sent last: what a
 * client was told is never lost. A job without an end when the daemon starts is lost, and says so.
 *
 * A history that cannot be read is set aside under another name, and one that cannot be opened is replaced by one in
 * memory; both are told in words and neither is fatal. Nor is a row that cannot be written: an outcome, with words.
 * Reading it is past.h.
 */

#include <stdbool.h>
#include <stdint.h>

#include "proto/benchd.pb-c.h"
#include "util/cleanup.h"

typedef struct Database Database;
typedef struct History History;
typedef struct JobRecord JobRecord;

enum {
        _HISTORY_E_SUCCESS,

        HISTORY_E_FAILED,    /* history_words() says why */
        HISTORY_E_NOT_FOUND, /* no such job */
};

/* How a job ended. Borrowed. */
typedef struct HistoryEnd {
        Benchd__JobState state;
        uint64_t ended_at_unix_ns;
        const Benchd__Error *error;      /* NULL: none */
        const Benchd__RunResult *result; /* NULL: none */
} HistoryEnd;

/*
 * Opens the history in @directory, or one in memory with NULL, at the time @now_unix_ns; what has no end is lost from
 * here on. Returns 0 or a negative errno.
 */
int history_new(const char *directory, uint64_t now_unix_ns, History **ret_history);
History *history_free(History *history);

DEFINE_CLEANUP(History *, history_free)

Database *history_database(History *history);

/* A sentence on what was wrong with the history when it was opened; empty: nothing. */
const char *history_trouble(const History *history);

/* False where it should be in a directory and is only in memory. */
bool history_is_kept(const History *history);

/* What failed last, in a few words. */
const char *history_words(const History *history);

/* Writes the row of the job of @record, which is queued now. Returns 0 or E_FAILED. */
int history_add(History *history, const JobRecord *record);

/* Notes that the job @run_id is measured from now on. Returns 0 or E_FAILED. */
int history_note_running(History *history, const char *run_id);

/*
 * Writes how the job of @record ended and what it gave, and its row too if that could not be written before. Returns 0,
 * E_FAILED, or a negative errno.
 */
int history_end(History *history, const JobRecord *record, const HistoryEnd *end);

/* Pins the module of the job @run_id, or no longer. Returns 0 with whether it is kept, E_NOT_FOUND, or E_FAILED. */
int history_pin(History *history, const char *run_id, bool pinned, bool *ret_stored);
