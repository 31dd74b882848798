/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The statements of the history: each finds its rows by an index, however many jobs there are; and those that wait for the disk. A sound
 * file is never taken for a foreign one, whatever fails while it is opened, and a foreign one is left as it was.
 */

#include "front/history/database.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "directory.h"
#include "util/cleanup.h"

DEFINE_CLEANUP(Database *, database_free)

static bool begins_with(const char *text, const char *beginning) {
        return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* True for a step of a plan that reads all of a table with a row a job or more, or sorts jobs. Users and files are few. */
static bool is_long(const char *step, bool of_jobs) {
        static const char *const long_steps[] = { "SCAN job", "SCAN part", "SCAN benchmark" };

        for (size_t i = 0; i < N_ELEMENTS(long_steps); i++)
                if (begins_with(step, long_steps[i]))
                        return true;
        return of_jobs && begins_with(step, "USE TEMP B-TREE FOR ORDER BY");
}

static size_t explain(sqlite3 *sqlite, const char *text) {
        char question[4096];
        sqlite3_stmt *plan;
        bool of_jobs = false;
        size_t n_long = 0;

        assert_in_range(snprintf(question, sizeof question, "EXPLAIN QUERY PLAN %s", text), 1, sizeof question - 1);
        assert_int_equal(sqlite3_prepare_v2(sqlite, question, -1, &plan, NULL), SQLITE_OK);
        while (sqlite3_step(plan) == SQLITE_ROW) {
                const char *step = (const char *)sqlite3_column_text(plan, 3);

                of_jobs |= begins_with(step, "SEARCH job") || begins_with(step, "SCAN job");
                if (is_long(step, of_jobs))
                        print_message("%s\n    %s\n", text, step);
                n_long += is_long(step, of_jobs);
        }
        sqlite3_finalize(plan);
        return n_long;
}

static void no_statement_reads_all_jobs(void **state) {
        _cleanup_(database_freep) Database *database = NULL;
        char words[DATABASE_WORDS_MAX];
        size_t n_long = 0;

        assert_int_equal(database_new(NULL, &database, words), 0);
        for (DatabaseStatement i = 0; i < _DATABASE_STATEMENTS_N; i++) {
                sqlite3_stmt *statement = database_statement(database, i);

                n_long += explain(sqlite3_db_handle(statement), sqlite3_sql(statement));
        }
        assert_int_equal(n_long, 0);
}

static void a_statement_that_does_is_noticed(void **state) {
        _cleanup_(database_freep) Database *database = NULL;
        char words[DATABASE_WORDS_MAX];
        sqlite3 *sqlite;

        assert_int_equal(database_new(NULL, &database, words), 0);
        sqlite = sqlite3_db_handle(database_statement(database, DATABASE_FIND_JOB));
        assert_int_equal(explain(sqlite, "SELECT id FROM job WHERE 1 OR uid = 2"), 1);
        assert_int_equal(explain(sqlite, "SELECT id FROM job WHERE uid = 2 ORDER BY module_name"), 1);
}

static void add_job(Database *database, const char *run_id) {
        sqlite3_stmt *add = database_statement(database, DATABASE_ADD_JOB);

        sqlite3_bind_text(add, 1, run_id, -1, SQLITE_STATIC);
        sqlite3_bind_int(add, 2, 1000);
        sqlite3_bind_int(add, 3, 1);
        sqlite3_bind_int64(add, 4, 1);
        sqlite3_bind_text(add, 5, "m.so", -1, SQLITE_STATIC);
        assert_int_equal(database_run(database, add), 0);
}

/* In place of libc's, for SQLite too. */
static unsigned n_syncs;

__attribute__((visibility("default"))) int fdatasync(int fd) {
        n_syncs++;
        return 0;
}

static unsigned count_syncs(Database *database, int (*run)(Database *database, sqlite3_stmt *statement)) {
        sqlite3_stmt *note = database_statement(database, DATABASE_NOTE_RUNNING);

        sqlite3_bind_int(note, 1, 2);
        sqlite3_bind_text(note, 2, "a", -1, SQLITE_STATIC);
        n_syncs = 0;
        assert_int_equal(run(database, note), 0);
        assert_int_equal(database_count_changed(database), 1);
        return n_syncs;
}

static void what_may_be_lost_waits_for_no_disk_and_all_else_does(void **state) {
        char directory[] = "/tmp/test-database-XXXXXX", path[64], words[DATABASE_WORDS_MAX];
        Database *database;

        directory_make(directory);
        snprintf(path, sizeof path, "%s/database", directory);
        assert_int_equal(database_new(path, &database, words), 0);
        add_job(database, "a");

        assert_true(count_syncs(database, database_run) > 0);
        assert_int_equal(count_syncs(database, database_run_unsynced), 0);
        assert_true(count_syncs(database, database_run) > 0);
        assert_int_equal(database_begin(database), 0);
        assert_int_equal(count_syncs(database, database_run_unsynced), 0);
        assert_int_equal(database_commit(database), 0);
        assert_true(n_syncs > 0);
        database_free(database);
        assert_int_equal(directory_remove(directory), 0);
}

/* ---- a disk that fails */

/* In place of SQLite's own access to files: one operation fails with a code, or all from that one on. */
static struct {
        unsigned n_done;
        unsigned nth; /* fails; 0: none */
        bool lasting;
        int code;
} trouble;

static int suffer(void) {
        trouble.n_done++;
        if (trouble.nth == 0 || trouble.n_done < trouble.nth || (trouble.n_done > trouble.nth && !trouble.lasting))
                return SQLITE_OK;
        return trouble.code;
}

typedef struct FailingFile {
        sqlite3_file base;
        sqlite3_file *real;
} FailingFile;

static sqlite3_vfs *real_vfs;

static sqlite3_file *real_of(sqlite3_file *file) {
        return ((FailingFile *)file)->real;
}

static int failing_close(sqlite3_file *file) {
        return real_of(file)->pMethods->xClose(real_of(file));
}

static int failing_read(sqlite3_file *file, void *data, int n, sqlite3_int64 offset) {
        int r = suffer();

        return r ? r : real_of(file)->pMethods->xRead(real_of(file), data, n, offset);
}

static int failing_write(sqlite3_file *file, const void *data, int n, sqlite3_int64 offset) {
        int r = suffer();

        return r ? r : real_of(file)->pMethods->xWrite(real_of(file), data, n, offset);
}

static int failing_truncate(sqlite3_file *file, sqlite3_int64 size) {
        int r = suffer();

        return r ? r : real_of(file)->pMethods->xTruncate(real_of(file), size);
}

static int failing_sync(sqlite3_file *file, int flags) {
        int r = suffer();

        return r ? r : real_of(file)->pMethods->xSync(real_of(file), flags);
}

static int failing_size(sqlite3_file *file, sqlite3_int64 *ret_size) {
        int r = suffer();

        return r ? r : real_of(file)->pMethods->xFileSize(real_of(file), ret_size);
}

static int failing_lock(sqlite3_file *file, int level) {
        int r = suffer();

        return r ? r : real_of(file)->pMethods->xLock(real_of(file), level);
}

static int failing_unlock(sqlite3_file *file, int level) {
        return real_of(file)->pMethods->xUnlock(real_of(file), level);
}

static int failing_check(sqlite3_file *file, int *ret_locked) {
        return real_of(file)->pMethods->xCheckReservedLock(real_of(file), ret_locked);
}

static int failing_control(sqlite3_file *file, int what, void *argument) {
        return real_of(file)->pMethods->xFileControl(real_of(file), what, argument);
}

static int failing_sector(sqlite3_file *file) {
        return real_of(file)->pMethods->xSectorSize(real_of(file));
}

static int failing_characteristics(sqlite3_file *file) {
        return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}

static int failing_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *ret_flags) {
        static const sqlite3_io_methods methods = {
                .iVersion = 1, /* no shared memory: the history needs none */
                .xClose = failing_close,
                .xRead = failing_read,
                .xWrite = failing_write,
                .xTruncate = failing_truncate,
                .xSync = failing_sync,
                .xFileSize = failing_size,
                .xLock = failing_lock,
                .xUnlock = failing_unlock,
                .xCheckReservedLock = failing_check,
                .xFileControl = failing_control,
                .xSectorSize = failing_sector,
                .xDeviceCharacteristics = failing_characteristics,
        };
        FailingFile *failing = (FailingFile *)file;
        int r = suffer();

        failing->base.pMethods = NULL;
        failing->real = (sqlite3_file *)(failing + 1);
        if (r == SQLITE_OK)
                r = real_vfs->xOpen(real_vfs, name, failing->real, flags, ret_flags);
        if (r == SQLITE_OK)
                failing->base.pMethods = &methods;
        return r;
}

