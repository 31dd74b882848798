/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Jobs go by their age, slowly and by no clock alone, and the oldest of a user who has more than one may; never one that is pinned, under way or being read. A job that
 * goes is gone at once for all who ask, and leaves nothing in the end; a history of the first version is brought over whole.
 */

#include "front/history/retention.h"

#include <sqlite3.h>

#include "front/history/database.h"
#include "front/history/job-list.h"
#include "kept-history.h"

#define DAY_NS (UINT64_C(86400) * 1000000000)
#define NOW    (UINT64_C(20000) * DAY_NS)
#define ALICE  1000u
#define BOB    1001u
#define ROW    1024u /* bytes that a job counts for beside its results */

static Retention *retention;
static SealedModule *module;
static RetentionClock now;

static void limit(uint64_t keep_days, uint64_t user_bytes) {
        const RetentionLimits limits = {
                .keep_ns = keep_days * DAY_NS,
                .user_bytes = user_bytes,
                .module_bytes = 1 << 20,
                .module_user_bytes = 1 << 20,
        };

        retention = retention_free(retention);
        assert_int_equal(retention_new(history, &limits, &retention), 0);
}

static int set_up(void **state) {
        now = (RetentionClock){ NOW, true };
        directory_make(directory);
        shares_make();
        module = module_of("text", 4);
        kept_history_make(directory, NOW);
        limit(10, UINT64_C(1) << 40);
        return 0;
}

static int tear_down(void **state) {
        retention = retention_free(retention);
        module = sealed_module_free(module);
        return kept_history_remove();
}

TEST_EACH(set_up, tear_down)

/* A job of @uid, @days old, with @n benchmarks of about @bytes each. Returns its run_id, until the next but 15. */
static const char *add(uid_t uid, uint64_t days, size_t n, size_t bytes, bool ended) {
        static char run_ids[16][RUN_ID_BYTES];
        static size_t at;
        _cleanup_(job_record_freep) JobRecord *record = NULL;
        Benchd__BenchmarkResult benchmark = BENCHD__BENCHMARK_RESULT__INIT;
        Benchd__RunResult result = BENCHD__RUN_RESULT__INIT;
        _cleanup_(arena_freep) Arena *arena = NULL;
        char *title = calloc(1, bytes + 1);

        memset(title, 'x', bytes);
        benchmark.title = title;
        assert_int_equal(arena_new(&arena), 0);
        assert_int_equal(job_record_new(history, shares, uid, "m.so", NULL, NOW - days * DAY_NS, &record), 0);
        job_record_accept(record, module);
        for (size_t i = 0; i < n; i++)
                assert_int_equal(job_record_add(record, &benchmark), 0);
        if (ended)
                assert_int_equal(job_record_end_result(record, arena, &result, false, NOW), 0);
        free(title);
        return strcpy(run_ids[at++ % 16], record->run_id);
}

/* Removes all that is to be removed; returns the number of slices. */
static size_t trim(void) {
        size_t n = 0;
        int r;

        while ((r = retention_trim(retention, now)) == RETENTION_E_MORE)
                n++;
        assert_int_equal(r, 0);
        return n;
}

static bool is_there(const char *run_id) {
        HistoryJob job;
        int r;

        r = history_read(history, run_id, &job);
        assert_true(r == 0 || r == HISTORY_E_NOT_FOUND);
        return r == 0;
}

static int64_t ask(const char *query) {
        sqlite3 *sqlite;
        sqlite3_stmt *statement;
        char path[128];
        int64_t number;

        history = history_free(history); /* it has the file alone */
        snprintf(path, sizeof path, "%s/history.db", directory);
        assert_int_equal(sqlite3_open(path, &sqlite), SQLITE_OK);
        assert_int_equal(sqlite3_prepare_v2(sqlite, query, -1, &statement, NULL), SQLITE_OK);
        assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
        number = sqlite3_column_int64(statement, 0);
        sqlite3_finalize(statement);
        sqlite3_close(sqlite);
        kept_history_make(directory, NOW);
        return number;
}

