/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/history/database.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/cleanup.h"
#include "util/error.h"

#define DATABASE_APPLICATION 0x62636864                 /* "bchd" */
#define DATABASE_VERSION     1                          /* raised with each change of the tables */
#define DATABASE_PATIENCE_MS 5000                       /* for the lock of a daemon that is ending */
#define DATABASE_CHECK_BYTES ((off_t)256 * 1024 * 1024) /* a larger file is checked only after an unclean end */

/* States are numbers of the protocol's JobState: 1 and 2 are those without an end. */
/* The name of a file in a path: the path without all that stands before the last slash. */
#define BASE_NAME(path) "substr(" path ", 1 + length(rtrim(" path ", replace(" path ", '/', ''))))"

static const char database_tables[] =
                "CREATE TABLE job (id INTEGER PRIMARY KEY, run_id TEXT NOT NULL UNIQUE, uid INTEGER NOT NULL,"
                " state INTEGER NOT NULL, submitted INTEGER NOT NULL, ended INTEGER,"
                " module_name TEXT NOT NULL, pinned INTEGER NOT NULL DEFAULT 0, verdict INTEGER,"
                " benchmarks INTEGER NOT NULL DEFAULT 0, error BLOB, result BLOB);"
                "CREATE INDEX job_of_user ON job (uid, submitted);"
                "CREATE INDEX job_by_time ON job (submitted);"
                "CREATE INDEX job_without_end ON job (state) WHERE state IN (1, 2);"
                "CREATE TABLE benchmark (job INTEGER NOT NULL, place INTEGER NOT NULL,"
                " result BLOB NOT NULL, PRIMARY KEY (job, place));"
                "CREATE TABLE part (job INTEGER NOT NULL, place INTEGER NOT NULL, sha256 TEXT NOT NULL,"
                " PRIMARY KEY (job, place)) WITHOUT ROWID;"
                "CREATE INDEX part_of_module ON part (sha256);"
                "CREATE TABLE module (sha256 TEXT PRIMARY KEY, bytes INTEGER NOT NULL,"
                " used INTEGER NOT NULL) WITHOUT ROWID;"
                "CREATE INDEX module_by_use ON module (used);";

static const char *const database_statements[_DATABASE_STATEMENTS_N] = {
        [DATABASE_ADD_JOB] = "INSERT INTO job (run_id, uid, state, submitted, module_name) VALUES (?, ?, ?, ?, ?)",
        [DATABASE_ADD_PART] = "INSERT INTO part (job, place, sha256) VALUES (?, ?, ?)",
        [DATABASE_ADD_BENCHMARK] = "INSERT INTO benchmark (job, place, result) VALUES (?, ?, ?)",
        [DATABASE_FIND_JOB] = "SELECT id, state, benchmarks, uid FROM job WHERE run_id = ?",
        [DATABASE_NOTE_RUNNING] = "UPDATE job SET state = ? WHERE run_id = ?",
        [DATABASE_END_JOB] = "UPDATE job SET state = ?2, ended = ?3, verdict = ?4, benchmarks = ?5, error = ?6,"
                             " result = ?7 WHERE id = ?1",
        [DATABASE_LOSE_JOBS] = "UPDATE job SET state = ?, ended = ? WHERE state IN (1, 2)",
        [DATABASE_FIND_PREFIX] =
                        "SELECT run_id FROM job WHERE run_id >= ?1 AND run_id < ?2 AND (?3 OR uid = ?4) LIMIT 2",
        [DATABASE_READ_BENCHMARK] = "SELECT result FROM benchmark WHERE job = ? AND place = ?",
        [DATABASE_READ_RESULT] = "SELECT result FROM job WHERE id = ?",
        [DATABASE_READ_ERROR] = "SELECT error FROM job WHERE id = ?",
        [DATABASE_LIST_JOBS] = "SELECT run_id, state, submitted, ended, uid, module_name, part.sha256, module.sha256,"
                               " pinned, verdict, benchmarks, error FROM job"
                               " LEFT JOIN part ON part.job = job.id AND part.place = 0"
                               " LEFT JOIN module ON module.sha256 = part.sha256"
                               " WHERE (?1 OR uid = ?2) AND (?3 IS NULL OR module_name GLOB ?3 OR " BASE_NAME(
                                               "module_name") " GLOB ?3)"
                                                              " AND submitted >= ?4 AND (?5 IS NULL OR state = ?5)"
                                                              " ORDER BY submitted DESC, job.id DESC LIMIT ?6",
        [DATABASE_PIN_JOB] = "UPDATE job SET pinned = ?2 WHERE run_id = ?1",
        [DATABASE_HAS_MODULE] = "SELECT 1 FROM job JOIN part ON part.job = job.id AND part.place = 0"
                                " JOIN module ON module.sha256 = part.sha256 WHERE run_id = ?",
        [DATABASE_ADD_MODULE] = "INSERT OR REPLACE INTO module (sha256, bytes, used) VALUES (?, ?, ?)",
        [DATABASE_USE_MODULE] = "UPDATE module SET used = ?2 WHERE sha256 = ?1",
        [DATABASE_REMOVE_MODULE] = "DELETE FROM module WHERE sha256 = ?",
        [DATABASE_SUM_MODULES] = "SELECT total(bytes) FROM module",
        [DATABASE_OLDEST_MODULE] = "SELECT sha256, bytes FROM module WHERE NOT EXISTS (SELECT 1 FROM part JOIN job"
                                   " ON job.id = part.job WHERE part.sha256 = module.sha256"
                                   " AND (job.pinned OR job.state IN (1, 2))) ORDER BY used LIMIT 1",
        [DATABASE_NEXT_MODULE] = "SELECT sha256, bytes FROM module WHERE sha256 > ? ORDER BY sha256 LIMIT 1",
        [DATABASE_FIND_MODULE] = "SELECT sha256, bytes FROM module WHERE sha256 = ?",
};