static void failing_begin(sqlite3_vfs *failing) {
        sqlite3_initialize();
        real_vfs = sqlite3_vfs_find(NULL);
        *failing = *real_vfs;
        failing->zName = "failing";
        failing->szOsFile = (int)(sizeof(FailingFile) + real_vfs->szOsFile);
        failing->xOpen = failing_open;
        assert_int_equal(sqlite3_vfs_register(failing, 1), SQLITE_OK);
}

static void failing_end(sqlite3_vfs *failing) {
        trouble.nth = 0;
        sqlite3_vfs_unregister(failing);
        sqlite3_vfs_register(real_vfs, 1);
}

/* Opens the file while operation @nth fails. Returns false where it does not have that many. */
static bool open_with_trouble(const char *path, int code, unsigned nth, bool lasting) {
        Database *database = NULL;
        char words[DATABASE_WORDS_MAX];
        sqlite3_stmt *count;
        unsigned n_done;
        int r;

        trouble.n_done = 0;
        trouble.nth = nth;
        trouble.lasting = lasting;
        trouble.code = code;
        r = database_new(path, &database, words);
        n_done = trouble.n_done;
        trouble.nth = 0;
        if (r != 0 && r != DATABASE_E_UNAVAILABLE)
                print_message("code %d of operation %u%s: %d, %s\n", code, nth, lasting ? " on" : "", r, words);
        assert_true(r == 0 || r == DATABASE_E_UNAVAILABLE);
        database_free(database);
        assert_int_equal(database_new(path, &database, words), 0);
        count = database_statement(database, DATABASE_COUNT_JOBS);
        assert_int_equal(database_step(database, count), 1);
        assert_int_equal(sqlite3_column_int(count, 0), 1);
        database_free(database);
        return n_done >= nth;
}

