/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/history/past.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "front/base/message.h"
#include "front/history/database.h"
#include "util/error.h"

/* ---- one job */

/* One step before the first text that does not begin with @prefix. */
static void past_prefix_end(const char *prefix, char ret_end[static RUN_ID_BYTES + 1]) {
        snprintf(ret_end, RUN_ID_BYTES + 1, "%sg", prefix); /* after f, the last digit */
}

int past_find(Database *database, const char *prefix, Viewer viewer, char ret_run_id[static RUN_ID_BYTES]) {
        sqlite3_stmt *find = database_statement(database, DATABASE_FIND_PREFIX);
        char end[RUN_ID_BYTES + 1], run_id[RUN_ID_BYTES];
        int n = 0, r;

        past_prefix_end(prefix, end);
        sqlite3_bind_text(find, 1, prefix, -1, SQLITE_STATIC);
        sqlite3_bind_text(find, 2, end, -1, SQLITE_STATIC);
        sqlite3_bind_int(find, 3, viewer.all);
        sqlite3_bind_int64(find, 4, viewer.uid);
        while ((r = database_step(database, find)) > 0 && n++ == 0)
                snprintf(run_id, sizeof run_id, "%s", (const char *)sqlite3_column_text(find, 0));
        sqlite3_reset(find);
        if (r < 0)
                return PAST_E_FAILED;
        if (n != 1)
                return n == 0 ? PAST_E_NOT_FOUND : PAST_E_AMBIGUOUS;
        memcpy(ret_run_id, run_id, sizeof run_id);
        return 0;
}

int past_read(Database *database, const char *run_id, PastJob *ret_job) {
        sqlite3_stmt *find = database_statement(database, DATABASE_FIND_JOB);
        int r;

        sqlite3_bind_text(find, 1, run_id, -1, SQLITE_STATIC);
        r = database_step(database, find);
        if (r > 0)
                *ret_job = (PastJob){
                        .id = sqlite3_column_int64(find, 0),
                        .state = sqlite3_column_int(find, 1),
                        .n_benchmarks = sqlite3_column_int64(find, 2),
                        .uid = sqlite3_column_int64(find, 3),
                };
        sqlite3_reset(find);
        if (r > 0)
                return 0;
        return r == 0 ? PAST_E_NOT_FOUND : PAST_E_FAILED;
}

/* Unpacks the message in the first column of the row that @statement, bound, gives. */
static int past_read_message(Database *database, sqlite3_stmt *statement, const ProtobufCMessageDescriptor *type,
                ProtobufCMessage **ret_message) {
        ProtobufCMessage *message = NULL;
        bool found;
        int r;

        r = database_step(database, statement);
        if (r < 0)
                return PAST_E_FAILED;
        found = r > 0 && sqlite3_column_type(statement, 0) != SQLITE_NULL;
        if (found)
                message = protobuf_c_message_unpack(type, NULL, sqlite3_column_bytes(statement, 0),
                                sqlite3_column_blob(statement, 0));
        sqlite3_reset(statement);
        if (!message)
                return found ? PAST_E_UNREADABLE : PAST_E_NOT_FOUND;
        *ret_message = message;
        return 0;
}

int past_read_benchmark(Database *database, const PastJob *job, size_t place, Benchd__BenchmarkResult **ret_result) {
        sqlite3_stmt *read = database_statement(database, DATABASE_READ_BENCHMARK);

        sqlite3_bind_int64(read, 1, job->id);
        sqlite3_bind_int64(read, 2, place);
        return past_read_message(database, read, &benchd__benchmark_result__descriptor,
                        (ProtobufCMessage **)ret_result);
}

int past_read_result(Database *database, const PastJob *job, Benchd__RunResult **ret_result) {
        sqlite3_stmt *read = database_statement(database, DATABASE_READ_RESULT);

        sqlite3_bind_int64(read, 1, job->id);
        return past_read_message(database, read, &benchd__run_result__descriptor, (ProtobufCMessage **)ret_result);
}

int past_read_error(Database *database, const PastJob *job, Benchd__Error **ret_error) {
        sqlite3_stmt *read = database_statement(database, DATABASE_READ_ERROR);

        sqlite3_bind_int64(read, 1, job->id);
        return past_read_message(database, read, &benchd__error__descriptor, (ProtobufCMessage **)ret_error);
}

/* ---- many */

/* The columns of DATABASE_LIST_JOBS. */
enum {
        COLUMN_RUN_ID,
        COLUMN_STATE,
        COLUMN_SUBMITTED,
        COLUMN_ENDED,
        COLUMN_UID,
        COLUMN_MODULE_NAME,
        COLUMN_SHA256,
        COLUMN_STORED,
        COLUMN_PINNED,
        COLUMN_VERDICT,
        COLUMN_BENCHMARKS,
        COLUMN_ERROR,
};

