/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/history/retention.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/history/aging.h"
#include "front/history/database.h"
#include "front/history/history.h"
#include "util/error.h"

#define RETENTION_SLICE_BENCHMARKS 64   /* removed at a time */
#define RETENTION_SLICE_ROWS       512u /* examined in one slice */
#define NO_USER                    ((uid_t)-1)

struct Retention {
        History *history;
        Database *database;
        RetentionLimits limits;
        int64_t walked_id; /* of the last job whose age was checked; 0: begin with the first */
        LIST_HEAD(, RetentionReader) readers;
};

/* A job that may be removed. */
typedef struct OldJob {
        int64_t id;
        uid_t uid;
        int64_t submitted_unix_ns;
} OldJob;

/* Runs a statement, whose first value is @id. */
static int retention_run(Retention *retention, DatabaseStatement which, int64_t id) {
        sqlite3_stmt *statement = database_statement(retention->database, which);

        sqlite3_bind_int64(statement, 1, id);
        return database_run(retention->database, statement);
}

/* Ends a transaction whose outcome is @r. */
static int retention_finish(Retention *retention, int r) {
        if (r == 0 && database_commit(retention->database) == 0)
                return 0;
        database_rollback(retention->database);
        return r ? r : (int)RETENTION_E_FAILED;
}

/* ---- which job goes */

static bool retention_is_read(const Retention *retention, const char *run_id) {
        const RetentionReader *reader;

        LIST_FOREACH(reader, &retention->readers, readers) {
                if (strcmp(reader->run_id, run_id) == 0)
                        return true;
        }
        return false;
}

static OldJob old_job_at(sqlite3_stmt *row) {
        return (OldJob){
                .id = sqlite3_column_int64(row, 0),
                .uid = sqlite3_column_int64(row, 2),
                .submitted_unix_ns = sqlite3_column_int64(row, 3),
        };
}

/* The first job of @statement, whose values are bound, that no reader holds. */
static bool retention_first_unread(Retention *retention, sqlite3_stmt *statement, OldJob *ret_job) {
        bool found = false;

        while (!found && database_step(retention->database, statement) > 0) {
                if (retention_is_read(retention, (const char *)sqlite3_column_text(statement, 1)))
                        continue;
                *ret_job = old_job_at(statement);
                found = true;
        }
        sqlite3_reset(statement);
        return found;
}

static uint64_t retention_count_jobs(Retention *retention) {
        sqlite3_stmt *count = database_statement(retention->database, DATABASE_COUNT_JOBS);
        uint64_t n = 0;

        if (database_step(retention->database, count) > 0)
                n = sqlite3_column_int64(count, 0);
        sqlite3_reset(count);
        return n;
}

/* Reads when the newest job that is not in the future was submitted. False if there is none. */
static bool retention_find_newest(Retention *retention, uint64_t now_unix_ns, uint64_t *ret_newest_unix_ns) {
        sqlite3_stmt *find = database_statement(retention->database, DATABASE_FIND_NEWEST);
        bool found;

        sqlite3_bind_int64(find, 1, now_unix_ns);
        found = database_step(retention->database, find) > 0 && sqlite3_column_type(find, 0) != SQLITE_NULL;
        if (found)
                *ret_newest_unix_ns = sqlite3_column_int64(find, 0);
        sqlite3_reset(find);
        return found;
}

static bool retention_read_aging(Retention *retention, Aging *ret_aging) {
        sqlite3_stmt *read = database_statement(retention->database, DATABASE_READ_AGING);
        bool found;

        found = database_step(retention->database, read) > 0;
        if (found)
                *ret_aging = (Aging){
                        .jobs_left = sqlite3_column_int64(read, 0),
                        .next_unix_ns = sqlite3_column_int64(read, 1),
                };
        sqlite3_reset(read);
        return found;
}

static int retention_write_aging(Retention *retention, const Aging *aging) {
        sqlite3_stmt *note = database_statement(retention->database, DATABASE_NOTE_AGING);

        sqlite3_bind_int64(note, 1, aging->jobs_left);
        sqlite3_bind_int64(note, 2, aging->next_unix_ns);
        return database_run(retention->database, note);
}

