/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/history/history.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/base/log.h"
#include "front/history/database.h"
#include "front/history/job-record.h"
#include "front/history/sealed-module.h"
#include "front/history/set-aside.h"
#include "util/error.h"

#define HISTORY_FILE        "history.db"
#define HISTORY_TROUBLE_MAX 1024u
#define HISTORY_TICKETS_MAX 256u

/* How a job is on its way to the disk. */
typedef struct HistoryTicket {
        char run_id[RUN_ID_BYTES];
        uint64_t ticket;
} HistoryTicket;

struct History {
        Database *database;
        bool kept;
        char *path;       /* of its file; NULL: it is in memory */
        size_t n_aside;   /* files that were set aside and are still there */
        char *aside_name; /* the latest of them, or NULL */
        char trouble[HISTORY_TROUBLE_MAX];
        HistoryTicket tickets[HISTORY_TICKETS_MAX]; /* of the jobs that were written last, a ring */
        size_t n_tickets;
};

Database *history_database(History *history) {
        return history->database;
}

const char *history_trouble(const History *history) {
        return history->trouble;
}

/* ---- reports */

/* Notes what is set aside, with the file of it that is the latest. */
static void history_look_aside(History *history) {
        free(history->aside_name);
        history->n_aside = set_aside_count(history->path, &history->aside_name);
}

const char *history_unkept_words(const History *history) {
        return history->kept ? ""
                             : "the history cannot be opened: results are kept in memory only, until the daemon ends";
}

void history_warn(History *history, Arena *arena, ArenaList *warnings) {
        const char *unkept = history_unkept_words(history);

        if (history->n_aside > 0) /* an administrator may have removed it meanwhile */
                history_look_aside(history);
        if (unkept[0])
                arena_list_add(warnings, arena, "%s", unkept);
        if (history->n_aside > 0)
                arena_list_add(warnings, arena,
                                "%zu file%s of earlier jobs could not be read and %s set aside; the daemon's log names the "
                                "last of them, and this is said until an administrator moves or removes it (benchd(8))",
                                history->n_aside, history->n_aside == 1 ? "" : "s",
                                history->n_aside == 1 ? "was" : "were");
}

bool history_is_kept(const History *history) {
        return history->kept;
}

const char *history_words(const History *history) {
        return database_words(history->database);
}

/* ---- opening */

static int history_open_again(History *history, uint64_t now_unix_ns, char words[static DATABASE_WORDS_MAX]) {
        _cleanup_(freep) char *name = NULL;

        if (set_aside(history->path, now_unix_ns, &name))
                return DATABASE_E_UNAVAILABLE;
        snprintf(history->trouble, sizeof history->trouble, "%s: it could not be read (%s)", name, words);
        return database_new(history->path, &history->database, words);
}

static int history_open(History *history, const char *directory, uint64_t now_unix_ns) {
        char words[DATABASE_WORDS_MAX];
        int r;

        if (asprintf(&history->path, "%s/" HISTORY_FILE, directory) < 0) {
                history->path = NULL;
                return error_origin(-ENOMEM);
        }
        r = database_new(history->path, &history->database, words);
        if (r == DATABASE_E_FOREIGN)
                r = history_open_again(history, now_unix_ns, words);
        history_look_aside(history);
        history->kept = r == 0;
        if (r > 0)
                snprintf(history->trouble, sizeof history->trouble,
                                "The history in %s cannot be opened (%s): results are kept in memory only, and the file "
                                "is as it was. The next start tries again.",
                                directory, words);
        else if (history->n_aside > 0 && !history->trouble[0])
                snprintf(history->trouble, sizeof history->trouble, "%s: it is still there (%zu such file%s in all)",
                                history->aside_name ? history->aside_name : history->path, history->n_aside,
                                history->n_aside == 1 ? "" : "s");
        return r < 0 ? error_trace(r) : 0;
}

/* A job that was under way when the daemon ended has no end and never will. */
static void history_lose_jobs(History *history, uint64_t now_unix_ns) {
        sqlite3_stmt *remove = database_statement(history->database, DATABASE_REMOVE_LOST);
        sqlite3_stmt *lose = database_statement(history->database, DATABASE_LOSE_JOBS);

        (void)database_run(history->database, remove);
        sqlite3_bind_int(lose, 1, BENCHD__JOB_STATE__JOB_LOST);
        sqlite3_bind_int64(lose, 2, now_unix_ns);
        if (database_run(history->database, lose) == 0 && database_count_changed(history->database) > 0)
                log_say(LOG_JOB_LOST, NULL, "%zu", database_count_changed(history->database));
}

