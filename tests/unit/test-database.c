/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The statements of the history: each finds its rows by an index, however many jobs there are; and the outcomes of opening it. A sound
 * file is never taken for a foreign one, whatever fails while it is opened, and a foreign one is left as it was.
 */

#include "front/history/database.h"

#include <sqlite3.h>

#include "directory.h"
#include "failing-disk.h"

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

TEST(no_statement_reads_all_jobs) {
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

TEST(a_statement_that_does_is_noticed) {
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

/* ---- a disk that fails */

/* Opens the file while operation @nth fails. Returns false where it does not have that many. */
static bool open_with_trouble(const char *path, int code, unsigned nth, bool lasting) {
        Database *database = NULL;
        char words[DATABASE_WORDS_MAX];
        sqlite3_stmt *count;
        unsigned n_done;
        int r;

        trouble_set(nth, lasting, code);
        r = database_new(path, &database, words);
        n_done = trouble.n_done;
        trouble_set(0, false, 0);
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

TEST(a_sound_file_is_never_foreign_whatever_fails) {
        static const int codes[] = { SQLITE_IOERR_READ, SQLITE_IOERR_WRITE, SQLITE_IOERR_FSYNC, SQLITE_IOERR_FSTAT,
                SQLITE_IOERR_NOMEM, SQLITE_IOERR_LOCK, SQLITE_FULL, SQLITE_NOMEM, SQLITE_CANTOPEN, SQLITE_PERM,
                SQLITE_READONLY, SQLITE_LOCKED, SQLITE_PROTOCOL, SQLITE_ERROR, SQLITE_AUTH };
        char directory[] = "/tmp/test-database-XXXXXX", path[64], words[DATABASE_WORDS_MAX];
        Database *database;

        directory_make(directory);
        snprintf(path, sizeof path, "%s/database", directory);
        assert_int_equal(database_new(path, &database, words), 0);
        add_job(database, "a");
        database_free(database);
        failing_begin();
        for (size_t i = 0; i < N_ELEMENTS(codes); i++)
                for (int lasting = 0; lasting < 2; lasting++) {
                        unsigned nth = 1;

                        while (open_with_trouble(path, codes[i], nth, lasting))
                                nth++;
                        assert_true(nth > 10);
                }
        failing_end();
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

TEST(what_is_foreign_is_left_as_it_was) {
        static const char *const rows[] = {
                "CREATE TABLE song (title TEXT); INSERT INTO song VALUES ('x');",
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
                if (i == 1) /* it claims to be ours, so it was taken */
                        continue;
                assert_int_equal(read_bytes(path, after, sizeof after), n);
                assert_memory_equal(before, after, n);
        }
        assert_int_equal(directory_remove(directory), 0);
}