/* True if one of @n_jobs may go by its age now. */
static bool retention_may_age(Retention *retention, uint64_t n_jobs, uint64_t now_unix_ns) {
        Aging was, aging;
        bool allowed;

        if (!retention_read_aging(retention, &was))
                return false;
        aging = was;
        allowed = aging_allows(&aging, n_jobs, now_unix_ns);
        if (aging.jobs_left == was.jobs_left && aging.next_unix_ns == was.next_unix_ns)
                return allowed;
        return retention_write_aging(retention, &aging) == 0 && allowed;
}

/* The columns of DATABASE_WALK_OLDEST that other statements for old jobs lack. */
#define WALK_REMOVABLE 4

/* Walks on from the oldest job. Returns 0 with one that is too old, E_MORE, or E_NOT_FOUND. */
static int retention_walk_oldest(Retention *retention, uint64_t newest_unix_ns, uint64_t now_unix_ns, OldJob *ret_job) {
        sqlite3_stmt *walk = database_statement(retention->database, DATABASE_WALK_OLDEST);
        int r = RETENTION_E_MORE;
        size_t n = 0;

        sqlite3_bind_int64(walk, 1, retention->walked_id);
        while (r == RETENTION_E_MORE && n++ < RETENTION_SLICE_ROWS) {
                AgingJob age = AGING_YOUNG;

                if (database_step(retention->database, walk) > 0)
                        age = aging_judge(sqlite3_column_int64(walk, 3), newest_unix_ns, retention->limits.keep_ns,
                                        now_unix_ns);
                if (age == AGING_YOUNG) {
                        r = RETENTION_E_NOT_FOUND;
                        continue;
                }
                retention->walked_id = sqlite3_column_int64(walk, 0);
                if (age != AGING_OLD || !sqlite3_column_int(walk, WALK_REMOVABLE) ||
                                retention_is_read(retention, (const char *)sqlite3_column_text(walk, 1)))
                        continue;
                *ret_job = old_job_at(walk);
                r = 0;
        }
        sqlite3_reset(walk);
        if (r == RETENTION_E_NOT_FOUND)
                retention->walked_id = 0;
        return r;
}

/* Finds a job that goes by its age. Returns 0, E_MORE, or E_NOT_FOUND. */
static int retention_find_aged(Retention *retention, RetentionClock clock, uint64_t n_jobs, OldJob *ret_job) {
        uint64_t newest_unix_ns;

        if (!clock.synchronised || !retention_find_newest(retention, clock.now_unix_ns, &newest_unix_ns) ||
                        !retention_may_age(retention, n_jobs, clock.now_unix_ns)) {
                retention->walked_id = 0;
                return RETENTION_E_NOT_FOUND;
        }
        return retention_walk_oldest(retention, newest_unix_ns, clock.now_unix_ns, ret_job);
}

/* The oldest job of a user who is over the limit. */
static bool retention_find_greedy(Retention *retention, OldJob *ret_job) {
        int64_t uid = -1;

        for (;;) {
                sqlite3_stmt *statement = database_statement(retention->database, DATABASE_FIND_GREEDY);
                bool found;

                sqlite3_bind_int64(statement, 1, uid);
                sqlite3_bind_int64(statement, 2, retention->limits.user_bytes);
                found = database_step(retention->database, statement) > 0;
                if (found)
                        uid = sqlite3_column_int64(statement, 0);
                sqlite3_reset(statement);
                if (!found)
                        return false;
                statement = database_statement(retention->database, DATABASE_FIND_OLDEST);
                sqlite3_bind_int64(statement, 1, uid);
                if (retention_first_unread(retention, statement, ret_job))
                        return true;
        }
}

/* ---- how it goes */

/* Takes one of @n_jobs off what may go by its age. */
static int retention_note_aged(Retention *retention, uint64_t n_jobs, uint64_t now_unix_ns) {
        Aging aging;

        if (!retention_read_aging(retention, &aging))
                return RETENTION_E_FAILED;
        aging_note(&aging, n_jobs, now_unix_ns);
        return retention_write_aging(retention, &aging);
}