int history_new(const char *directory, uint64_t now_unix_ns, History **ret_history) {
        _cleanup_(history_freep) History *history = NULL;
        char words[DATABASE_WORDS_MAX];
        int r;

        history = calloc(1, sizeof *history);
        if (!history)
                return error_origin(-ENOMEM);
        history->kept = true;
        if (directory) {
                r = history_open(history, directory, now_unix_ns);
                if (r)
                        return error_trace(r);
        }
        if (!history->database) {
                r = database_new(NULL, &history->database, words);
                if (r)
                        return error_fold(r);
        }
        history_lose_jobs(history, now_unix_ns);
        *ret_history = take_pointer(history);
        return 0;
}

History *history_free(History *history) {
        if (!history)
                return NULL;
        database_free(history->database);
        free(history->aside_name);
        free(history->path);
        free(history);
        return NULL;
}

/* ---- on stable storage */

static void history_note_ticket(History *history, const char *run_id) {
        HistoryTicket *noted = &history->tickets[history->n_tickets++ % HISTORY_TICKETS_MAX];

        snprintf(noted->run_id, sizeof noted->run_id, "%s", run_id);
        noted->ticket = database_ticket(history->database);
}

/* More jobs than are remembered may be on their way: then all of them are waited for. */
uint64_t history_ticket(const History *history, const char *run_id) {
        const size_t n = history->n_tickets;

        for (size_t i = n; i > 0 && n - i < HISTORY_TICKETS_MAX; i--) {
                const HistoryTicket *noted = &history->tickets[(i - 1) % HISTORY_TICKETS_MAX];

                if (strcmp(noted->run_id, run_id) == 0)
                        return noted->ticket;
        }
        return n > HISTORY_TICKETS_MAX ? history->tickets[n % HISTORY_TICKETS_MAX].ticket : 0;
}

uint64_t history_last_ticket(const History *history) {
        return database_ticket(history->database);
}

uint64_t history_synced(const History *history) {
        return database_synced(history->database);
}

int history_event_fd(const History *history) {
        return database_event_fd(history->database);
}

int history_settle(History *history) {
        if (database_settle(history->database) == 0)
                return 0;
        history->kept = history->kept && !database_is_broken(history->database);
        return HISTORY_E_FAILED;
}

void history_wait(History *history) {
        database_wait(history->database);
}

uint64_t history_losses(const History *history) {
        return database_losses(history->database);
}

/* ---- writing */

static int history_insert_job(History *history, const JobRecord *record) {
        sqlite3_stmt *add = database_statement(history->database, DATABASE_ADD_JOB);

        sqlite3_bind_text(add, 1, record->run_id, -1, SQLITE_STATIC);
        sqlite3_bind_int64(add, 2, record->uid);
        sqlite3_bind_int(add, 3, BENCHD__JOB_STATE__JOB_QUEUED);
        sqlite3_bind_int64(add, 4, record->submitted_at_unix_ns);
        sqlite3_bind_text(add, 5, record->module_name, -1, SQLITE_STATIC);
        if (record->commit.data)
                sqlite3_bind_blob(add, 6, record->commit.data, (int)record->commit.n, SQLITE_STATIC);
        return database_run(history->database, add);
}

static int history_insert_parts(History *history, const JobRecord *record) {
        const int64_t job = database_last_id(history->database);
        size_t n;

        sealed_module_fds(record->module, &n);
        for (size_t i = 0; i < n; i++) {
                sqlite3_stmt *add = database_statement(history->database, DATABASE_ADD_PART);

                sqlite3_bind_int64(add, 1, job);
                sqlite3_bind_int64(add, 2, i);
                sqlite3_bind_text(add, 3, sealed_module_sha256(record->module, i), -1, SQLITE_STATIC);
                if (database_run(history->database, add))
                        return HISTORY_E_FAILED;
        }
        return 0;
}

/* Commits a transaction whose outcome was @r, or rolls it back. */
static int history_finish(History *history, int r) {
        if (r == 0)
                r = database_commit(history->database);
        if (r)
                database_rollback(history->database);
        return r ? HISTORY_E_FAILED : 0;
}

int history_add(History *history, const JobRecord *record) {
        int r;

        if (database_begin(history->database))
                return HISTORY_E_FAILED;
        r = history_insert_job(history, record) || history_insert_parts(history, record) ? HISTORY_E_FAILED : 0;
        r = history_finish(history, r);
        if (r == 0)
                history_note_ticket(history, record->run_id);
        return r;
}