static bool pin_it(const char *run_id, bool pinned) {
        char words[RETENTION_WORDS_MAX];
        bool stored;
        int r;

        r = retention_pin(retention, run_id, pinned, NOW, &stored, words);
        assert_true(r == 0 || r == RETENTION_E_FULL);
        return r == 0;
}

TEST(a_job_goes_when_it_is_older_than_is_kept) {
        const char *old = add(ALICE, 11, 1, 10, true), *bobs = add(BOB, 12, 0, 0, true);
        const char *young = add(ALICE, 10, 1, 10, true), *newest = add(ALICE, 0, 0, 0, true);
        RetentionUse use;
        uint64_t until_ns;

        trim();
        assert_false(is_there(old));
        assert_true(is_there(young) && is_there(newest));
        retention_read_use(retention, ALICE, &use);
        assert_int_equal(use.removed_jobs, 1);
        assert_int_equal(use.removed_until_unix_ns, NOW - 11 * DAY_NS);
        retention_read_use(retention, BOB, &use);
        assert_int_equal(use.removed_jobs, 0);
        assert_true(is_there(bobs)); /* another tenth's */
        now.now_unix_ns += 10 * DAY_NS;
        trim(); /* all that Bob had */
        assert_int_equal(retention_count_removed(retention, &until_ns), 2);
        assert_int_equal(until_ns, NOW - 11 * DAY_NS);
        assert_int_equal(trim(), 0);
}

TEST(who_has_too_much_loses_the_oldest_and_nobody_else_anything) {
        const char *first = add(ALICE, 5, 1, 6000, true), *second = add(ALICE, 4, 1, 6000, true);
        const char *bobs = add(BOB, 9, 1, 6000, true), *third = add(ALICE, 3, 1, 6000, true);
        RetentionUse use;

        limit(10, 2 * (6000 + 2 * ROW));
        trim();
        assert_false(is_there(first));
        assert_true(is_there(second) && is_there(third) && is_there(bobs));
        retention_read_use(retention, ALICE, &use);
        assert_true(use.history_bytes >= 2 * (6000 + ROW) && use.history_bytes <= 2 * (6000 + 2 * ROW));
}

TEST(what_is_pinned_under_way_or_being_read_stays) {
        const char *pinned = add(ALICE, 20, 1, 10, true), *running = add(ALICE, 19, 0, 0, false);
        const char *read = add(ALICE, 18, 1, 10, true), *over = add(ALICE, 17, 1, 10, true);
        RetentionReader reader;

        add(ALICE, 0, 0, 0, true);
        assert_true(pin_it(pinned, true));
        retention_reader_begin(retention, &reader, read);
        trim();
        assert_true(is_there(pinned) && is_there(running) && is_there(read));
        assert_false(is_there(over));
        retention_reader_end(&reader);
        now.now_unix_ns += 10 * DAY_NS;
        trim();
        assert_false(is_there(read));
        assert_true(pin_it(pinned, false));
        now.now_unix_ns += 10 * DAY_NS;
        trim();
        assert_false(is_there(pinned));
        assert_true(is_there(running));
}

TEST(pins_take_half_of_what_a_user_may_have) {
        const char *first = add(ALICE, 3, 1, 4000, true), *second = add(ALICE, 2, 1, 4000, true);

        limit(10, 2 * (4000 + 2 * ROW));
        assert_true(pin_it(first, true));
        assert_false(pin_it(second, true));
        assert_true(pin_it(first, false));
        assert_true(pin_it(second, true));
        assert_true(pin_it(second, true)); /* once more is no more */
}

TEST(no_user_pins_jobs_without_end) {
        char oldest[RUN_ID_BYTES];

        kept_history_make(NULL, NOW); /* in memory, since each pin is written at once */
        limit(10, UINT64_C(1) << 40);
        strcpy(oldest, add(ALICE, 0, 0, 0, true));
        for (size_t i = 0; i < RETENTION_PINS_MAX; i++)
                assert_true(pin_it(add(ALICE, 0, 0, 0, true), true));
        assert_false(pin_it(oldest, true));
}