/*
 * Hides @job: from here on no request finds it. @n_aged: the number of jobs if it is removed by age; 0: it is removed
 * for room.
 */
static int retention_hide(Retention *retention, const OldJob *job, uint64_t n_aged, uint64_t now_unix_ns) {
        sqlite3_stmt *note;
        int r;

        if (database_begin(retention->database))
                return RETENTION_E_FAILED;
        r = retention_run(retention, DATABASE_MARK_REMOVED, job->id);
        if (r == 0) {
                note = database_statement(retention->database, DATABASE_NOTE_REMOVED);
                sqlite3_bind_int64(note, 1, job->uid);
                sqlite3_bind_int64(note, 2, job->submitted_unix_ns);
                r = database_run(retention->database, note);
        }
        if (r == 0 && n_aged > 0)
                r = retention_note_aged(retention, n_aged, now_unix_ns);
        return retention_finish(retention, r ? (int)RETENTION_E_FAILED : 0);
}

/* The last place of the benchmarks of @job that go with the next slice. False where none is left. */
static bool retention_next_slice(Retention *retention, int64_t job, int64_t *ret_place) {
        sqlite3_stmt *size = database_statement(retention->database, DATABASE_SIZE_REMOVED);
        int64_t bytes = 0;
        bool found = false;

        sqlite3_bind_int64(size, 1, job);
        sqlite3_bind_int64(size, 2, RETENTION_SLICE_BENCHMARKS);
        while (bytes < RETENTION_SLICE_BYTES && database_step(retention->database, size) > 0) {
                *ret_place = sqlite3_column_int64(size, 0);
                bytes += sqlite3_column_int64(size, 1);
                found = true;
        }
        sqlite3_reset(size);
        return found;
}

/* Removes a slice of a hidden job, or with the last its row. */
static int retention_take_apart(Retention *retention, int64_t job) {
        int64_t place;
        int r;

        if (database_begin(retention->database))
                return RETENTION_E_FAILED;
        if (retention_next_slice(retention, job, &place)) {
                sqlite3_stmt *trim = database_statement(retention->database, DATABASE_TRIM_REMOVED);

                sqlite3_bind_int64(trim, 1, job);
                sqlite3_bind_int64(trim, 2, place);
                r = database_run(retention->database, trim);
        } else {
                r = retention_run(retention, DATABASE_TRIM_PARTS, job) ||
                    retention_run(retention, DATABASE_TRIM_JOB, job);
        }
        return retention_finish(retention, r ? (int)RETENTION_E_FAILED : 0);
}

static bool retention_find_hidden(Retention *retention, int64_t *ret_job) {
        sqlite3_stmt *find = database_statement(retention->database, DATABASE_FIND_REMOVED);
        bool found;

        found = database_step(retention->database, find) > 0;
        if (found)
                *ret_job = sqlite3_column_int64(find, 0);
        sqlite3_reset(find);
        return found;
}

int retention_trim(Retention *retention, RetentionClock clock) {
        const uint64_t n_jobs = retention_count_jobs(retention);
        OldJob old;
        int64_t job;
        int r;

        if (retention_find_hidden(retention, &job)) {
                r = retention_take_apart(retention, job);
        } else {
                r = retention_find_aged(retention, clock, n_jobs, &old);
                if (r == 0)
                        r = retention_hide(retention, &old, n_jobs, clock.now_unix_ns);
                else if (r == RETENTION_E_NOT_FOUND && !retention_find_greedy(retention, &old))
                        return 0;
                else if (r == RETENTION_E_NOT_FOUND)
                        r = retention_hide(retention, &old, 0, clock.now_unix_ns);
        }
        return r ? r : (int)RETENTION_E_MORE;
}

/* ---- pins */

/* Sums of a user's pinned jobs. */
typedef struct Pinned {
        uint64_t n_jobs;
        uint64_t history_bytes;
        uint64_t module_bytes;
} Pinned;