struct Database {
        sqlite3 *sqlite;
        sqlite3_stmt *statements[_DATABASE_STATEMENTS_N];
        char words[DATABASE_WORDS_MAX];
};

DEFINE_CLEANUP(Database *, database_free)

static int database_note(Database *database) {
        snprintf(database->words, sizeof database->words, "%s", sqlite3_errmsg(database->sqlite));
        return DATABASE_E_FAILED;
}

const char *database_words(const Database *database) {
        return database->words;
}

/* ---- statements */

sqlite3_stmt *database_statement(Database *database, DatabaseStatement which) {
        sqlite3_stmt *statement = database->statements[which];

        sqlite3_reset(statement);
        sqlite3_clear_bindings(statement);
        return statement;
}

int database_step(Database *database, sqlite3_stmt *statement) {
        int r = sqlite3_step(statement);

        if (r == SQLITE_ROW)
                return 1;
        if (r != SQLITE_DONE)
                database_note(database);
        sqlite3_reset(statement);
        return r == SQLITE_DONE ? 0 : -1;
}

int database_run(Database *database, sqlite3_stmt *statement) {
        int r = database_step(database, statement);

        sqlite3_reset(statement);
        return r < 0 ? DATABASE_E_FAILED : 0;
}

static int database_execute(Database *database, const char *text) {
        return sqlite3_exec(database->sqlite, text, NULL, NULL, NULL) == SQLITE_OK ? 0 : database_note(database);
}

int database_begin(Database *database) {
        return database_execute(database, "BEGIN IMMEDIATE");
}

int database_commit(Database *database) {
        return database_execute(database, "COMMIT");
}

void database_rollback(Database *database) {
        if (!sqlite3_get_autocommit(database->sqlite))
                (void)sqlite3_exec(database->sqlite, "ROLLBACK", NULL, NULL, NULL);
}

size_t database_count_changed(const Database *database) {
        return sqlite3_changes(database->sqlite);
}

int64_t database_last_id(const Database *database) {
        return sqlite3_last_insert_rowid(database->sqlite);
}

/* ---- opening */

/* SQLite's last error as an outcome of opening. */
static int database_judge(Database *database) {
        switch (sqlite3_errcode(database->sqlite)) {
        case SQLITE_NOTADB:
        case SQLITE_CORRUPT:
        case SQLITE_CANTOPEN:
        case SQLITE_PERM:
        case SQLITE_READONLY:
        case SQLITE_ERROR:
                return DATABASE_E_FOREIGN;
        default:
                return DATABASE_E_UNAVAILABLE;
        }
}

/* The first column of the first row of @query, as a number or as text. */
static int database_ask(Database *database, const char *query, int *ret_number, char *ret_text, size_t n_text) {
        sqlite3_stmt *statement;
        int r;

        if (sqlite3_prepare_v2(database->sqlite, query, -1, &statement, NULL) != SQLITE_OK)
                return database_note(database);
        r = sqlite3_step(statement);
        if (r == SQLITE_ROW && ret_number)
                *ret_number = sqlite3_column_int(statement, 0);
        if (r == SQLITE_ROW && ret_text)
                snprintf(ret_text, n_text, "%s", (const char *)sqlite3_column_text(statement, 0));
        if (r != SQLITE_ROW)
                database_note(database);
        sqlite3_finalize(statement);
        return r == SQLITE_ROW ? 0 : DATABASE_E_FAILED;
}

