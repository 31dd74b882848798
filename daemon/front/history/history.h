/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The history: each accepted job, its end and its results, written and read. A job's row is on stable storage before its client learns that
 * the job was accepted; its end, with all results in one transaction, before the last result is sent. So nothing that a client was told is
 * ever lost. Writing does not wait for the disk; the replies do (history_ticket()). A job without an end when the daemon starts is marked
 * as lost.
 *
 * A damaged or foreign file is set aside under another name (set-aside.h). A file that cannot be opened for any other reason is left
 * unchanged and replaced by a history in memory. Neither is fatal, nor is a row that cannot be written: each is reported in words.
 *
 * Users see their own jobs; a viewer with `all` sees the jobs of every user.
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
        HISTORY_E_NOT_FOUND,  /* no such row, or not visible to the viewer */
        HISTORY_E_AMBIGUOUS,  /* several jobs */
        HISTORY_E_UNREADABLE, /* the row exists, but its content is damaged */
};

#define HISTORY_ENTRIES     100u
#define HISTORY_ENTRIES_MAX 1000u
#define HISTORY_REPLY_BYTES (960u << 10) /* all entries of one reply, without their standing in the queue */

/* The end of a job. Borrowed. */
typedef struct HistoryEnd {
        Benchd__JobState state;
        uint64_t ended_at_unix_ns;
        const Benchd__Error *error;      /* NULL: none */
        const Benchd__RunResult *result; /* NULL: none */
} HistoryEnd;

/* The user who asks. */
typedef struct HistoryViewer {
        uid_t uid;
        bool all; /* sees the jobs of all users */
} HistoryViewer;

/* A job's row. */
typedef struct HistoryJob {
        int64_t id;
        Benchd__JobState state;
        size_t n_benchmarks; /* results */
        uid_t uid;
} HistoryJob;

/*
 * Opens the history in @directory (NULL: in memory) at @now_unix_ns, and marks jobs without an end as lost. Returns 0
 * or a negative errno.
 */
int history_new(const char *directory, uint64_t now_unix_ns, History **ret_history);
History *history_free(History *history);

DEFINE_CLEANUP(History *, history_free)

Database *history_database(History *history);

/* A sentence for the log on why the history could not be opened; it names files. Empty: no trouble. */
const char *history_trouble(const History *history);

/*
 * Adds to @warnings, in @arena, what is wrong with the history: results are not kept, or earlier jobs were set aside and are still there.
 * For clients: it names no files of the daemon.
 */
void history_warn(History *history, Arena *arena, ArenaList *warnings);

/*
 * For clients: the reason why results are not kept, as a clause that begins or ends a sentence. Empty: they are kept.
 */
const char *history_unkept_words(const History *history);

/* False if the history should be in a directory but is only in memory. */
bool history_is_kept(const History *history);

/* The last failure, in a few words. */
const char *history_words(const History *history);

/* ---- on stable storage */

/*
 * The ticket that history_synced() must reach before a reply may say that the job @run_id was accepted or has ended; 0: no wait.
 * history_last_ticket() is the ticket of everything written until now.
 */
uint64_t history_ticket(const History *history, const char *run_id);
uint64_t history_last_ticket(const History *history);
uint64_t history_synced(const History *history);

/* Readable when history_settle() is due; -1: never. */
int history_event_fd(const History *history);

/* Takes over what was synced. Returns 0, or E_FAILED if everything else is lost; history_words() says why. */
int history_settle(History *history);

/* The number of such losses. */
uint64_t history_losses(const History *history);

/* Waits for the disk. */
void history_wait(History *history);

/* ---- writing */

/* Adds a row for the job of @record, in the state queued. Returns 0 or E_FAILED. */
int history_add(History *history, const JobRecord *record);

/* Notes that the job @run_id is measured from now on. Returns 0 or E_FAILED. */
int history_note_running(History *history, const char *run_id);

/*
 * Writes the results of @record that are not written yet. No reader sees them until the job has its end. Returns 0, or E_FAILED; then
 * history_end() writes them.
 */
int history_write_benchmarks(History *history, JobRecord *record);

/*
 * Writes the end and the results of the job of @record, and its row if that could not be written before. Returns 0,
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
