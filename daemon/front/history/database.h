/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The SQLite database of the history: opened, of the right schema, with its statements prepared. What the rows mean is
 * history's.
 *
 * It is locked for this process alone, so that two daemons never share one. A commit is on stable storage when it
 * returns (WAL, synchronous=FULL). What went wrong is never fatal here: it is an outcome, with words.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct Database Database;
typedef struct sqlite3_stmt sqlite3_stmt;

#define DATABASE_WORDS_MAX 256u

enum {
        _DATABASE_E_SUCCESS,

        DATABASE_E_FOREIGN,     /* the file cannot be read, or is something else */
        DATABASE_E_UNAVAILABLE, /* locked by another process, no space, no memory: the file may be good */
        DATABASE_E_FAILED,      /* a statement could not be carried out */
};

/* What is to be kept in a database. Static. */
typedef struct DatabaseSchema {
        int application; /* of this kind of file */
        int version;
        const char *tables;            /* the statements that make them */
        const char *const *statements; /* prepared, and known by their place */
        size_t n_statements;
} DatabaseSchema;

/*
 * Opens the database at @path, or one in memory with NULL, and makes its tables if it is new. Returns 0, E_FOREIGN or
 * E_UNAVAILABLE with a few words in @ret_words, or a negative errno.
 */
int database_new(const char *path, const DatabaseSchema *schema, Database **ret_database,
                char ret_words[static DATABASE_WORDS_MAX]);
Database *database_free(Database *database);

/* Statement @which, without values. */
sqlite3_stmt *database_statement(Database *database, size_t which);

/* Carries @statement out, and lets go of what it read. Returns 0 or E_FAILED. */
int database_run(Database *database, sqlite3_stmt *statement);

/* Steps to the next row of @statement. Returns 1, 0 where there is none and all is let go, or -1 where it failed. */
int database_step(Database *database, sqlite3_stmt *statement);

/* A transaction; what failed in between is undone by database_rollback(). Return 0 or E_FAILED. */
int database_begin(Database *database);
int database_commit(Database *database);
void database_rollback(Database *database);

/* The rows that the last statement changed, and the id of the last one that was added. */
size_t database_count_changed(const Database *database);
int64_t database_last_id(const Database *database);

/* What failed last, in a few words. */
const char *database_words(const Database *database);