TEST(a_large_job_goes_in_slices_and_leaves_nothing) {
        const char *large = add(ALICE, 11, 200, 50000, true), *other = add(ALICE, 1, 3, 10, true);

        add(ALICE, 0, 0, 0, true);
        assert_int_equal(retention_trim(retention, now), RETENTION_E_MORE);
        assert_false(is_there(large)); /* hidden with the first */
        assert_true(trim() >= 200 * 50000 / RETENTION_SLICE_BYTES);
        assert_int_equal(ask("SELECT count(*) FROM benchmark"), 3);
        assert_int_equal(ask("SELECT count(*) FROM part"), 2);
        assert_int_equal(ask("SELECT count(*) FROM job"), 2);
        assert_int_equal(ask("SELECT sum(history_bytes) FROM account"), ask("SELECT sum(bytes) FROM job"));
        assert_true(is_there(other));
}

TEST(what_is_half_removed_when_the_daemon_ends_goes_later) {
        add(ALICE, 11, 200, 50000, true);
        add(ALICE, 0, 0, 0, true);
        assert_int_equal(retention_trim(retention, now), RETENTION_E_MORE);
        assert_int_equal(retention_trim(retention, now), RETENTION_E_MORE);
        kept_history_make(directory, NOW);
        limit(10, UINT64_C(1) << 40);
        assert_int_equal(history_trouble(history)[0], 0);
        trim();
        assert_int_equal(ask("SELECT count(*) FROM benchmark") + ask("SELECT count(*) FROM job"), 1);
}

static size_t count_listed(HistoryViewer viewer) {
        Benchd__HistoryRequest request = BENCHD__HISTORY_REQUEST__INIT;
        _cleanup_(job_list_freep) JobList *list = NULL;

        assert_int_equal(job_list_new(history, &request, &viewer, &list), 0);
        assert_int_equal(job_list_step(list, NULL), 0);
        return job_list_entries(list)->n_entries;
}

TEST(a_removed_job_is_in_no_list) {
        const HistoryViewer all = { .all = true }, alice = { .uid = ALICE };

        add(ALICE, 11, 200, 50000, true);
        add(ALICE, 0, 0, 0, true);
        assert_int_equal(count_listed(all), 2);
        assert_int_equal(retention_trim(retention, now), RETENTION_E_MORE);
        assert_int_equal(count_listed(all), 1);
        assert_int_equal(count_listed(alice), 1);
}

/* ---- clocks that are wrong */

/* Ends the daemon and starts another one by the clock @clock, which removes what it would. */
static void start_by(RetentionClock clock) {
        retention = retention_free(retention);
        kept_history_make(directory, clock.now_unix_ns);
        limit(10, UINT64_C(1) << 40);
        now = clock;
        trim();
}

static void add_many(size_t n, int64_t days) {
        assert_int_equal(database_begin(history_database(history)), 0); /* in one, for speed */
        for (size_t i = 0; i < n; i++) {
                sqlite3_stmt *job = database_statement(history_database(history), DATABASE_ADD_JOB);
                char run_id[RUN_ID_BYTES];
                static unsigned n_added;

                snprintf(run_id, sizeof run_id, "%032x", n_added++);
                sqlite3_bind_text(job, 1, run_id, -1, SQLITE_STATIC);
                sqlite3_bind_int64(job, 2, ALICE);
                sqlite3_bind_int(job, 3, BENCHD__JOB_STATE__JOB_DONE);
                sqlite3_bind_int64(job, 4, NOW - days * DAY_NS);
                sqlite3_bind_text(job, 5, "m.so", -1, SQLITE_STATIC);
                assert_int_equal(database_run(history_database(history), job), 0);
        }
        assert_int_equal(database_commit(history_database(history)), 0);
}

static size_t count_jobs(void) {
        return ask("SELECT sum(jobs) FROM account");
}

TEST(a_start_three_years_ahead_removes_nothing) {
        const uint64_t ahead = NOW + 1100 * DAY_NS;

        add_many(30, 3);
        start_by((RetentionClock){ ahead, true });
        assert_int_equal(count_jobs(), 30);
        start_by((RetentionClock){ NOW, true });
        assert_int_equal(count_jobs(), 30);
}