static int retention_sum_pinned(Retention *retention, uid_t uid, Pinned *ret_pinned) {
        sqlite3_stmt *sum = database_statement(retention->database, DATABASE_SUM_PINNED);
        int r;

        sqlite3_bind_int64(sum, 1, uid);
        r = database_step(retention->database, sum);
        if (r > 0)
                *ret_pinned = (Pinned){
                        .n_jobs = sqlite3_column_int64(sum, 0),
                        .history_bytes = sqlite3_column_int64(sum, 1),
                        .module_bytes = sqlite3_column_int64(sum, 2),
                };
        sqlite3_reset(sum);
        return r > 0 ? 0 : RETENTION_E_FAILED;
}

static int retention_note_pinned(Retention *retention, uid_t uid, uint64_t module_bytes) {
        sqlite3_stmt *note = database_statement(retention->database, DATABASE_NOTE_PINNED);

        sqlite3_bind_int64(note, 1, uid);
        sqlite3_bind_int64(note, 2, module_bytes);
        return database_run(retention->database, note) ? (int)RETENTION_E_FAILED : 0;
}

static uint64_t retention_all_pinned(Retention *retention) {
        sqlite3_stmt *all = database_statement(retention->database, DATABASE_ALL_PINNED);
        uint64_t bytes = 0;

        if (database_step(retention->database, all) > 0)
                bytes = sqlite3_column_int64(all, 0);
        sqlite3_reset(all);
        return bytes;
}

/* Checks the pins of a user, including the new one. Returns 0, or E_FULL with @ret_words. */
static int retention_check_pinned(Retention *retention, const Pinned *pinned,
                char ret_words[static RETENTION_WORDS_MAX]) {
        const RetentionLimits *limits = &retention->limits;
        const struct {
                const char *what;
                uint64_t bytes;
                uint64_t most;
        } rows[] = {
                { "the modules of this user's pinned jobs", pinned->module_bytes, limits->module_user_bytes / 2 },
                { "the results of this user's pinned jobs", pinned->history_bytes, limits->user_bytes / 2 },
                { "the modules of all pinned jobs", retention_all_pinned(retention), limits->module_bytes / 2 },
        };

        if (pinned->n_jobs > RETENTION_PINS_MAX) {
                snprintf(ret_words, RETENTION_WORDS_MAX, "this user has %u pinned jobs", RETENTION_PINS_MAX);
                return RETENTION_E_FULL;
        }
        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                if (rows[i].bytes > rows[i].most) {
                        snprintf(ret_words, RETENTION_WORDS_MAX, "%s would take %" PRIu64 " KiB of %" PRIu64 " KiB",
                                        rows[i].what, rows[i].bytes >> 10, rows[i].most >> 10);
                        return RETENTION_E_FULL;
                }
        return 0;
}

static int retention_set_pin(Retention *retention, const char *run_id, bool pinned) {
        sqlite3_stmt *pin = database_statement(retention->database, DATABASE_PIN_JOB);

        sqlite3_bind_text(pin, 1, run_id, -1, SQLITE_STATIC);
        sqlite3_bind_int(pin, 2, pinned);
        return database_run(retention->database, pin) ? (int)RETENTION_E_FAILED : 0;
}

/* The user of a pinned job holds its modules, even if another user submitted the files. */
static int retention_hold_pinned(Retention *retention, const char *run_id, uint64_t now_unix_ns) {
        sqlite3_stmt *hold = database_statement(retention->database, DATABASE_HOLD_PINNED);

        sqlite3_bind_text(hold, 1, run_id, -1, SQLITE_STATIC);
        sqlite3_bind_int64(hold, 2, now_unix_ns);
        return database_run(retention->database, hold) ? (int)RETENTION_E_FAILED : 0;
}

static int retention_change_pin(Retention *retention, const HistoryJob *job, const char *run_id, bool pinned,
                uint64_t now_unix_ns, char ret_words[static RETENTION_WORDS_MAX]) {
        Pinned sums;
        int r;

        r = retention_set_pin(retention, run_id, pinned);
        if (r == 0 && pinned)
                r = retention_hold_pinned(retention, run_id, now_unix_ns);
        if (r == 0)
                r = retention_sum_pinned(retention, job->uid, &sums);
        if (r == 0)
                r = retention_note_pinned(retention, job->uid, sums.module_bytes);
        return r == 0 && pinned ? retention_check_pinned(retention, &sums, ret_words) : r;
}