int history_note_running(History *history, const char *run_id) {
        sqlite3_stmt *note = database_statement(history->database, DATABASE_NOTE_RUNNING);

        sqlite3_bind_int(note, 1, BENCHD__JOB_STATE__JOB_RUNNING);
        sqlite3_bind_text(note, 2, run_id, -1, SQLITE_STATIC);
        return database_run(history->database, note) ? HISTORY_E_FAILED : 0;
}

/* The number of the job's row, which is added if it is not there. */
static int history_ensure_job(History *history, const JobRecord *record, int64_t *ret_id) {
        HistoryJob job;
        int r;

        r = history_read(history, record->run_id, &job);
        if (r == 0)
                *ret_id = job.id;
        if (r != HISTORY_E_NOT_FOUND)
                return r;
        if (history_insert_job(history, record))
                return HISTORY_E_FAILED;
        *ret_id = database_last_id(history->database);
        return history_insert_parts(history, record);
}

/* The results not written before. */
static int history_insert_benchmarks(History *history, int64_t id, const JobRecord *record) {
        for (size_t i = record->n_written; i < record->n_benchmarks; i++) {
                sqlite3_stmt *add = database_statement(history->database, DATABASE_ADD_BENCHMARK);

                sqlite3_bind_int64(add, 1, id);
                sqlite3_bind_int64(add, 2, i);
                sqlite3_bind_blob64(add, 3, record->benchmarks[i].data, record->benchmarks[i].n, SQLITE_STATIC);
                if (database_run(history->database, add))
                        return HISTORY_E_FAILED;
        }
        return 0;
}

int history_write_benchmarks(History *history, JobRecord *record) {
        HistoryJob job;
        int r;

        if (database_begin(history->database))
                return HISTORY_E_FAILED;
        r = history_read(history, record->run_id, &job);
        r = history_finish(history, r ? r : history_insert_benchmarks(history, job.id, record));
        if (r == 0)
                record->n_written = record->n_benchmarks;
        return r;
}

/* Removes what was written of a job that ends without them. */
static int history_remove_benchmarks(History *history, int64_t id) {
        sqlite3_stmt *remove = database_statement(history->database, DATABASE_REMOVE_BENCHMARKS);

        sqlite3_bind_int64(remove, 1, id);
        return database_run(history->database, remove);
}

static int pack(const ProtobufCMessage *message, JobPacked *ret_packed) {
        JobPacked packed = {};

        if (message) {
                packed.n = protobuf_c_message_get_packed_size(message);
                packed.data = malloc(packed.n + 1);
                if (!packed.data)
                        return error_origin(-ENOMEM);
                protobuf_c_message_pack(message, packed.data);
        }
        *ret_packed = packed;
        return 0;
}

static int history_update(History *history, int64_t id, size_t n_counted, size_t n_bytes, const HistoryEnd *end) {
        sqlite3_stmt *update = database_statement(history->database, DATABASE_END_JOB);
        JobPacked error = {}, result = {};
        int r;

        r = pack(end->error ? &end->error->base : NULL, &error);
        if (r == 0)
                r = pack(end->result ? &end->result->base : NULL, &result);
        if (r == 0) {
                sqlite3_bind_int64(update, 1, id);
                sqlite3_bind_int(update, 2, end->state);
                sqlite3_bind_int64(update, 3, end->ended_at_unix_ns);
                if (end->result)
                        sqlite3_bind_int(update, 4, end->result->verdict);
                sqlite3_bind_int64(update, 5, n_counted);
                sqlite3_bind_blob64(update, 6, error.data, error.n, SQLITE_STATIC);
                sqlite3_bind_blob64(update, 7, result.data, result.n, SQLITE_STATIC);
                sqlite3_bind_int64(update, 8, n_bytes + error.n + result.n);
                r = database_run(history->database, update);
        }
        free(error.data);
        free(result.data);
        return r;
}

static int history_write_end(History *history, const JobRecord *record, const HistoryEnd *end) {
        const size_t n = end->result ? record->n_benchmarks : 0;
        int64_t id;

        if (history_ensure_job(history, record, &id) || (n > 0 && history_insert_benchmarks(history, id, record)))
                return HISTORY_E_FAILED;
        if (n == 0 && record->n_written > 0 && history_remove_benchmarks(history, id))
                return HISTORY_E_FAILED;
        return history_update(history, id, end->result ? record->n_counted : 0, n > 0 ? record->bytes.amount : 0, end);
}

