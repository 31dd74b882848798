/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/history/database.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "front/history/write-behind.h"
#include "util/cleanup.h"
#include "util/error.h"

#define DATABASE_APPLICATION 0x62636864                 /* "bchd" */
#define DATABASE_VERSION     4                          /* raised with each change of the tables */
#define DATABASE_PATIENCE_MS 5000                       /* for the lock of a daemon that is ending */
#define DATABASE_PIECE_BYTES (64 * 1024)                /* read at a time */
#define DATABASE_CHECK_BYTES ((off_t)256 * 1024 * 1024) /* a larger file is checked only after an unclean end */

/*
 * States are numbers of the protocol's JobState; 1 and 2 have no end yet. Bytes are accounted per user: a job's bytes are its results and a
 * constant for its row; a module's are whole blocks, so that many small files cost their disk space. A file has vouchers for the users who
 * submitted it. The oldest job is the one added first, whatever its clock said.
 */
#define JOB_ROW_BYTES "1024"
#define KEPT          "(pinned OR state IN (1, 2))"
#define REMOVABLE     "pinned = 0 AND state NOT IN (1, 2) AND submitted >= 0"
#define ACCOUNT_ADD(uid, column, bytes)                                                                                \
 " INSERT INTO account (uid) SELECT " uid " WHERE NOT EXISTS (SELECT 1 FROM account WHERE uid = " uid ");"             \
 " UPDATE account SET " column " = " column " + " bytes " WHERE uid = " uid ";"
#define ACCOUNT_TAKE(uid, column, bytes) " UPDATE account SET " column " = " column " - " bytes " WHERE uid = " uid ";"

/* clang-format off */
static const char database_tables[] =
                "CREATE TABLE job (id INTEGER PRIMARY KEY, run_id TEXT NOT NULL UNIQUE, uid INTEGER NOT NULL,"
                " state INTEGER NOT NULL, submitted INTEGER NOT NULL, ended INTEGER,"
                " module_name TEXT NOT NULL, commit_told BLOB, pinned INTEGER NOT NULL DEFAULT 0, verdict INTEGER,"
                " benchmarks INTEGER NOT NULL DEFAULT 0, error BLOB, result BLOB,"
                " bytes INTEGER NOT NULL DEFAULT " JOB_ROW_BYTES ");"
                "CREATE INDEX job_of_user ON job (uid, submitted);"
                "CREATE INDEX job_by_time ON job (submitted);"
                "CREATE INDEX job_without_end ON job (state) WHERE state IN (1, 2);"
                "CREATE INDEX job_kept ON job (uid) WHERE " KEPT ";"
                "CREATE INDEX job_removable_of_user ON job (uid) WHERE " REMOVABLE ";"
                "CREATE TABLE benchmark (job INTEGER NOT NULL, place INTEGER NOT NULL,"
                " result BLOB NOT NULL, PRIMARY KEY (job, place));"
                "CREATE TABLE part (job INTEGER NOT NULL, place INTEGER NOT NULL, sha256 TEXT NOT NULL,"
                " PRIMARY KEY (job, place)) WITHOUT ROWID;"
                "CREATE INDEX part_of_module ON part (sha256);"
                "CREATE TABLE module (sha256 TEXT PRIMARY KEY, bytes INTEGER NOT NULL) WITHOUT ROWID;"
                "CREATE TABLE holding (uid INTEGER NOT NULL, sha256 TEXT NOT NULL, bytes INTEGER NOT NULL,"
                " used INTEGER NOT NULL, PRIMARY KEY (uid, sha256)) WITHOUT ROWID;"
                "CREATE INDEX holding_by_use ON holding (uid, used);"
                "CREATE INDEX holding_of_module ON holding (sha256);"
                "CREATE TABLE account (uid INTEGER PRIMARY KEY, history_bytes INTEGER NOT NULL DEFAULT 0,"
                " module_bytes INTEGER NOT NULL DEFAULT 0, pinned_bytes INTEGER NOT NULL DEFAULT 0,"
                " removed_jobs INTEGER NOT NULL DEFAULT 0, removed_until INTEGER NOT NULL DEFAULT 0,"
                " jobs INTEGER NOT NULL DEFAULT 0);"
                "CREATE INDEX account_by_modules ON account (module_bytes, uid);"
                "CREATE TRIGGER job_added AFTER INSERT ON job BEGIN"
                ACCOUNT_ADD("new.uid", "history_bytes", "new.bytes") ACCOUNT_ADD("new.uid", "jobs", "1") " END;"
                "CREATE TRIGGER job_changed AFTER UPDATE OF uid, bytes ON job BEGIN"
                ACCOUNT_TAKE("old.uid", "history_bytes", "old.bytes") ACCOUNT_ADD("new.uid", "history_bytes", "new.bytes") " END;"
                "CREATE TRIGGER job_recounted AFTER UPDATE OF uid ON job BEGIN"
                ACCOUNT_TAKE("old.uid", "jobs", "1") ACCOUNT_ADD("new.uid", "jobs", "1") " END;"
                "CREATE TRIGGER job_gone AFTER DELETE ON job BEGIN"
                ACCOUNT_TAKE("old.uid", "history_bytes", "old.bytes") ACCOUNT_TAKE("old.uid", "jobs", "1") " END;"
                "CREATE TRIGGER holding_added AFTER INSERT ON holding BEGIN"
                ACCOUNT_ADD("new.uid", "module_bytes", "new.bytes") " END;"
                "CREATE TRIGGER holding_gone AFTER DELETE ON holding BEGIN"
                ACCOUNT_TAKE("old.uid", "module_bytes", "old.bytes") " END;"
                "CREATE TABLE voucher (sha256 TEXT NOT NULL, uid INTEGER NOT NULL, mac BLOB NOT NULL,"
                " PRIMARY KEY (sha256, uid)) WITHOUT ROWID;"
                "CREATE TRIGGER voucher_of_module AFTER DELETE ON module"
                " BEGIN DELETE FROM voucher WHERE sha256 = old.sha256; END;"
                "CREATE TABLE aging (jobs_left INTEGER NOT NULL, next INTEGER NOT NULL);"
                "INSERT INTO aging VALUES (0, 0);";
