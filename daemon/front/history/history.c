/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/history/history.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "front/base/log.h"
#include "front/history/database.h"
#include "front/history/job-record.h"
#include "front/history/sealed-module.h"
#include "util/error.h"
#include "util/time.h"

#define HISTORY_FILE        "history.db"
#define HISTORY_TROUBLE_MAX 1024u

struct History {
        Database *database;
        bool kept;
        char trouble[HISTORY_TROUBLE_MAX];
};

Database *history_database(History *history) {
        return history->database;
}

const char *history_trouble(const History *history) {
        return history->trouble;
}

bool history_is_kept(const History *history) {
        return history->kept;
}

const char *history_words(const History *history) {
        return database_words(history->database);
}

/* ---- opening */

/* Gives the file and what SQLite put beside it other names. */
static int history_set_aside(const char *path, uint64_t now_unix_ns, char **ret_name) {
        static const char *const suffixes[] = { "", "-wal", "-shm" };
        const time_t seconds = now_unix_ns / NS_PER_S;
        _cleanup_(freep) char *name = NULL;
        char when[32];
        struct tm tm;

        strftime(when, sizeof when, "%Y%m%dT%H%M%SZ", gmtime_r(&seconds, &tm));
        if (asprintf(&name, "%s.unreadable-%s", path, when) < 0)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < N_ELEMENTS(suffixes); i++) {
                _cleanup_(freep) char *from = NULL, *to = NULL;

                if (asprintf(&from, "%s%s", path, suffixes[i]) < 0 || asprintf(&to, "%s%s", name, suffixes[i]) < 0)
                        return error_origin(-ENOMEM);
                if (rename(from, to) < 0 && (i == 0 || errno != ENOENT))
                        return error_origin(-errno);
        }
        *ret_name = take_pointer(name);
        return 0;
}

static int history_open_again(History *history, const char *path, uint64_t now_unix_ns,
                char words[static DATABASE_WORDS_MAX]) {
        _cleanup_(freep) char *name = NULL;

        if (history_set_aside(path, now_unix_ns, &name))
                return DATABASE_E_UNAVAILABLE;
        snprintf(history->trouble, sizeof history->trouble,
                        "The history could not be read (%s) and was set aside as %s.", words, name);
        return database_new(path, &history->database, words);
}

static int history_open(History *history, const char *directory, uint64_t now_unix_ns) {
        _cleanup_(freep) char *path = NULL;
        char words[DATABASE_WORDS_MAX];
        int r;

        if (asprintf(&path, "%s/" HISTORY_FILE, directory) < 0)
                return error_origin(-ENOMEM);
        r = database_new(path, &history->database, words);
        if (r == DATABASE_E_FOREIGN)
                r = history_open_again(history, path, now_unix_ns, words);
        if (r > 0)
                snprintf(history->trouble, sizeof history->trouble,
                                "The history in %s cannot be opened (%s): results are kept in memory only.", directory,
                                words);
        history->kept = r == 0;
        return r < 0 ? error_trace(r) : 0;
}

/* What was under way when the daemon ended has no end and never will. */
static void history_lose_jobs(History *history, uint64_t now_unix_ns) {
        sqlite3_stmt *lose = database_statement(history->database, DATABASE_LOSE_JOBS);

        sqlite3_bind_int(lose, 1, BENCHD__JOB_STATE__JOB_LOST);
        sqlite3_bind_int64(lose, 2, now_unix_ns);
        if (database_run(history->database, lose) == 0 && database_count_changed(history->database) > 0)
                log_say(LOG_JOB_LOST, NULL, "%zu in all", database_count_changed(history->database));
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
        free(history);
        return NULL;
}

/* ---- writing */

