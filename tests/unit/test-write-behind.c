/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A database whose disk is slow is written at once for who reads it, and is on the disk when its ticket says so. Whatever change fails, what was
 * said to be synced is there, the rest is told as lost, and the database goes on.
 */

#include "front/history/write-behind.h"

#include "directory.h"
#include "failing-disk.h"
#include "front/history/database.h"

#define JOBS 40u

static char directory[] = "benchd-test-XXXXXX";
static char path[64];
static Database *database;

static void open_database(void) {
        char words[DATABASE_WORDS_MAX];
        sqlite3_stmt *any;

        assert_int_equal(database_new(path, &database, words), 0);
        any = database_statement(database, DATABASE_FIND_JOB);
        sqlite3_wal_autocheckpoint(sqlite3_db_handle(any), 8); /* pages: the log begins anew every few jobs */
}

static int set_up(void **state) {
        directory_make(directory);
        snprintf(path, sizeof path, "%s/history.db", directory);
        failing_begin();
        open_database();
        return 0;
}

static int tear_down(void **state) {
        trouble_hold(false);
        database = database_free(database);
        failing_end();
        return directory_remove(directory);
}

TEST_EACH(set_up, tear_down)

static int add_job(unsigned number) {
        sqlite3_stmt *add = database_statement(database, DATABASE_ADD_JOB);
        char run_id[33];

        snprintf(run_id, sizeof run_id, "%032u", number);
        sqlite3_bind_text(add, 1, run_id, -1, SQLITE_TRANSIENT);
        sqlite3_bind_int(add, 2, 1000);
        sqlite3_bind_int(add, 3, 3);
        sqlite3_bind_int64(add, 4, number + 1);
        sqlite3_bind_text(add, 5, "m.so", -1, SQLITE_STATIC);
        return database_run(database, add);
}

static bool has_job(unsigned number) {
        sqlite3_stmt *find = database_statement(database, DATABASE_FIND_JOB);
        char run_id[33];
        int r;

        snprintf(run_id, sizeof run_id, "%032u", number);
        sqlite3_bind_text(find, 1, run_id, -1, SQLITE_TRANSIENT);
        r = database_step(database, find);
        sqlite3_reset(find);
        assert_true(r >= 0);
        return r > 0;
}

TEST(whoever_reads_does_not_wait_and_the_ticket_does) {
        uint64_t ticket;

        trouble_hold(true);
        for (unsigned i = 0; i < JOBS; i++)
                assert_int_equal(add_job(i), 0);
        ticket = database_ticket(database);
        for (unsigned i = 0; i < JOBS; i++)
                assert_true(has_job(i));
        assert_false(has_job(JOBS));
        assert_true(database_synced(database) < ticket);
        trouble_hold(false);
        database_wait(database);
        assert_int_equal(database_settle(database), 0);
        assert_true(database_synced(database) >= ticket);
        database_free(database);
        open_database();
        for (unsigned i = 0; i < JOBS; i++)
                assert_true(has_job(i));
}

/* Fails the change @nth of JOBS jobs, for once or from then on. Returns false where there are fewer. */
static bool fail_at(unsigned nth, bool lasting, unsigned first) {
        uint64_t tickets[JOBS];
        unsigned n_synced = 0, n_added = 0;
        bool failed;

        trouble_set(nth, lasting, SQLITE_IOERR_WRITE);
        for (unsigned i = 0; i < JOBS && add_job(first + i) == 0; i++) {
                tickets[n_added++] = database_ticket(database);
                if (i % 4 == 0)
                        database_wait(database);
        }
        database_wait(database);
        while (n_synced < n_added && database_synced(database) >= tickets[n_synced])
                n_synced++;
        failed = trouble.n_done >= nth;
        trouble_set(0, false, 0);
        assert_int_equal(database_settle(database), failed ? DATABASE_E_FAILED : 0);
        assert_int_equal(failed, n_synced < JOBS);
        for (unsigned i = 0; i < n_synced; i++)
                assert_true(has_job(first + i));
        assert_false(database_is_broken(database));
        return failed;
}

TEST(what_is_synced_is_there_whatever_change_fails) {
        unsigned first = 0;

        trouble.changes_only = true;
        for (int lasting = 0; lasting < 2; lasting++) {
                unsigned nth = 1;

                while (fail_at(nth, lasting, first)) {
                        nth += 1 + nth / 16; /* each of the first, and ever fewer of those that repeat them */
                        first += JOBS;
                        assert_int_equal(add_job(first), 0); /* it goes on */
                        database_wait(database);
                        assert_int_equal(database_settle(database), 0);
                        assert_true(has_job(first++));
                }
                first += JOBS;
                assert_true(nth > 4 * JOBS); /* those of the checkpoints too */
        }
        trouble.changes_only = false;
}

/* The changes that wait are bounded: beyond that, a write fails as on a disk that does not write. */
TEST(what_waits_is_bounded) {
        static const char megabyte[1 << 20];
        size_t n = 0;
        int r = 0;

        trouble_hold(true);
        while (r == 0 && n < 2 * (WRITE_BEHIND_BYTES_MAX >> 20)) {
                sqlite3_stmt *add = database_statement(database, DATABASE_ADD_BENCHMARK);

                sqlite3_bind_int64(add, 1, 1);
                sqlite3_bind_int64(add, 2, n++);
                sqlite3_bind_blob(add, 3, megabyte, sizeof megabyte, SQLITE_STATIC);
                r = database_run(database, add);
        }
        assert_int_equal(r, DATABASE_E_FAILED);
        assert_true(n > (WRITE_BEHIND_BYTES_MAX >> 22));
        assert_non_null(strstr(database_words(database), "does not read or write"));
        trouble_hold(false);
        database_wait(database);
        assert_int_equal(database_settle(database), 0);
        assert_int_equal(add_job(1), 0);
        assert_true(has_job(1));
}

TEST(a_file_beside_is_synced_and_named_before_what_comes_later) {
        _cleanup_(fd_closep) int at = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        _cleanup_(fd_closep) int file = openat(at, "draft", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

        trouble_hold(true);
        assert_int_equal(add_job(1), 0); /* the thread waits with this */
        assert_int_equal(database_sync_file(database, file), 0);
        assert_int_equal(database_rename_file(database, at, "draft", "module"), 0);
        assert_int_equal(faccessat(at, "draft", F_OK, 0), 0);
        trouble_hold(false);
        database_wait(database);
        assert_int_equal(faccessat(at, "module", F_OK, 0), 0);
        assert_int_equal(database_rename_file(database, at, "missing", "other"), 0);
        (void)add_job(2);
        database_wait(database);
        assert_int_equal(database_settle(database), DATABASE_E_FAILED);
        assert_true(has_job(1) && !has_job(2));
}