static int database_configure(Database *database) {
        sqlite3_busy_timeout(database->sqlite, DATABASE_PATIENCE_MS);
        sqlite3_db_config(database->sqlite, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
        sqlite3_db_config(database->sqlite, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
        return database_execute(database, "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL;"
                                          "PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;"
                                          "PRAGMA cell_size_check = ON; BEGIN IMMEDIATE; COMMIT");
}

static int database_make_tables(Database *database) {
        char text[128];

        if (database_begin(database) || database_execute(database, database_tables))
                return DATABASE_E_FAILED;
        snprintf(text, sizeof text, "PRAGMA application_id = %d; PRAGMA user_version = %d", DATABASE_APPLICATION,
                        DATABASE_VERSION);
        return database_execute(database, text) || database_commit(database) ? DATABASE_E_FAILED : 0;
}

/* Returns 0 if the file is ours, E_FOREIGN if not, or E_FAILED. A new file gets its tables. */
static int database_recognize(Database *database) {
        int application, version, n_tables;

        if (database_ask(database, "PRAGMA application_id", &application, NULL, 0) ||
                        database_ask(database, "PRAGMA user_version", &version, NULL, 0) ||
                        database_ask(database, "SELECT count(*) FROM sqlite_schema", &n_tables, NULL, 0))
                return DATABASE_E_FAILED;
        if (n_tables == 0 && version == 0)
                return database_make_tables(database);
        if (application == DATABASE_APPLICATION && version == DATABASE_VERSION)
                return 0;
        snprintf(database->words, sizeof database->words,
                        "it belongs to another program, or to another version of benchd");
        return DATABASE_E_FOREIGN;
}

static int database_check(Database *database) {
        char verdict[DATABASE_WORDS_MAX];

        if (database_ask(database, "PRAGMA quick_check(1)", NULL, verdict, sizeof verdict))
                return DATABASE_E_FAILED;
        if (strcmp(verdict, "ok") == 0)
                return 0;
        memcpy(database->words, verdict, sizeof verdict);
        return DATABASE_E_FOREIGN;
}

static int database_prepare(Database *database) {
        for (size_t i = 0; i < _DATABASE_STATEMENTS_N; i++)
                if (sqlite3_prepare_v3(database->sqlite, database_statements[i], -1, SQLITE_PREPARE_PERSISTENT,
                                    &database->statements[i], NULL) != SQLITE_OK)
                        return database_note(database);
        return 0;
}

/* True where the whole file is read first: it is small, or was not closed cleanly. */
static bool database_wants_check(const char *path) {
        char *wal = NULL;
        struct stat status;
        bool unclean;

        if (!path || stat(path, &status) < 0)
                return false;
        if (status.st_size <= DATABASE_CHECK_BYTES)
                return true;
        unclean = asprintf(&wal, "%s-wal", path) >= 0 && stat(wal, &status) == 0;
        free(wal);
        return unclean;
}

static int database_open(Database *database, const char *path) {
        bool check = database_wants_check(path);
        int r;

        r = sqlite3_open_v2(path ? path : ":memory:", &database->sqlite,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
        if (!database->sqlite)
                return error_origin(-ENOMEM);
        if (r != SQLITE_OK)
                return database_note(database);
        r = database_configure(database);
        if (r == 0 && check)
                r = database_check(database);
        if (r == 0)
                r = database_recognize(database);
        return r ? r : database_prepare(database);
}

int database_new(const char *path, Database **ret_database, char ret_words[static DATABASE_WORDS_MAX]) {
        _cleanup_(database_freep) Database *database = NULL;
        int r;

        database = calloc(1, sizeof *database);
        if (!database)
                return error_origin(-ENOMEM);
        r = database_open(database, path);
        if (r < 0)
                return error_trace(r);
        if (r > 0) {
                r = r == DATABASE_E_FOREIGN ? r : database_judge(database);
                memcpy(ret_words, database->words, sizeof database->words);
                return r;
        }
        *ret_database = take_pointer(database);
        return 0;
}

Database *database_free(Database *database) {
        if (!database)
                return NULL;
        for (size_t i = 0; i < _DATABASE_STATEMENTS_N; i++)
                sqlite3_finalize(database->statements[i]);
        sqlite3_close(database->sqlite);
        free(database);
        return NULL;
}
