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

#define DATABASE_PATIENCE_MS 5000                       /* for the lock of one that is ending */
#define DATABASE_CHECK_BYTES ((off_t)256 * 1024 * 1024) /* beyond, checked only after an end that was not clean */

struct Database {
        sqlite3 *sqlite;
        sqlite3_stmt **statements;
        size_t n_statements;
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

sqlite3_stmt *database_statement(Database *database, size_t which) {
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

/* The outcome of opening, for what SQLite said. */
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

/* The first number, or text, that @query gives. */
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

static int database_make(Database *database, const DatabaseSchema *schema) {
        char text[128];

        if (database_begin(database) || database_execute(database, schema->tables))
                return DATABASE_E_FAILED;
        snprintf(text, sizeof text, "PRAGMA application_id = %d; PRAGMA user_version = %d", schema->application,
                        schema->version);
        return database_execute(database, text) || database_commit(database) ? DATABASE_E_FAILED : 0;
}

/* Returns 0 if the file is new or of @schema, E_FAILED if it cannot be told, or E_FOREIGN. */
static int database_recognize(Database *database, const DatabaseSchema *schema) {
        int application, version, n_tables;

        if (database_ask(database, "PRAGMA application_id", &application, NULL, 0) ||
                        database_ask(database, "PRAGMA user_version", &version, NULL, 0) ||
                        database_ask(database, "SELECT count(*) FROM sqlite_schema", &n_tables, NULL, 0))
                return DATABASE_E_FAILED;
        if (n_tables == 0 && version == 0)
                return database_make(database, schema);
        if (application == schema->application && version == schema->version)
                return 0;
        snprintf(database->words, sizeof database->words, "it is of another program, or of another version of benchd");
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

static int database_prepare(Database *database, const DatabaseSchema *schema) {
        database->statements = calloc(schema->n_statements, sizeof *database->statements);
        if (!database->statements)
                return error_origin(-ENOMEM);
        for (; database->n_statements < schema->n_statements; database->n_statements++)
                if (sqlite3_prepare_v3(database->sqlite, schema->statements[database->n_statements], -1,
                                    SQLITE_PREPARE_PERSISTENT, &database->statements[database->n_statements],
                                    NULL) != SQLITE_OK)
                        return database_note(database);
        return 0;
}

/* Whether to read the whole file first: it is not large, or was not closed. */
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

static int database_open(Database *database, const char *path, const DatabaseSchema *schema) {
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
                r = database_recognize(database, schema);
        return r ? r : database_prepare(database, schema);
}

int database_new(const char *path, const DatabaseSchema *schema, Database **ret_database,
                char ret_words[static DATABASE_WORDS_MAX]) {
        _cleanup_(database_freep) Database *database = NULL;
        int r;

        database = calloc(1, sizeof *database);
        if (!database)
                return error_origin(-ENOMEM);
        r = database_open(database, path, schema);
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
        for (size_t i = 0; i < database->n_statements; i++)
                sqlite3_finalize(database->statements[i]);
        free(database->statements);
        sqlite3_close(database->sqlite);
        free(database);
        return NULL;
}
