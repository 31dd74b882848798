/* SPDX-License-Identifier: MIT */

/*
 * SQLite in memory: no file, no disk, so the time is that of the library.
 *
 * The database is set-up, made once a process, before the loop. An iteration must not leave it changed, or the
 * thousandth measures another database than the first: the inserts are rolled back. bench_ops() makes the
 * report per row.
 */

#include <benchd/bench.h>
#include <sqlite3.h>
#include <stdlib.h>

BENCH_AREA(database, .about = "SQLite in memory");

enum {
        ROWS = 10000,
        INSERTS = 1000,
};

static void execute(struct bench *b, sqlite3 *database, const char *sql) {
        if (sqlite3_exec(database, sql, NULL, NULL, NULL) != SQLITE_OK)
                bench_fail(b, "%s: %s", sql, sqlite3_errmsg(database));
}

static sqlite3_stmt *prepare(struct bench *b, sqlite3 *database, const char *sql) {
        sqlite3_stmt *statement;

        if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK)
                bench_fail(b, "%s: %s", sql, sqlite3_errmsg(database));
        return statement;
}

/* A table of ROWS rows: a key, a number and a text. */
static sqlite3 *database_new(struct bench *b) {
        sqlite3 *database;

        if (sqlite3_open(":memory:", &database) != SQLITE_OK)
                bench_fail(b, "SQLite gives no database in memory");
        execute(b, database, "CREATE TABLE items (key INTEGER PRIMARY KEY, number INTEGER, name TEXT)");
        execute(b, database,
                        "WITH RECURSIVE counter (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM counter WHERE i < 10000) "
                        "INSERT INTO items SELECT i, i * 7919 % 10007, 'item number ' || i FROM counter");
        if (sqlite3_changes(database) != ROWS)
                bench_fail(b, "%d rows instead of %d", sqlite3_changes(database), ROWS);
        return database;
}

BENCH(insert, .area = "database", .ops = INSERTS, .about = "a row, prepared, of 1000 in a transaction that is undone") {
        sqlite3 *database = database_new(b);
        sqlite3_stmt *insert = prepare(b, database, "INSERT INTO items (number, name) VALUES (?1, 'new')");

        bench_loop(b) {
                execute(b, database, "BEGIN");
                for (int i = 0; i < INSERTS; i++) {
                        sqlite3_bind_int(insert, 1, i);
                        if (sqlite3_step(insert) != SQLITE_DONE)
                                bench_fail(b, "insert: %s", sqlite3_errmsg(database));
                        sqlite3_reset(insert);
                }
                execute(b, database, "ROLLBACK");
        }
        sqlite3_finalize(insert);
        sqlite3_close(database);
}

BENCH(select_by_key, .area = "database", .about = "one row of 10,000, prepared") {
        sqlite3 *database = database_new(b);
        sqlite3_stmt *select = prepare(b, database, "SELECT number FROM items WHERE key = ?1");
        unsigned key = 0;

        bench_loop(b) {
                key = (key + 7919) % ROWS; /* every key once before any comes again */
                sqlite3_bind_int(select, 1, key + 1);
                if (sqlite3_step(select) != SQLITE_ROW)
                        bench_fail(b, "no row %u", key + 1);
                bench_use(sqlite3_column_int(select, 0));
                sqlite3_reset(select);
        }
        sqlite3_finalize(select);
        sqlite3_close(database);
}

BENCH(aggregate, .area = "database", .about = "sum over 10,000 rows in 100 groups") {
        sqlite3 *database = database_new(b);
        sqlite3_stmt *select = prepare(b, database, "SELECT number % 100, sum(number) FROM items GROUP BY 1");

        bench_items(b, ROWS);
        bench_loop(b) {
                while (sqlite3_step(select) == SQLITE_ROW)
                        bench_use(sqlite3_column_int64(select, 1));
                sqlite3_reset(select);
        }
        sqlite3_finalize(select);
        sqlite3_close(database);
}