static int history_insert_job(History *history, const JobRecord *record) {
        sqlite3_stmt *add = database_statement(history->database, DATABASE_ADD_JOB);

        sqlite3_bind_text(add, 1, record->run_id, -1, SQLITE_STATIC);
        sqlite3_bind_int64(add, 2, record->uid);
        sqlite3_bind_int(add, 3, BENCHD__JOB_STATE__JOB_QUEUED);
        sqlite3_bind_int64(add, 4, record->submitted_at_unix_ns);
        sqlite3_bind_text(add, 5, record->module_name, -1, SQLITE_STATIC);
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

static int history_insert(History *history, const JobRecord *record) {
        return history_insert_job(history, record) || history_insert_parts(history, record) ? HISTORY_E_FAILED : 0;
}

/* Ends a transaction in which @r came out. */
static int history_finish(History *history, int r) {
        if (r == 0)
                r = database_commit(history->database);
        if (r)
                database_rollback(history->database);
        return r ? HISTORY_E_FAILED : 0;
}

int history_add(History *history, const JobRecord *record) {
        if (database_begin(history->database))
                return HISTORY_E_FAILED;
        return history_finish(history, history_insert(history, record));
}

int history_note_running(History *history, const char *run_id) {
        sqlite3_stmt *note = database_statement(history->database, DATABASE_NOTE_RUNNING);

        sqlite3_bind_int(note, 1, BENCHD__JOB_STATE__JOB_RUNNING);
        sqlite3_bind_text(note, 2, run_id, -1, SQLITE_STATIC);
        return database_run(history->database, note) ? HISTORY_E_FAILED : 0;
}

/* The number of the job's row, which is added if it is not there. */
static int history_place(History *history, const JobRecord *record, int64_t *ret_id) {
        sqlite3_stmt *find = database_statement(history->database, DATABASE_FIND_JOB);
        int r;

        sqlite3_bind_text(find, 1, record->run_id, -1, SQLITE_STATIC);
        r = database_step(history->database, find);
        if (r > 0)
                *ret_id = sqlite3_column_int64(find, 0);
        sqlite3_reset(find);
        if (r != 0)
                return r > 0 ? 0 : HISTORY_E_FAILED;
        if (history_insert_job(history, record))
                return HISTORY_E_FAILED;
        *ret_id = database_last_id(history->database);
        return history_insert_parts(history, record);
}

static int history_insert_benchmarks(History *history, int64_t id, const JobRecord *record) {
        for (size_t i = 0; i < record->n_benchmarks; i++) {
                sqlite3_stmt *add = database_statement(history->database, DATABASE_ADD_BENCHMARK);

                sqlite3_bind_int64(add, 1, id);
                sqlite3_bind_int64(add, 2, i);
                sqlite3_bind_blob64(add, 3, record->benchmarks[i].data, record->benchmarks[i].n, SQLITE_STATIC);
                if (database_run(history->database, add))
                        return HISTORY_E_FAILED;
        }
        return 0;
}

static int pack(const ProtobufCMessage *message, Packed *ret_packed) {
        Packed packed = {};

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

static int history_update(History *history, int64_t id, size_t n_benchmarks, const HistoryEnd *end) {
        sqlite3_stmt *update = database_statement(history->database, DATABASE_END_JOB);
        Packed error = {}, result = {};
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
                sqlite3_bind_int64(update, 5, n_benchmarks);
                sqlite3_bind_blob64(update, 6, error.data, error.n, SQLITE_STATIC);
                sqlite3_bind_blob64(update, 7, result.data, result.n, SQLITE_STATIC);
                r = database_run(history->database, update);
        }
        free(error.data);
        free(result.data);
        return r;
}

static int history_write_end(History *history, const JobRecord *record, const HistoryEnd *end) {
        size_t n = end->result ? record->n_benchmarks : 0;
        int64_t id;

        if (history_place(history, record, &id) || (n > 0 && history_insert_benchmarks(history, id, record)))
                return HISTORY_E_FAILED;
        return history_update(history, id, n, end);
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
        return history_finish(history, r);
}

static int history_has_module(History *history, const char *run_id, bool *ret_stored) {
        sqlite3_stmt *has = database_statement(history->database, DATABASE_HAS_MODULE);
        int r;

        sqlite3_bind_text(has, 1, run_id, -1, SQLITE_STATIC);
        r = database_step(history->database, has);
        sqlite3_reset(has);
        if (r < 0)
                return HISTORY_E_FAILED;
        *ret_stored = r > 0;
        return 0;
}

int history_pin(History *history, const char *run_id, bool pinned, bool *ret_stored) {
        sqlite3_stmt *pin = database_statement(history->database, DATABASE_PIN_JOB);

        sqlite3_bind_text(pin, 1, run_id, -1, SQLITE_STATIC);
        sqlite3_bind_int(pin, 2, pinned);
        if (database_run(history->database, pin))
                return HISTORY_E_FAILED;
        if (database_count_changed(history->database) == 0)
                return HISTORY_E_NOT_FOUND;
        return history_has_module(history, run_id, ret_stored);
}