int history_end(History *history, const JobRecord *record, const HistoryEnd *end) {
        int r;

        if (database_begin(history->database))
                return HISTORY_E_FAILED;
        r = history_write_end(history, record, end);
        if (r < 0) {
                database_rollback(history->database);
                return error_trace(r);
        }
        r = history_finish(history, r);
        if (r == 0)
                history_note_ticket(history, record->run_id);
        return r;
}

/* ---- reading one job */

int history_find(History *history, const char *prefix, HistoryViewer viewer, char ret_run_id[static RUN_ID_BYTES]) {
        sqlite3_stmt *find = database_statement(history->database, DATABASE_FIND_PREFIX);
        char end[RUN_ID_BYTES + 1], run_id[RUN_ID_BYTES];
        int n = 0, r;

        snprintf(end, sizeof end, "%sg", prefix); /* after f, the last digit */
        sqlite3_bind_text(find, 1, prefix, -1, SQLITE_STATIC);
        sqlite3_bind_text(find, 2, end, -1, SQLITE_STATIC);
        sqlite3_bind_int(find, 3, viewer.all);
        sqlite3_bind_int64(find, 4, viewer.uid);
        while ((r = database_step(history->database, find)) > 0 && n++ == 0)
                snprintf(run_id, sizeof run_id, "%s", (const char *)sqlite3_column_text(find, 0));
        sqlite3_reset(find);
        if (r < 0)
                return HISTORY_E_FAILED;
        if (n != 1)
                return n == 0 ? HISTORY_E_NOT_FOUND : HISTORY_E_AMBIGUOUS;
        memcpy(ret_run_id, run_id, sizeof run_id);
        return 0;
}

int history_read(History *history, const char *run_id, HistoryJob *ret_job) {
        sqlite3_stmt *find = database_statement(history->database, DATABASE_FIND_JOB);
        int r;

        sqlite3_bind_text(find, 1, run_id, -1, SQLITE_STATIC);
        r = database_step(history->database, find);
        if (r > 0)
                *ret_job = (HistoryJob){
                        .id = sqlite3_column_int64(find, 0),
                        .state = sqlite3_column_int(find, 1),
                        .n_benchmarks = sqlite3_column_int64(find, 2),
                        .uid = sqlite3_column_int64(find, 3),
                };
        sqlite3_reset(find);
        if (r > 0)
                return 0;
        return r == 0 ? HISTORY_E_NOT_FOUND : HISTORY_E_FAILED;
}

/* Unpacks the message in the first column of the row of @statement, which has its values. */
static int history_read_message(History *history, sqlite3_stmt *statement, const ProtobufCMessageDescriptor *type,
                ProtobufCMessage **ret_message) {
        ProtobufCMessage *message = NULL;
        bool found;
        int r;

        r = database_step(history->database, statement);
        if (r < 0)
                return HISTORY_E_FAILED;
        found = r > 0 && sqlite3_column_type(statement, 0) != SQLITE_NULL;
        if (found)
                message = protobuf_c_message_unpack(type, NULL, sqlite3_column_bytes(statement, 0),
                                sqlite3_column_blob(statement, 0));
        sqlite3_reset(statement);
        if (!message)
                return found ? HISTORY_E_UNREADABLE : HISTORY_E_NOT_FOUND;
        *ret_message = message;
        return 0;
}

int history_read_benchmark(History *history, const HistoryJob *job, size_t place,
                Benchd__BenchmarkResult **ret_result) {
        sqlite3_stmt *read = database_statement(history->database, DATABASE_READ_BENCHMARK);

        sqlite3_bind_int64(read, 1, job->id);
        sqlite3_bind_int64(read, 2, place);
        return history_read_message(history, read, &benchd__benchmark_result__descriptor,
                        (ProtobufCMessage **)ret_result);
}

int history_read_result(History *history, const HistoryJob *job, Benchd__RunResult **ret_result) {
        sqlite3_stmt *read = database_statement(history->database, DATABASE_READ_RESULT);

        sqlite3_bind_int64(read, 1, job->id);
        return history_read_message(history, read, &benchd__run_result__descriptor, (ProtobufCMessage **)ret_result);
}

int history_read_error(History *history, const HistoryJob *job, Benchd__Error **ret_error) {
        sqlite3_stmt *read = database_statement(history->database, DATABASE_READ_ERROR);

        sqlite3_bind_int64(read, 1, job->id);
        return history_read_message(history, read, &benchd__error__descriptor, (ProtobufCMessage **)ret_error);
}