static void a_sound_file_is_never_foreign_whatever_fails(void **state) {
        static const int codes[] = { SQLITE_IOERR_READ, SQLITE_IOERR_WRITE, SQLITE_IOERR_FSYNC, SQLITE_IOERR_FSTAT,
                SQLITE_IOERR_NOMEM, SQLITE_IOERR_LOCK, SQLITE_FULL, SQLITE_NOMEM, SQLITE_CANTOPEN, SQLITE_PERM,
                SQLITE_READONLY, SQLITE_LOCKED, SQLITE_PROTOCOL, SQLITE_ERROR, SQLITE_AUTH };
        char directory[] = "/tmp/test-database-XXXXXX", path[64], words[DATABASE_WORDS_MAX];
        sqlite3_vfs failing;
        Database *database;

        directory_make(directory);
        snprintf(path, sizeof path, "%s/database", directory);
        assert_int_equal(database_new(path, &database, words), 0);
        add_job(database, "a");
        database_free(database);
        failing_begin(&failing);
        for (size_t i = 0; i < N_ELEMENTS(codes); i++)
                for (int lasting = 0; lasting < 2; lasting++) {
                        unsigned nth = 1;

                        while (open_with_trouble(path, codes[i], nth, lasting))
                                nth++;
                        assert_true(nth > 10);
                }
        failing_end(&failing);
        assert_int_equal(directory_remove(directory), 0);
}

/* ---- foreign files */

static size_t read_bytes(const char *path, char *bytes, size_t n) {
        FILE *file = fopen(path, "re");
        size_t got;

        assert_non_null(file);
        got = fread(bytes, 1, n, file);
        fclose(file);
        return got;
}

/* Makes a database by @sql at @path. */
static void make_foreign(const char *path, const char *sql) {
        sqlite3 *sqlite;

        assert_int_equal(sqlite3_open(path, &sqlite), SQLITE_OK);
        assert_int_equal(sqlite3_exec(sqlite, sql, NULL, NULL, NULL), SQLITE_OK);
        sqlite3_close(sqlite);
}

static void what_is_foreign_is_left_as_it_was(void **state) {
        static const char *const rows[] = {
                "CREATE TABLE song (title TEXT); INSERT INTO song VALUES ('x');",
                "CREATE TABLE job (id INTEGER); PRAGMA application_id = 0x62636864; PRAGMA user_version = 1;",
                "CREATE TABLE job (id INTEGER); PRAGMA application_id = 0x62636864; PRAGMA user_version = 3;",
                "CREATE TABLE job (id INTEGER); PRAGMA application_id = 0x62636864; PRAGMA user_version = 99;",
                "PRAGMA journal_mode = WAL; CREATE TABLE job (id INTEGER); PRAGMA application_id = 5;",
        };
        char directory[] = "/tmp/test-database-XXXXXX", path[64], words[DATABASE_WORDS_MAX];
        static char before[1 << 20], after[1 << 20];

        directory_make(directory);
        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                Database *database = NULL;
                size_t n;

                snprintf(path, sizeof path, "%s/%zu", directory, i);
                make_foreign(path, rows[i]);
                n = read_bytes(path, before, sizeof before);
                assert_int_equal(database_new(path, &database, words), DATABASE_E_FOREIGN);
                assert_int_not_equal(words[0], 0);
                if (i == 1 || i == 2) /* it claims to be ours, so it was taken */
                        continue;
                assert_int_equal(read_bytes(path, after, sizeof after), n);
                assert_memory_equal(before, after, n);
        }
        assert_int_equal(directory_remove(directory), 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(no_statement_reads_all_jobs),
                cmocka_unit_test(a_statement_that_does_is_noticed),
                cmocka_unit_test(what_may_be_lost_waits_for_no_disk_and_all_else_does),
                cmocka_unit_test(a_sound_file_is_never_foreign_whatever_fails),
                cmocka_unit_test(what_is_foreign_is_left_as_it_was),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
