/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The statements of the history: each finds its rows by an index, however many jobs there are; and those that wait for the disk.
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
        sqlite3_stmt *add;

        directory_make(directory);
        snprintf(path, sizeof path, "%s/database", directory);
        assert_int_equal(database_new(path, &database, words), 0);
        add = database_statement(database, DATABASE_ADD_JOB);
        sqlite3_bind_text(add, 1, "a", -1, SQLITE_STATIC);
        sqlite3_bind_int(add, 2, 1000);
        sqlite3_bind_int(add, 3, 1);
        sqlite3_bind_int64(add, 4, 1);
        sqlite3_bind_text(add, 5, "m.so", -1, SQLITE_STATIC);
        assert_int_equal(database_run(database, add), 0);

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

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(no_statement_reads_all_jobs),
                cmocka_unit_test(a_statement_that_does_is_noticed),
                cmocka_unit_test(what_may_be_lost_waits_for_no_disk_and_all_else_does),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