static int retention_has_module(Retention *retention, const char *run_id, bool *ret_stored) {
        sqlite3_stmt *has = database_statement(retention->database, DATABASE_HAS_MODULE);
        int r;

        sqlite3_bind_text(has, 1, run_id, -1, SQLITE_STATIC);
        r = database_step(retention->database, has);
        sqlite3_reset(has);
        if (r < 0)
                return RETENTION_E_FAILED;
        *ret_stored = r > 0;
        return 0;
}

int retention_pin(Retention *retention, const char *run_id, bool pinned, uint64_t now_unix_ns, bool *ret_stored,
                char ret_words[static RETENTION_WORDS_MAX]) {
        HistoryJob job;
        int r;

        r = history_read(retention->history, run_id, &job);
        if (r)
                return r == HISTORY_E_NOT_FOUND ? RETENTION_E_NOT_FOUND : RETENTION_E_FAILED;
        if (database_begin(retention->database))
                return RETENTION_E_FAILED;
        r = retention_finish(retention, retention_change_pin(retention, &job, run_id, pinned, now_unix_ns, ret_words));
        return r ? r : retention_has_module(retention, run_id, ret_stored);
}

/* ---- readers */

void retention_reader_begin(Retention *retention, RetentionReader *reader, const char *run_id) {
        snprintf(reader->run_id, sizeof reader->run_id, "%s", run_id);
        LIST_INSERT_HEAD(&retention->readers, reader, readers);
}

void retention_reader_end(RetentionReader *reader) {
        LIST_REMOVE(reader, readers);
}

/* ---- reports */

void retention_read_use(Retention *retention, uid_t uid, RetentionUse *ret_use) {
        sqlite3_stmt *read = database_statement(retention->database, DATABASE_READ_ACCOUNT);

        *ret_use = (RetentionUse){};
        sqlite3_bind_int64(read, 1, uid);
        if (database_step(retention->database, read) > 0)
                *ret_use = (RetentionUse){
                        .history_bytes = sqlite3_column_int64(read, 0),
                        .module_bytes = sqlite3_column_int64(read, 1),
                        .removed_jobs = sqlite3_column_int64(read, 3),
                        .removed_until_unix_ns = sqlite3_column_int64(read, 4),
                };
        sqlite3_reset(read);
}

uint64_t retention_count_removed(Retention *retention, uint64_t *ret_until_unix_ns) {
        sqlite3_stmt *all = database_statement(retention->database, DATABASE_ALL_REMOVED);
        uint64_t n_jobs = 0;

        *ret_until_unix_ns = 0;
        if (database_step(retention->database, all) > 0) {
                n_jobs = sqlite3_column_int64(all, 0);
                *ret_until_unix_ns = sqlite3_column_int64(all, 1);
        }
        sqlite3_reset(all);
        return n_jobs;
}

uid_t retention_next_user(Retention *retention, uid_t uid) {
        sqlite3_stmt *next = database_statement(retention->database, DATABASE_NEXT_ACCOUNT);
        uid_t found = NO_USER;

        sqlite3_bind_int64(next, 1, uid == NO_USER ? -1 : (int64_t)uid);
        if (database_step(retention->database, next) > 0)
                found = sqlite3_column_int64(next, 0);
        sqlite3_reset(next);
        return found;
}

/* ---- life */

const RetentionLimits *retention_limits(const Retention *retention) {
        return &retention->limits;
}

int retention_new(History *history, const RetentionLimits *limits, Retention **ret_retention) {
        Retention *retention = calloc(1, sizeof *retention);

        if (!retention)
                return error_origin(-ENOMEM);
        retention->history = history;
        retention->database = history_database(history);
        retention->limits = *limits;
        LIST_INIT(&retention->readers);
        *ret_retention = retention;
        return 0;
}

Retention *retention_free(Retention *retention) {
        free(retention);
        return NULL;
}