static char *column_text(Arena *arena, sqlite3_stmt *row, int column) {
        return arena_text(arena, (const char *)sqlite3_column_text(row, column));
}

static bool column_is_set(sqlite3_stmt *row, int column) {
        return sqlite3_column_type(row, column) != SQLITE_NULL;
}

/* A copy in @arena of the error in @row, if there is one that can be read. */
static Benchd__Error *entry_error(Arena *arena, sqlite3_stmt *row) {
        const void *data = sqlite3_column_blob(row, COLUMN_ERROR);
        Benchd__Error *read, *error = NULL;

        if (!data)
                return NULL;
        read = benchd__error__unpack(NULL, sqlite3_column_bytes(row, COLUMN_ERROR), data);
        if (!read)
                return NULL;
        error = message_new(arena, Benchd__Error, benchd__error);
        if (error) {
                message_set(error, code, read->code);
                error->message = arena_text(arena, read->message);
                error->hint = arena_text(arena, read->hint);
        }
        benchd__error__free_unpacked(read, NULL);
        return error;
}

static Benchd__HistoryEntry *entry_build(Arena *arena, sqlite3_stmt *row) {
        Benchd__HistoryEntry *entry = message_new(arena, Benchd__HistoryEntry, benchd__history_entry);

        if (!entry)
                return NULL;
        entry->run_id = column_text(arena, row, COLUMN_RUN_ID);
        entry->module_name = column_text(arena, row, COLUMN_MODULE_NAME);
        entry->module_sha256 = column_text(arena, row, COLUMN_SHA256);
        entry->error = entry_error(arena, row);
        message_set(entry, state, sqlite3_column_int(row, COLUMN_STATE));
        message_set(entry, submitted_at_unix_ns, sqlite3_column_int64(row, COLUMN_SUBMITTED));
        message_set(entry, uid, sqlite3_column_int64(row, COLUMN_UID));
        message_set(entry, module_stored, column_is_set(row, COLUMN_STORED));
        message_set(entry, pinned, sqlite3_column_int(row, COLUMN_PINNED) != 0);
        if (column_is_set(row, COLUMN_ENDED))
                message_set(entry, ended_at_unix_ns, sqlite3_column_int64(row, COLUMN_ENDED));
        if (column_is_set(row, COLUMN_VERDICT)) {
                message_set(entry, verdict, sqlite3_column_int(row, COLUMN_VERDICT));
                message_set(entry, benchmarks, sqlite3_column_int(row, COLUMN_BENCHMARKS));
        }
        return entry;
}

static sqlite3_stmt *past_list_bind(Database *database, const Benchd__HistoryRequest *request, Viewer viewer) {
        sqlite3_stmt *list = database_statement(database, DATABASE_LIST_JOBS);

        sqlite3_bind_int(list, 1, viewer.all);
        sqlite3_bind_int64(list, 2, viewer.uid);
        if (request->module_glob)
                sqlite3_bind_text(list, 3, request->module_glob, -1, SQLITE_STATIC);
        sqlite3_bind_int64(list, 4, request->since_unix_ns < INT64_MAX ? request->since_unix_ns : INT64_MAX);
        if (request->has_state)
                sqlite3_bind_int(list, 5, request->state);
        sqlite3_bind_int64(list, 6, request->has_limit ? request->limit : PAST_ENTRIES);
        return list;
}

/* Appends an entry if it fits. Returns 0, E_NOT_FOUND where it does not, or a negative errno. */
static int history_append(Benchd__History *history, Benchd__HistoryEntry *entry, size_t *bytes) {
        size_t n;

        if (!entry)
                return error_origin(-ENOMEM);
        n = benchd__history_entry__get_packed_size(entry) + 8;
        if (*bytes + n > PAST_REPLY_BYTES)
                return PAST_E_NOT_FOUND;
        *bytes += n;
        history->entries[history->n_entries++] = entry;
        return 0;
}

int past_list(Database *database, const Benchd__HistoryRequest *request, Viewer viewer, Arena *arena,
                Benchd__History **ret_history) {
        Benchd__History *history = message_new(arena, Benchd__History, benchd__history);
        sqlite3_stmt *list = past_list_bind(database, request, viewer);
        size_t bytes = 0;
        int row, r = 0;

        if (history)
                history->entries = arena_zero(arena, PAST_ENTRIES_MAX * sizeof *history->entries);
        if (!history || !history->entries)
                return error_origin(-ENOMEM);
        while ((row = database_step(database, list)) > 0 && r == 0)
                r = history_append(history, entry_build(arena, list), &bytes);
        sqlite3_reset(list);
        if (r < 0)
                return error_trace(r);
        if (row < 0)
                return PAST_E_FAILED;
        *ret_history = history;
        return error_trace(arena_check(arena));
}