/* Its day is not over because the clock is set back, nor because the daemon is started again. */
TEST(jobs_that_ran_three_years_ahead_cost_the_others_a_tenth) {
        const uint64_t ahead = NOW + 1100 * DAY_NS;

        add_many(99, 3);
        add_many(1, -1100);
        for (size_t i = 0; i < 5; i++)
                start_by((RetentionClock){ ahead + i * DAY_NS / 6, true });
        assert_int_equal(count_jobs(), 90);
        for (size_t i = 0; i < 5; i++)
                start_by((RetentionClock){ NOW + i * DAY_NS / 6, true });
        assert_int_equal(count_jobs(), 90);
        start_by((RetentionClock){ NOW + 5 * DAY_NS, true });
        assert_int_equal(count_jobs(), 90); /* the job of the future makes none of them old */
}

TEST(a_tenth_goes_in_a_day_however_often_the_daemon_starts) {
        add_many(1000, 30);
        add_many(100, 0);
        for (size_t i = 0; i < 4; i++)
                start_by((RetentionClock){ NOW + i * DAY_NS / 4, true });
        assert_int_equal(count_jobs(), 1100 - 110);
        start_by((RetentionClock){ NOW + DAY_NS, true });
        assert_int_equal(count_jobs(), 990 - 99);
        start_by((RetentionClock){ NOW + 40 * DAY_NS, true }); /* a month off is one day too */
        assert_int_equal(count_jobs(), 891 - 89);
}

/* One of three in a day would be more than a tenth. */
TEST(a_tiny_history_loses_one_in_many_days) {
        add_many(2, 30);
        add_many(1, 0);
        start_by(now);
        assert_int_equal(count_jobs(), 2);
        for (size_t hours = 1; hours < 24 * 3; hours += 7)
                start_by((RetentionClock){ NOW + hours * DAY_NS / 24, true });
        assert_int_equal(count_jobs(), 2);
        start_by((RetentionClock){ NOW + 5 * DAY_NS, true });
        assert_int_equal(count_jobs(), 1);
        start_by((RetentionClock){ NOW + 5000 * DAY_NS, true });
        assert_int_equal(count_jobs(), 1); /* the newest is never old */
}

TEST(nothing_goes_by_its_age_while_the_clock_is_not_synchronised) {
        add_many(40, 30);
        add_many(1, 0);
        start_by((RetentionClock){ NOW, false });
        start_by((RetentionClock){ NOW + 9000 * DAY_NS, false });
        assert_int_equal(count_jobs(), 41);
        limit(10, 20 * ROW); /* but for room it does */
        trim();
        assert_int_equal(ask("SELECT count(*) FROM job"), 20);
}

/* A machine without a clock of its own runs its first jobs in 1970. */
TEST(a_job_of_a_clock_that_was_behind_is_as_young_as_those_before_it) {
        const char *old = add(ALICE, 30, 0, 0, true), *young = add(ALICE, 1, 0, 0, true);
        const char *behind = add(ALICE, 19000, 0, 0, true), *newest = add(ALICE, 0, 0, 0, true);

        for (size_t i = 0; i < 10; i++)
                start_by((RetentionClock){ NOW + i * 10 * DAY_NS, true });
        assert_false(is_there(old));
        assert_true(is_there(young) && is_there(behind) && is_there(newest));
        now.synchronised = false;
        limit(10, 2 * ROW + 500); /* for room, the first that was added goes first too */
        trim();
        assert_false(is_there(young));
        assert_true(is_there(behind) && is_there(newest));
}

TEST(jobs_of_the_future_are_passed_by_in_slices) {
        add_many(5000, -1000);
        add_many(10, 30);
        add_many(1, 0);
        assert_int_equal(retention_trim(retention, now), RETENTION_E_MORE);
        assert_int_equal(count_jobs(), 5011);
        limit(10, UINT64_C(1) << 40);
        trim();
        assert_int_equal(count_jobs(), 5001);
}
