/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The history: each accepted job, its end and its results, written and read. A job's row is on stable storage before
 * its client hears that it was accepted, and its end with all its results, in one transaction, before the last of
 * them is sent: nothing that a client was told is ever lost. Writing waits for no disk; the replies do (history_ticket()). A job without an end when the daemon starts is marked as
 * lost.
 *
 * A history that is damaged, or something else, is set aside under another name (set-aside.h), and one that cannot be opened for any
 * other reason is left as it is and replaced by one in memory; both are told in words and neither is fatal. Nor is a row that cannot be written: an outcome, with words.
 *
 * Users see their own jobs; a viewer who may see all sees those of every user.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "front/base/arena.h"
#include "front/base/run-id.h"
#include "proto/benchd.pb-c.h"
#include "util/cleanup.h"

typedef struct Database Database;
typedef struct History History;
typedef struct JobRecord JobRecord;

enum {
        _HISTORY_E_SUCCESS,

        HISTORY_E_FAILED,     /* history_words() says why */
        HISTORY_E_NOT_FOUND,  /* no such row, or none that the viewer may see */
        HISTORY_E_AMBIGUOUS,  /* several jobs */
        HISTORY_E_UNREADABLE, /* the row is there, and its content is damaged */
};

#define HISTORY_ENTRIES     100u
#define HISTORY_ENTRIES_MAX 1000u
#define HISTORY_REPLY_BYTES (960u << 10) /* all entries of one reply, their standing in the queue left out */

/* How a job ended. Borrowed. */
typedef struct HistoryEnd {
        Benchd__JobState state;
        uint64_t ended_at_unix_ns;
        const Benchd__Error *error;      /* NULL: none */
        const Benchd__RunResult *result; /* NULL: none */
} HistoryEnd;

/* Who asks. */
typedef struct HistoryViewer {
        uid_t uid;
        bool all; /* sees the jobs of all users */
} HistoryViewer;

/* A job's row. */
typedef struct HistoryJob {
        int64_t id;
        Benchd__JobState state;
        size_t n_benchmarks;
        uid_t uid;
} HistoryJob;

/*
 * Opens the history in @directory, or one in memory with NULL, at the time @now_unix_ns; jobs without an end are lost
 * from here on. Returns 0 or a negative errno.
 */
int history_new(const char *directory, uint64_t now_unix_ns, History **ret_history);
History *history_free(History *history);

DEFINE_CLEANUP(History *, history_free)

Database *history_database(History *history);

/* A sentence on the trouble with opening the history, for the log: it names files. Empty: none. */
const char *history_trouble(const History *history);

/*
 * Adds to @warnings, in @arena, what is wrong with the history: results are not kept, or earlier jobs were set aside and nobody has looked at
 * them yet. For clients, whom the daemon's own files do not concern.
 */
void history_warn(History *history, Arena *arena, ArenaList *warnings);

/* For clients: the reason why results are not kept, in words that begin a sentence or end one. Empty: they are kept. */
const char *history_unkept_words(const History *history);

/* False where the history should be in a directory and is only in memory. */
bool history_is_kept(const History *history);

/* The last failure, in a few words. */
const char *history_words(const History *history);

/* ---- on stable storage */

/*
 * A reply that the job @run_id was accepted, or how it ended, waits until history_synced() has reached this ticket. 0: for nothing. The other one is that of all that was written until now.
 */
uint64_t history_ticket(const History *history, const char *run_id);
uint64_t history_last_ticket(const History *history);
uint64_t history_synced(const History *history);

/* Readable when history_settle() is due; -1: never. */
int history_event_fd(const History *history);

/* Takes note of what is synced. Returns 0, or E_FAILED where all that was not is lost; history_words() says why. */
int history_settle(History *history);

/* How often that happened. */
uint64_t history_losses(const History *history);

/* Waits for the disk. */
void history_wait(History *history);

/* ---- writing */

/* Writes the row of the job of @record, which is queued now. Returns 0 or E_FAILED. */
int history_add(History *history, const JobRecord *record);

/* Notes that the job @run_id is measured from now on. Returns 0 or E_FAILED. */
int history_note_running(History *history, const char *run_id);

/*
 * Writes the results of the job of @record that are not written yet. They belong to nothing until the job has its end. Returns 0 or
 * E_FAILED, and then they are written with the end.
 */
int history_write_benchmarks(History *history, JobRecord *record);

/*
 * Writes the end and the results of the job of @record, and its row too if that could not be written before. Returns 0,
 * E_FAILED, or a negative errno.
 */
int history_end(History *history, const JobRecord *record, const HistoryEnd *end);

/* ---- reading */

/*
 * Finds the job whose id begins with @prefix among those that @viewer sees. Returns 0, E_NOT_FOUND, E_AMBIGUOUS, or
 * E_FAILED.
 */
int history_find(History *history, const char *prefix, HistoryViewer viewer, char ret_run_id[static RUN_ID_BYTES]);

/* Reads the row of the job @run_id. Returns 0, E_NOT_FOUND, or E_FAILED. */
int history_read(History *history, const char *run_id, HistoryJob *ret_job);

/*
 * Read the benchmark at @place, from 0, of a job; its result; its error. The caller frees the message. Return 0,
 * E_NOT_FOUND, E_UNREADABLE, or E_FAILED.
 */
int history_read_benchmark(History *history, const HistoryJob *job, size_t place, Benchd__BenchmarkResult **ret_result);
int history_read_result(History *history, const HistoryJob *job, Benchd__RunResult **ret_result);
int history_read_error(History *history, const HistoryJob *job, Benchd__Error **ret_error);
