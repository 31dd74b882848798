/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The SQLite database of the history: its tables, and every statement that is ever run on them, prepared and known by name. Untrusted text
 * is only ever bound to a statement, never part of its SQL. The meaning of the rows is in history.
 *
 *      job        one row each, from its acceptance on; error and result in protobuf's binary form
 *      benchmark  the results of a job, in the order in which they were sent
 *      part       the modules of a job: its own at place 0, then its libraries
 *      voucher    benchd-launch's word of who submitted such a file; goes with the file
 *      module     the files in the module store
 *      holding    the users who brought each of these files, and when each used it last
 *      account    the jobs of each user and the bytes that it has in all of these, kept by triggers; and what was removed of its jobs
 *      aging      what may still go by its age (aging.h), a row
 *
 * The file is locked for this process, so that two daemons never share one. A commit is visible to all statements when it returns. It is on
 * stable storage once database_synced() has reached database_ticket() of that moment: a thread writes it (write-behind.h, WAL), so that a
 * slow disk does not block the loop. No failure of SQLite is fatal: it is an outcome, with words.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/cleanup.h"

typedef struct Database Database;
typedef struct sqlite3_stmt sqlite3_stmt;

#define DATABASE_WORDS_MAX 256u

enum {
        _DATABASE_E_SUCCESS,

        DATABASE_E_FOREIGN,     /* the file is not a database, is damaged, or has other tables */
        DATABASE_E_UNAVAILABLE, /* any other failure (locked, no space, no memory, disk error): the file may be good */
        DATABASE_E_FAILED,      /* a statement failed */
};

typedef enum DatabaseStatement {
        DATABASE_ADD_JOB,           /* run_id, uid, state, submitted, module_name, commit_told */
        DATABASE_ADD_PART,          /* job, place, sha256 */
        DATABASE_ADD_BENCHMARK,     /* job, place, result */
        DATABASE_REMOVE_BENCHMARKS, /* job */
        DATABASE_REMOVE_LOST,       /* the benchmarks of jobs without an end */
        DATABASE_FIND_JOB,          /* run_id -> id, state, benchmarks, uid */
        DATABASE_NOTE_RUNNING,      /* state, run_id */
        DATABASE_END_JOB,           /* id, state, ended, verdict, benchmarks, error, result */
        DATABASE_LOSE_JOBS,         /* state lost, ended, states without an end */
        DATABASE_FIND_PREFIX,       /* prefix, its end, all, uid -> run_id */
        DATABASE_READ_BENCHMARK,    /* job, place -> result */
        DATABASE_READ_RESULT,       /* id -> result */
        DATABASE_READ_ERROR,        /* id -> error */
        DATABASE_WALK_OWN, /* since, submitted, id, uid -> the columns that job-list.c names, of the jobs before that one */
        DATABASE_WALK_ALL,    /* since, submitted, since, submitted, id -> the same, for all users */
        DATABASE_READ_ENTRY,  /* id -> the columns that job-list.c names */
        DATABASE_PIN_JOB,     /* run_id, pinned */
        DATABASE_HOLD_PINNED, /* run_id, used: adds holdings of its stored modules */
        DATABASE_SUM_PINNED,  /* uid -> jobs, bytes of their results, bytes of their modules */
        DATABASE_NOTE_PINNED, /* uid, bytes of pinned modules */
        DATABASE_ALL_PINNED,  /* -> bytes of pinned modules of all users */
        DATABASE_WALK_OLDEST, /* after id -> id, run_id, uid, submitted, removable: in the order in which they were added */
        DATABASE_FIND_NEWEST,    /* until -> submitted of the newest, or NULL */
        DATABASE_COUNT_JOBS,     /* -> jobs of all users, without the hidden ones */
        DATABASE_READ_AGING,     /* -> jobs_left, next (aging.h) */
        DATABASE_NOTE_AGING,     /* jobs_left, next */
        DATABASE_FIND_GREEDY,    /* after uid, bytes -> uid of a user with more bytes */
        DATABASE_FIND_OLDEST,    /* uid -> id, run_id, uid, submitted */
        DATABASE_MARK_REMOVED,   /* id: hides the job */
        DATABASE_NOTE_REMOVED,   /* uid, submitted */
        DATABASE_FIND_REMOVED,   /* -> id of a hidden job */
        DATABASE_SIZE_REMOVED,   /* job, limit -> place, bytes of a benchmark */
        DATABASE_TRIM_REMOVED,   /* job, place: removes this benchmark and all before it */
        DATABASE_TRIM_PARTS,     /* job */
        DATABASE_TRIM_JOB,       /* id */
        DATABASE_READ_ACCOUNT,   /* uid -> history_bytes, module_bytes, pinned_bytes, removed_jobs, removed_until */
        DATABASE_NEXT_ACCOUNT,   /* after uid -> uid */
        DATABASE_ALL_REMOVED,    /* -> removed_jobs, removed_until, of all users */
        DATABASE_HAS_MODULE,     /* run_id -> one row if its module is in the store */
        DATABASE_ADD_MODULE,     /* sha256, bytes */
        DATABASE_REMOVE_MODULE,  /* sha256 */
        DATABASE_SUM_MODULES,    /* -> bytes */
        DATABASE_NEXT_MODULE,    /* after -> sha256, bytes */
        DATABASE_HOLD_MODULE,    /* uid, sha256, bytes, used */
        DATABASE_USE_HOLDING,    /* uid, sha256, used */
        DATABASE_USE_MODULE,     /* sha256, used: for all its holders */
        DATABASE_END_HOLDING,    /* uid, sha256 */
        DATABASE_END_HOLDINGS,   /* sha256 */
        DATABASE_IS_HELD,        /* sha256, uid (NULL: any) -> one row if that user holds it */
        DATABASE_ADOPT_MODULE,   /* sha256, bytes, used: adds holdings for the users of jobs that name it */
        DATABASE_OLDEST_HOLDING, /* uid -> sha256, bytes; neither pinned nor in use */
        DATABASE_LARGEST_HOLDER, /* more than, (bytes, uid) before -> uid, bytes */
        DATABASE_FIND_MODULE,    /* sha256 -> sha256, bytes */
        DATABASE_ADD_VOUCHER,    /* sha256, uid, mac; adds nothing if the file is not in the store */
        DATABASE_FIND_VOUCHER,   /* sha256, uid -> uid, mac */
        _DATABASE_STATEMENTS_N,
} DatabaseStatement;