/* clang-format on */

#define PARTS_OF(jobs)                                                                                                 \
 "(SELECT part.sha256 FROM job JOIN part ON part.job = job.id WHERE job.uid = ?1 AND " KEPT jobs ")"

/* A time of use after all others of @uid: a clock that was set back does not make what is used now the first to go. */
#define LATEST_USE(uid, now)                                                                                           \
 "max(" now ", 1 + coalesce((SELECT max(used) FROM holding AS other WHERE other.uid = " uid "), 0))"

static const char *const database_statements[_DATABASE_STATEMENTS_N] = {
        [DATABASE_ADD_JOB] = "INSERT INTO job (run_id, uid, state, submitted, module_name, commit_told)"
                             " VALUES (?, ?, ?, ?, ?, ?)",
        [DATABASE_ADD_PART] = "INSERT INTO part (job, place, sha256) VALUES (?, ?, ?)",
        [DATABASE_ADD_BENCHMARK] = "INSERT OR REPLACE INTO benchmark (job, place, result) VALUES (?, ?, ?)",
        [DATABASE_REMOVE_BENCHMARKS] = "DELETE FROM benchmark WHERE job = ?",
        [DATABASE_REMOVE_LOST] = "DELETE FROM benchmark WHERE job IN (SELECT id FROM job WHERE state IN (1, 2))",
        [DATABASE_FIND_JOB] =
                        "SELECT id, state, CASE WHEN ended IS NULL THEN 0"
                        " ELSE (SELECT count(*) FROM benchmark WHERE job = job.id) END, uid FROM job WHERE run_id = ?",
        [DATABASE_NOTE_RUNNING] = "UPDATE job SET state = ? WHERE run_id = ?",
        [DATABASE_END_JOB] = "UPDATE job SET state = ?2, ended = ?3, verdict = ?4, benchmarks = ?5, error = ?6,"
                             " result = ?7, bytes = " JOB_ROW_BYTES " + ?8 WHERE id = ?1",
        [DATABASE_LOSE_JOBS] = "UPDATE job SET state = ?, ended = ? WHERE state IN (1, 2)",
        [DATABASE_FIND_PREFIX] =
                        "SELECT run_id FROM job WHERE run_id >= ?1 AND run_id < ?2 AND (?3 OR uid = ?4) LIMIT 2",
        [DATABASE_READ_BENCHMARK] = "SELECT result FROM benchmark WHERE job = ? AND place = ?",
        [DATABASE_READ_RESULT] = "SELECT result FROM job WHERE id = ?",
        [DATABASE_READ_ERROR] = "SELECT error FROM job WHERE id = ?",
        [DATABASE_WALK_OWN] = "SELECT id, submitted, state, module_name FROM job WHERE submitted >= ?1"
                              " AND (submitted, id) < (?2, ?3) AND uid = ?4 ORDER BY submitted DESC, id DESC",
        [DATABASE_WALK_ALL] = "SELECT id, submitted, state, module_name FROM job WHERE submitted >= ?1"
                              " AND (submitted, id) < (?2, ?3) ORDER BY submitted DESC, id DESC",
        [DATABASE_READ_ENTRY] = "SELECT run_id, state, submitted, ended, uid, module_name, part.sha256, module.sha256,"
                                " pinned, verdict, benchmarks, error, commit_told FROM job"
                                " LEFT JOIN part ON part.job = job.id AND part.place = 0"
                                " LEFT JOIN module ON module.sha256 = part.sha256 WHERE job.id = ?",
        [DATABASE_PIN_JOB] = "UPDATE job SET pinned = ?2 WHERE run_id = ?1",
        [DATABASE_HOLD_PINNED] = "INSERT INTO holding (uid, sha256, bytes, used)"
                                 " SELECT DISTINCT job.uid, module.sha256, (module.bytes + 4095) / 4096 * 4096, ?2"
                                 " FROM job JOIN part ON part.job = job.id JOIN module ON module.sha256 = part.sha256"
                                 " WHERE run_id = ?1 AND NOT EXISTS (SELECT 1 FROM holding"
                                 " WHERE holding.uid = job.uid AND holding.sha256 = module.sha256)",
        [DATABASE_SUM_PINNED] = "SELECT (SELECT count(*) FROM job WHERE uid = ?1 AND " KEPT " AND pinned),"
                                " (SELECT coalesce(sum(bytes), 0) FROM job WHERE uid = ?1 AND " KEPT " AND pinned),"
                                " (SELECT coalesce(sum(bytes), 0) FROM holding WHERE uid = ?1 AND sha256 IN " PARTS_OF(
                                                " AND pinned") ")",
        [DATABASE_NOTE_PINNED] = "UPDATE account SET pinned_bytes = ?2 WHERE uid = ?1",
        [DATABASE_ALL_PINNED] = "SELECT coalesce(sum(pinned_bytes), 0) FROM account",
        [DATABASE_WALK_OLDEST] = "SELECT id, run_id, uid, submitted, " REMOVABLE " FROM job"
                                 " WHERE id > ?1 AND submitted >= 0 ORDER BY id",
        [DATABASE_FIND_NEWEST] = "SELECT max(submitted) FROM job WHERE submitted BETWEEN 0 AND ?1",
        [DATABASE_COUNT_JOBS] = "SELECT coalesce(sum(jobs), 0) FROM account WHERE uid >= 0",
        [DATABASE_READ_AGING] = "SELECT jobs_left, next FROM aging",
        [DATABASE_NOTE_AGING] = "UPDATE aging SET jobs_left = ?1, next = ?2",
        [DATABASE_FIND_GREEDY] = "SELECT uid FROM account WHERE uid > ?1 AND history_bytes > ?2 ORDER BY uid LIMIT 1",
        [DATABASE_FIND_OLDEST] = "SELECT id, run_id, uid, submitted FROM job INDEXED BY job_removable_of_user"
                                 " WHERE uid = ?1 AND " REMOVABLE " ORDER BY id",
        [DATABASE_MARK_REMOVED] =
                        "UPDATE job SET run_id = 'removed-' || id, uid = -1, submitted = -1, module_name = '',"
                        " commit_told = NULL, error = NULL, result = NULL WHERE id = ?",
        [DATABASE_NOTE_REMOVED] = "UPDATE account SET removed_jobs = removed_jobs + 1,"
                                  " removed_until = max(removed_until, ?2) WHERE uid = ?1",
        [DATABASE_FIND_REMOVED] = "SELECT id FROM job WHERE submitted = -1 LIMIT 1",
        [DATABASE_SIZE_REMOVED] = "SELECT place, length(result) FROM benchmark WHERE job = ?1 ORDER BY place LIMIT ?2",
        [DATABASE_TRIM_REMOVED] = "DELETE FROM benchmark WHERE job = ?1 AND place <= ?2",
        [DATABASE_TRIM_PARTS] = "DELETE FROM part WHERE job = ?",
        [DATABASE_TRIM_JOB] = "DELETE FROM job WHERE id = ?",
        [DATABASE_READ_ACCOUNT] = "SELECT history_bytes, module_bytes, pinned_bytes, removed_jobs, removed_until"
                                  " FROM account WHERE uid = ?",
        [DATABASE_NEXT_ACCOUNT] = "SELECT uid FROM account WHERE uid > ? AND (history_bytes > 0 OR module_bytes > 0)"
                                  " ORDER BY uid LIMIT 1",
        [DATABASE_ALL_REMOVED] = "SELECT coalesce(sum(removed_jobs), 0), coalesce(max(removed_until), 0) FROM account",
        [DATABASE_HAS_MODULE] = "SELECT 1 FROM job JOIN part ON part.job = job.id AND part.place = 0"
                                " JOIN module ON module.sha256 = part.sha256 WHERE run_id = ?",
        [DATABASE_ADD_MODULE] = "INSERT OR REPLACE INTO module (sha256, bytes) VALUES (?, ?)",
        [DATABASE_REMOVE_MODULE] = "DELETE FROM module WHERE sha256 = ?",
        [DATABASE_SUM_MODULES] = "SELECT coalesce(sum(bytes), 0) FROM module",
        [DATABASE_NEXT_MODULE] = "SELECT sha256, bytes FROM module WHERE sha256 > ? ORDER BY sha256 LIMIT 1",
        [DATABASE_HOLD_MODULE] = "INSERT INTO holding (uid, sha256, bytes, used)"
                                 " VALUES (?1, ?2, (?3 + 4095) / 4096 * 4096, " LATEST_USE("?1", "?4") ")",
        [DATABASE_USE_HOLDING] = "UPDATE holding SET used = " LATEST_USE("?1", "?3") " WHERE uid = ?1 AND sha256 = ?2",
        [DATABASE_USE_MODULE] = "UPDATE holding SET used = " LATEST_USE("holding.uid", "?2") " WHERE sha256 = ?1",
        [DATABASE_END_HOLDING] = "DELETE FROM holding WHERE uid = ?1 AND sha256 = ?2",
        [DATABASE_END_HOLDINGS] = "DELETE FROM holding WHERE sha256 = ?1",
        [DATABASE_IS_HELD] = "SELECT 1 FROM holding WHERE sha256 = ?1 AND (uid = ?2 OR ?2 IS NULL) LIMIT 1",
        [DATABASE_ADOPT_MODULE] = "INSERT INTO holding (uid, sha256, bytes, used)"
                                  " SELECT DISTINCT job.uid, ?1, (?2 + 4095) / 4096 * 4096, ?3 FROM part"
                                  " JOIN job ON job.id = part.job WHERE part.sha256 = ?1 AND job.submitted >= 0",
        [DATABASE_OLDEST_HOLDING] = "SELECT sha256, bytes FROM holding WHERE uid = ?1 AND sha256 NOT IN " PARTS_OF(
                        "") " ORDER BY used LIMIT 1",
        [DATABASE_LARGEST_HOLDER] = "SELECT uid, module_bytes FROM account WHERE module_bytes > ?1"
                                    " AND (module_bytes, uid) < (?2, ?3) ORDER BY module_bytes DESC, uid DESC LIMIT 1",
        [DATABASE_FIND_MODULE] = "SELECT sha256, bytes FROM module WHERE sha256 = ?",
        [DATABASE_ADD_VOUCHER] = "INSERT OR REPLACE INTO voucher (sha256, uid, mac) SELECT ?1, ?2, ?3"
                                 " WHERE EXISTS (SELECT 1 FROM module WHERE sha256 = ?1)",
        [DATABASE_FIND_VOUCHER] = "SELECT uid, mac FROM voucher WHERE sha256 = ?1 AND (uid = ?2 OR ?2 = 0)"
                                  " ORDER BY uid = ?2 DESC LIMIT 1",
};

