/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Columns of all tables, one table row each: name, title, the function that fills its cells, and the path of its value. Text, Markdown,
 * HTML, CSV and --columns walk them. Each method has its own columns, in the words of its authors. Pure.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "ctl/model/cell.h"

#define COLUMNS_MAX        48u
#define COLUMN_RANK_DETAIL 8u /* a column of this rank or higher is a detail */

typedef enum ColumnFlag {
        COLUMN_LEFT = 1u << 0,     /* aligned; right otherwise */
        COLUMN_HEAD = 1u << 1,     /* the main column of the table */
        COLUMN_DIM = 1u << 2,      /* less important than the others */
        COLUMN_DASH = 1u << 3,     /* an empty cell shows a dash */
        COLUMN_OPTIONAL = 1u << 4, /* omitted if all its cells are empty */
        COLUMN_PROSE = 1u << 5,    /* a long cell is wrapped; only for the last column */
        COLUMN_WORD = 1u << 6,     /* HTML colours the cell by its word */
        COLUMN_DETAILS = 1u << 7,  /* shown only in --format=details, or if --columns names it */
        COLUMN_BELOW = 1u << 9,    /* a cell for which its row has no room stands on a line below it */
        COLUMN_EACH = 1u
                      << 8, /* expands to one column per member of its values, which are objects; @csv begins their names */
} ColumnFlag;

/* The object that contains the value of a CSV field. */
typedef enum ColumnOf {
        COLUMN_OF_ROW,
        COLUMN_OF_WHOLE, /* the enclosing row, else the answer */
        COLUMN_OF_ANSWER,
} ColumnOf;

typedef struct Column {
        const char *csv;   /* its name in CSV; NULL: not in CSV */
        const char *path;  /* of its value, also used for sorting */
        const char *name;  /* for --columns; several columns may share a name */
        const char *title; /* NULL: only in CSV */
        CellFill fill;
        unsigned flags; /* ColumnFlag */
        unsigned rank; /* if a table is too wide, the highest rank is dropped first, of equal ranks the last column; 0: never dropped */
        unsigned gap;          /* spaces before it; 0: two */
        unsigned least;        /* its least width when it is narrowed; 0: never narrowed */
        const char *csv_after; /* the CSV field that it follows; NULL: the field of the previous column */
        ColumnOf of;
        unsigned decimals;  /* most that a cell has, for a page that aligns numbers at the point. Not in the table */
        const Times *times; /* format of its times; NULL: as measured. Not in the table: set by columns_tell() */
        const char *about; /* for the manual, "words" and `names` in italics; NULL: the previous column's text covers this one, too */
} Column;

typedef enum ColumnTableKind {
        TABLE_RUN,
        TABLE_COMPARISON,
        TABLE_COMMANDS,
        TABLE_COMMAND_COMPARISON, /* of commands with the first */
        TABLE_FLEET,
        TABLE_FLEET_COMPARISON,
        TABLE_SPREAD, /* the second table of --format=details: the spread of the times, and the figures of older harnesses */
        TABLE_LISTING,
        TABLE_HISTORY,
        TABLE_TREND,
        TABLE_SIDE_BY_SIDE,
        _TABLE_KIND_N,
} ColumnTableKind;

typedef struct ColumnTable {
        const Column *columns; /* columns with a title, in display order; the first one names the row */
        size_t n;
        unsigned rank_told; /* dropped columns up to this rank are named below the table */
} ColumnTable;

const ColumnTable *columns_table(ColumnTableKind kind);

/* The kind of table for @result, of one machine or of several. */
ColumnTableKind columns_kind(const json_t *result);

/* The column of the headline number of a table. */
const Column *columns_head(ColumnTableKind kind);

/* The path, in a benchmark of @result, of the headline number of its method's table. */
const char *columns_headline(const json_t *result);

/* The first column with the name @name of @n bytes, in a comparison "time" for both times; NULL: unknown to --columns. */
const Column *columns_find(ColumnTableKind kind, const char *name, size_t n);

/* Prints those of the comma-separated @names that the table does not have: "net, quiet". Returns how many these are. */
size_t columns_print_missing(ColumnTableKind kind, const char *names, FILE *out);

/* Prints the names that --columns knows: "time, interval, ..." */
void columns_print_names(ColumnTableKind kind, FILE *out);

/* Chosen columns. */
typedef struct Columns {
        Column columns[COLUMNS_MAX];
        size_t n;
} Columns;

/* Chooses all columns of the table of @kind. */
void columns_choose_all(ColumnTableKind kind, Columns *ret_columns);

/*
 * Chooses the columns of a table of @result: the comma-separated @names, or if that is NULL, the columns of its method, with @details all
 * of them.
 */
void columns_choose(const json_t *result, const char *names, bool details, Columns *ret_columns);

/* Chooses the columns for a benchmark by the method of @result, a run or a comparison. */
void columns_choose_benchmarks(const json_t *result, bool details, Columns *ret_columns);

/* Makes @columns format times as @times (borrowed) says. */
void columns_tell(Columns *columns, const Times *times);

/* Removes the columns filled by @fill. */
void columns_leave_out(Columns *columns, CellFill fill);

/* The text of @row in @column, without the figures of warnings; the caller frees it. NULL if memory ran out. */
char *column_text(const Column *column, const json_t *row);

/* The number behind that text, for sorting; returns false if there is none. */
bool column_number(const Column *column, const json_t *row, double *ret_number);