/*
 * Opens the database at @path (NULL: in memory), and creates its tables if it is new. Returns 0, E_FOREIGN or
 * E_UNAVAILABLE with a few words in @ret_words, or a negative errno. A foreign file is left unchanged.
 */
int database_new(const char *path, Database **ret_database, char ret_words[static DATABASE_WORDS_MAX]);
Database *database_free(Database *database);
DEFINE_CLEANUP(Database *, database_free)

/* The prepared statement, with no values bound. */
sqlite3_stmt *database_statement(Database *database, DatabaseStatement which);

/* Executes @statement and resets it. Returns 0 or E_FAILED. */
int database_run(Database *database, sqlite3_stmt *statement);

/* Steps to the next row of @statement. Returns 1, 0 after the last row, or -1 on failure; 0 and -1 reset it. */
int database_step(Database *database, sqlite3_stmt *statement);

/* Begin and commit a transaction; database_rollback() undoes a failed one. Return 0 or E_FAILED. */
int database_begin(Database *database);
int database_commit(Database *database);
void database_rollback(Database *database);

/* The number of rows that the last statement changed, and the id of the last row added. */
size_t database_count_changed(const Database *database);
int64_t database_last_id(const Database *database);

/* The last failure, in a few words. */
const char *database_words(const Database *database);

/* ---- the disk */

/* The ticket of everything written until now; 0 in memory, where nothing has to be synced. */
uint64_t database_ticket(const Database *database);

/* The ticket up to which everything is on stable storage. */
uint64_t database_synced(const Database *database);

/* Readable when database_settle() is due: more was synced or lost. -1 in memory. */
int database_event_fd(const Database *database);

/*
 * Takes over what the thread did. Returns 0, or E_FAILED on a write error: everything not yet synced is lost, and the database goes back to
 * its synced state.
 */
int database_settle(Database *database);

/*
 * The number of such losses; and true if the file could not be reopened after one, so that the database is now in
 * memory.
 */
uint64_t database_losses(const Database *database);
bool database_is_broken(const Database *database);

/* Waits for the thread. */
void database_wait(Database *database);

/* Sync or rename a file beside the database, in order: before anything that is written later. Return 0 or a negative errno. */
int database_sync_file(Database *database, int fd);
int database_rename_file(Database *database, int directory_fd, const char *from, const char *to);
