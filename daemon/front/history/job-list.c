/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/history/job-list.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "front/base/arena.h"
#include "front/base/commit.h"
#include "front/base/message.h"
#include "front/history/database.h"
#include "front/history/history.h"
#include "util/error.h"
#include "util/glob.h"

struct JobList {
        Database *database;
        HistoryViewer viewer;
        Glob *module_glob; /* NULL: any */
        bool has_state;
        Benchd__JobState state;
        uint64_t since_unix_ns;
        size_t limit;
        int64_t before_submitted; /* of the row examined last */
        int64_t before_id;
        Arena *arena;
        Benchd__History *entries;
        size_t n_bytes; /* of the entries */
};

/* ---- an entry */

/* The columns of DATABASE_READ_ENTRY. */
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
        COLUMN_COMMIT,
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

static Benchd__Commit *entry_commit(Arena *arena, sqlite3_stmt *row) {
        const void *data = sqlite3_column_blob(row, COLUMN_COMMIT);
        Benchd__Commit *read =
                        data ? benchd__commit__unpack(NULL, sqlite3_column_bytes(row, COLUMN_COMMIT), data) : NULL;
        Benchd__Commit *commit = commit_copy(arena, read);

        if (read)
                benchd__commit__free_unpacked(read, NULL);
        return commit;
}

static Benchd__HistoryEntry *entry_make(Arena *arena, sqlite3_stmt *row) {
        Benchd__HistoryEntry *entry = message_new(arena, Benchd__HistoryEntry, benchd__history_entry);

        if (!entry)
                return NULL;
        entry->run_id = column_text(arena, row, COLUMN_RUN_ID);
        entry->module_name = column_text(arena, row, COLUMN_MODULE_NAME);
        entry->module_sha256 = column_text(arena, row, COLUMN_SHA256);
        entry->error = entry_error(arena, row);
        entry->commit = entry_commit(arena, row);
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

/* Appends an entry if it fits. Returns 0, E_NOT_FOUND where it does not, or a negative errno. */
static int list_append(JobList *list, Benchd__HistoryEntry *entry) {
        size_t n;

        if (!entry)
                return error_origin(-ENOMEM);
        n = benchd__history_entry__get_packed_size(entry) + 8;
        if (list->n_bytes + n > HISTORY_REPLY_BYTES)
                return HISTORY_E_NOT_FOUND;
        list->n_bytes += n;
        list->entries->entries[list->entries->n_entries++] = entry;
        return 0;
}

/* Reads the job @id into the list, unless it was removed meanwhile. Returns as list_append() does, or E_FAILED. */
static int list_read_entry(JobList *list, int64_t id) {
        sqlite3_stmt *read = database_statement(list->database, DATABASE_READ_ENTRY);
        int r;

        sqlite3_bind_int64(read, 1, id);
        r = database_step(list->database, read);
        if (r < 0)
                return HISTORY_E_FAILED;
        r = r > 0 ? list_append(list, entry_make(list->arena, read)) : 0;
        sqlite3_reset(read);
        return r;
}

/* ---- the rows */

/* The columns of DATABASE_WALK_OWN and DATABASE_WALK_ALL. */
enum {
        ROW_ID,
        ROW_SUBMITTED,
        ROW_STATE,
        ROW_MODULE_NAME,
};

static sqlite3_stmt *list_bind(JobList *list) {
        sqlite3_stmt *walk =
                        database_statement(list->database, list->viewer.all ? DATABASE_WALK_ALL : DATABASE_WALK_OWN);

        sqlite3_bind_int64(walk, 1, list->since_unix_ns < INT64_MAX ? list->since_unix_ns : INT64_MAX);
        sqlite3_bind_int64(walk, 2, list->before_submitted);
        sqlite3_bind_int64(walk, 3, list->before_id);
        if (!list->viewer.all)
                sqlite3_bind_int64(walk, 4, list->viewer.uid);
        return walk;
}

/* True if the list wants the job at @row. The glob may match the module's path or the name of its file. */
static bool list_wants(const JobList *list, sqlite3_stmt *row) {
        const char *name, *slash;

        if (list->has_state && sqlite3_column_int(row, ROW_STATE) != (int)list->state)
                return false;
        if (!list->module_glob)
                return true;
        name = (const char *)sqlite3_column_text(row, ROW_MODULE_NAME);
        slash = name ? strrchr(name, '/') : NULL;
        return name && (glob_matches(list->module_glob, name) || (slash && glob_matches(list->module_glob, slash + 1)));
}

int job_list_step(JobList *list, size_t *ret_n) {
        sqlite3_stmt *rows = list_bind(list);
        int row = 1, r = 0;
        size_t n = 0;

        while (r == 0 && n < JOB_LIST_SLICE_ROWS && list->entries->n_entries < list->limit &&
                        (row = database_step(list->database, rows)) > 0) {
                list->before_submitted = sqlite3_column_int64(rows, ROW_SUBMITTED);
                list->before_id = sqlite3_column_int64(rows, ROW_ID);
                n++;
                if (!list_wants(list, rows))
                        continue;
                r = list_read_entry(list, list->before_id);
                n += JOB_LIST_ENTRY_ROWS;
        }
        sqlite3_reset(rows);
        if (ret_n)
                *ret_n = n;
        if (r < 0)
                return error_trace(r);
        if (r == HISTORY_E_FAILED || row < 0)
                return JOB_LIST_E_FAILED;
        if (r == 0 && row > 0 && list->entries->n_entries < list->limit)
                return JOB_LIST_E_MORE;
        return error_trace(arena_check(list->arena));
}

/* ---- life */

int job_list_new(History *history, const Benchd__HistoryRequest *request, const HistoryViewer *viewer,
                JobList **ret_list) {
        _cleanup_(job_list_freep) JobList *list = NULL;
        int r;

        list = calloc(1, sizeof *list);
        if (!list)
                return error_origin(-ENOMEM);
        *list = (JobList){
                .database = history_database(history),
                .viewer = *viewer,
                .has_state = request->has_state,
                .state = request->state,
                .since_unix_ns = request->since_unix_ns,
                .limit = request->has_limit ? request->limit : HISTORY_ENTRIES,
                .before_submitted = INT64_MAX,
                .before_id = INT64_MAX,
        };
        r = request->module_glob ? glob_new(request->module_glob, &list->module_glob) : 0;
        if (r)
                return error_fold(r);
        r = arena_new(&list->arena);
        if (r)
                return error_trace(r);
        list->entries = message_new(list->arena, Benchd__History, benchd__history);
        if (list->entries)
                list->entries->entries = arena_zero(list->arena, list->limit * sizeof *list->entries->entries);
        if (!list->entries || !list->entries->entries)
                return error_origin(-ENOMEM);
        *ret_list = take_pointer(list);
        return 0;
}

JobList *job_list_free(JobList *list) {
        if (!list)
                return NULL;
        glob_free(list->module_glob);
        arena_free(list->arena);
        free(list);
        return NULL;
}

Benchd__History *job_list_entries(const JobList *list) {
        return list->entries;
}

Arena *job_list_arena(const JobList *list) {
        return list->arena;
}