struct Database {
        WriteBehind *behind; /* NULL: it is in memory */
        char *path;
        sqlite3 *sqlite;
        sqlite3_stmt *statements[_DATABASE_STATEMENTS_N];
        int code;          /* SQLite's, of the last failure */
        uint64_t n_losses; /* times that the disk did not take what was written */
        bool broken;       /* the file could not be opened anew after one */
        char words[DATABASE_WORDS_MAX];
};

/* SQLite's messages are for programmers: failures that an administrator can fix get our own words. */
static const char *failure_words(int code, const char *otherwise) {
        static const struct {
                int code;
                const char *words;
        } rows[] = {
                { SQLITE_FULL, "no space is left in the state directory" },
                { SQLITE_IOERR, "the disk of the state directory does not read or write (see dmesg)" },
                { SQLITE_READONLY, "the state directory or history.db in it cannot be written" },
                { SQLITE_BUSY, "another process holds history.db in the state directory" },
                { SQLITE_NOMEM, "benchd has no memory left for it" },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                if (rows[i].code == (code & 0xff))
                        return rows[i].words;
        return otherwise;
}

static int database_note(Database *database) {
        database->code = sqlite3_errcode(database->sqlite);
        snprintf(database->words, sizeof database->words, "%s",
                        failure_words(database->code, sqlite3_errmsg(database->sqlite)));
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

/* Reads all of one of the database's files, as SQLite reads it. Returns 0, or E_FAILED where the disk does not give it. */
static int database_read_through(Database *database, int which) {
        _cleanup_(freep) char *piece = malloc(DATABASE_PIECE_BYTES);
        sqlite3_file *file = NULL;
        sqlite3_int64 size = 0;
        int r = piece ? SQLITE_OK : SQLITE_NOMEM;

        if (r == SQLITE_OK)
                r = sqlite3_file_control(database->sqlite, "main", which, &file);
        if (r == SQLITE_OK && !file->pMethods)
                return 0; /* there is no such file */
        if (r == SQLITE_OK)
                r = file->pMethods->xFileSize(file, &size);
        for (sqlite3_int64 at = 0; r == SQLITE_OK && at < size; at += DATABASE_PIECE_BYTES)
                r = file->pMethods->xRead(file, piece, DATABASE_PIECE_BYTES, at);
        if (r == SQLITE_OK || r == SQLITE_IOERR_SHORT_READ)
                return 0;
        database->code = r & 0xff;
        snprintf(database->words, sizeof database->words, "%s", failure_words(r, sqlite3_errstr(r)));
        return DATABASE_E_FAILED;
}

static bool database_can_be_read(Database *database) {
        return database_read_through(database, SQLITE_FCNTL_FILE_POINTER) == 0 &&
               database_read_through(database, SQLITE_FCNTL_JOURNAL_POINTER) == 0;
}

/* True if a new database takes every statement: then a database that lacks a table or a column is not ours. */
static bool statements_are_sound(void) {
        char words[DATABASE_WORDS_MAX];
        Database *fresh;

        if (database_new(NULL, &fresh, words))
                return false;
        database_free(fresh);
        return true;
}

/* The last failure as an outcome of opening. Whatever may be different at the next start says nothing of the file. */
static int database_judge(Database *database) {
        switch (database->code) {
        case SQLITE_NOTADB:
        case SQLITE_CORRUPT:
                return DATABASE_E_FOREIGN;
        case SQLITE_ERROR:
                return database->path && database_can_be_read(database) && statements_are_sound()
                                       ? DATABASE_E_FOREIGN
                                       : DATABASE_E_UNAVAILABLE;
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

/* Prepares to read a file. Nothing of it is changed. */
static int database_configure(Database *database) {
        sqlite3_busy_timeout(database->sqlite, DATABASE_PATIENCE_MS);
        sqlite3_db_config(database->sqlite, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
        sqlite3_db_config(database->sqlite, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
        sqlite3_db_config(database->sqlite, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        return database_execute(database, "PRAGMA locking_mode = EXCLUSIVE; PRAGMA temp_store = MEMORY;"
                                          "PRAGMA cell_size_check = ON");
}

/* The file is ours: it gets its log, is locked, and is written from here on. */
static int database_take(Database *database) {
        int r;

        r = database_execute(database,
                        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE; COMMIT");
        if (r == 0)
                sqlite3_db_config(database->sqlite, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
        return r;
}

static int database_make_tables(Database *database) {
        char text[128];

        snprintf(text, sizeof text, "PRAGMA application_id = %d; PRAGMA user_version = %d", DATABASE_APPLICATION,
                        DATABASE_VERSION);
        if (database_begin(database))
                return DATABASE_E_FAILED;
        if (database_execute(database, database_tables) || database_execute(database, text)) {
                database_rollback(database);
                return DATABASE_E_FAILED;
        }
        return database_commit(database) ? DATABASE_E_FAILED : 0;
}

/* Returns 0 if the file is ours, or a new one, E_FOREIGN if not, or E_FAILED. */
static int database_recognize(Database *database, bool *ret_new) {
        int application, version, n_tables;

        if (database_ask(database, "PRAGMA application_id", &application, NULL, 0) ||
                        database_ask(database, "PRAGMA user_version", &version, NULL, 0) ||
                        database_ask(database, "SELECT count(*) FROM sqlite_schema", &n_tables, NULL, 0))
                return DATABASE_E_FAILED;
        *ret_new = n_tables == 0 && version == 0;
        if (*ret_new || (application == DATABASE_APPLICATION && version == DATABASE_VERSION))
                return 0;
        snprintf(database->words, sizeof database->words,
                        "it belongs to another program, or to another version of benchd");
        return DATABASE_E_FOREIGN;
}

/* Checks the whole file. A page that the disk does not give counts as a damaged one for SQLite. Returns 0, E_FOREIGN, or E_FAILED. */
static int database_check(Database *database) {
        char verdict[DATABASE_WORDS_MAX];

        if (database_ask(database, "PRAGMA quick_check(1)", NULL, verdict, sizeof verdict))
                return DATABASE_E_FAILED;
        if (strcmp(verdict, "ok") == 0)
                return 0;
        if (!database_can_be_read(database))
                return DATABASE_E_FAILED;
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

/* Reads the file, changing nothing, and takes it only where it is ours. Returns 0, E_FOREIGN, or E_FAILED. */
static int database_load(Database *database, bool check) {
        bool new;
        int r;

        r = database_configure(database);
        if (r == 0 && check)
                r = database_check(database);
        if (r == 0)
                r = database_recognize(database, &new);
        if (r == 0)
                r = database_take(database);
        if (r == 0 && new)
                r = database_make_tables(database);
        return r ? r : database_prepare(database);
}

static int database_open(Database *database, bool check) {
        int r;

        r = sqlite3_open_v2(database->path ? database->path : ":memory:", &database->sqlite,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                        database->behind ? write_behind_vfs_name(database->behind) : NULL);
        if (!database->sqlite) {
                database->code = r;
                snprintf(database->words, sizeof database->words, "%s", failure_words(r, sqlite3_errstr(r)));
                return DATABASE_E_UNAVAILABLE;
        }
        r = r == SQLITE_OK ? database_load(database, check) : database_note(database);
        return r == DATABASE_E_FAILED ? database_judge(database) : r;
}

/* Closes it as it is, with what was written to the log left there. */
static void database_drop(Database *database) {
        for (size_t i = 0; i < _DATABASE_STATEMENTS_N; i++) {
                sqlite3_finalize(database->statements[i]);
                database->statements[i] = NULL;
        }
        sqlite3_close(database->sqlite);
        database->sqlite = NULL;
}

/* All that opening has written is on the disk; else the file cannot be written for now. */
static int database_await(Database *database) {
        int code;

        if (!database->behind)
                return 0;
        write_behind_wait(database->behind);
        code = write_behind_failure(database->behind);
        if (code == SQLITE_OK)
                return 0;
        snprintf(database->words, sizeof database->words, "%s", failure_words(code, sqlite3_errstr(code)));
        return DATABASE_E_UNAVAILABLE;
}

static int database_try(const char *path, Database **ret_database, char ret_words[static DATABASE_WORDS_MAX]) {
        _cleanup_(database_freep) Database *database = NULL;
        int r;

        database = calloc(1, sizeof *database);
        if (!database)
                return error_origin(-ENOMEM);
        if (path) {
                database->path = strdup(path);
                r = database->path ? write_behind_new(&database->behind) : error_origin(-ENOMEM);
                if (r)
                        return error_trace(r);
        }
        r = database_open(database, database_wants_check(path));
        if (r == 0)
                r = database_await(database);
        if (r) {
                memcpy(ret_words, database->words, sizeof database->words);
                return r;
        }
        *ret_database = take_pointer(database);
        return 0;
}

int database_new(const char *path, Database **ret_database, char ret_words[static DATABASE_WORDS_MAX]) {
        int r;

        r = database_try(path, ret_database, ret_words);
        if (r == DATABASE_E_FOREIGN) /* a disk error is not a reason to set a history aside */
                r = database_try(path, ret_database, ret_words);
        return error_trace(r);
}

Database *database_free(Database *database) {
        if (!database)
                return NULL;
        database_drop(database);
        write_behind_free(database->behind);
        free(database->path);
        free(database);
        return NULL;
}

/* ---- the disk */

uint64_t database_ticket(const Database *database) {
        return database->behind ? write_behind_ticket(database->behind) : 0;
}

uint64_t database_synced(const Database *database) {
        return database->behind ? write_behind_synced(database->behind) : 0;
}

int database_event_fd(const Database *database) {
        return database->behind ? write_behind_event_fd(database->behind) : -1;
}

int database_sync_file(Database *database, int fd) {
        if (database->behind)
                return error_trace(write_behind_sync(database->behind, fd));
        return fdatasync(fd) < 0 ? error_origin(-errno) : 0;
}

int database_rename_file(Database *database, int directory_fd, const char *from, const char *to) {
        if (database->behind)
                return error_trace(write_behind_rename(database->behind, directory_fd, from, to));
        return renameat(directory_fd, from, directory_fd, to) < 0 || fsync(directory_fd) < 0 ? error_origin(-errno) : 0;
}

void database_wait(Database *database) {
        if (database->behind)
                write_behind_wait(database->behind);
}

/* Opens the file anew, as the disk has it; where that fails too, one in memory goes on. */
static void database_reopen(Database *database) {
        char words[DATABASE_WORDS_MAX];

        memcpy(words, database->words, sizeof words);
        sqlite3_db_config(database->sqlite, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        database_drop(database);
        write_behind_forget_failure(database->behind);
        database->broken = database_open(database, false) != 0;
        if (database->broken) {
                database_drop(database);
                database->behind = write_behind_free(database->behind);
                free(database->path);
                database->path = NULL;
                (void)database_open(database, false);
        }
        memcpy(database->words, words, sizeof words);
}

int database_settle(Database *database) {
        eventfd_t n;
        int code;

        if (!database->behind)
                return 0;
        (void)eventfd_read(database_event_fd(database), &n);
        code = write_behind_failure(database->behind);
        if (code == SQLITE_OK)
                return 0;
        snprintf(database->words, sizeof database->words, "%s", failure_words(code, sqlite3_errstr(code)));
        database->n_losses++;
        database_reopen(database);
        return DATABASE_E_FAILED;
}

uint64_t database_losses(const Database *database) {
        return database->n_losses;
}

bool database_is_broken(const Database *database) {
        return database->broken;
}
